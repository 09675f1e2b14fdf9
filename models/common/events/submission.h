#pragma once

#include "models/common/events/event_type.h"

/// User-mode submission, doorbells, and commands from their recording to their end. A doorbell is
/// identified by its page + 1; 0: the dummy page, or memory that the device does not monitor.
namespace fenceline::event {

/// A write to a doorbell.
struct DoorbellWrite {
  QueueId queue;  ///< 0: no queue
  std::uint64_t write_pointer;
  std::uint64_t doorbell;  ///< if queues share doorbells
  AdapterId adapter;       ///< if queues share doorbells
  FENCELINE_FIELDS(queue, write_pointer, doorbell, adapter)
};
/// A doorbell write arrived.
struct Doorbell : DoorbellWrite {
  static constexpr Words kWords{"doorbell", kPlain,
                                "the doorbell of {queue} rings, write pointer {write_pointer}"};
};
/// User mode gets an address of a doorbell.
struct DoorbellMapped {
  QueueId queue;
  std::uint64_t doorbell;
  AdapterId adapter;
  FENCELINE_FIELDS(queue, doorbell, skip, adapter)
  static constexpr Words kWords{
      "doorbell_mapped", kStory,
      "the address of the doorbell of {queue} leads to doorbell {doorbell}"};
};
/// The OS stores the doorbell status.
struct DoorbellStatus {
  QueueId queue;
  std::uint64_t status;  ///< D3DDDI_DOORBELLSTATUS
  FENCELINE_FIELDS(queue, status)
  static constexpr Words kWords{"doorbell_status", kPlain,
                                "the OS stores status {status} for the doorbell of {queue}"};
};
/// A write to the status cell reached memory.
struct DoorbellStatusVisible {
  QueueId queue;
  std::uint64_t status;
  AdapterId adapter;  ///< adapter for which the memory is watched
  FENCELINE_FIELDS(queue, status, adapter)
  static constexpr Words kWords{"doorbell_status_visible", kStory,
                                "the status of the doorbell of {queue} is {status}"};
};
/// User mode writes its doorbell.
struct DoorbellRung : DoorbellWrite {
  static constexpr Words kWords{
      "doorbell_rung", kStory,
      "user mode rings doorbell {doorbell} for {queue}, write pointer {write_pointer}"};
};
/// User mode read a status other than CONNECTED.
struct DoorbellAnswer {
  QueueId queue;
  std::uint64_t status;
  FENCELINE_FIELDS(queue, status)
  static constexpr Words kWords{"doorbell_answer", kPlain,
                                "user mode reads status {status} of the doorbell of {queue}"};
};
/// DxgkDdiConnectDoorbell returned.
struct DoorbellConnect {
  QueueId queue;
  std::uint64_t doorbell;
  std::uint64_t status;  ///< D3DDDI_DOORBELLSTATUS
  AdapterId adapter;
  FENCELINE_FIELDS(queue, doorbell, status, adapter)
  static constexpr Words kWords{"doorbell_connect", kAdvances,
                                "the driver gives {queue} doorbell {doorbell}"};
};
/// DxgkCbDisconnectDoorbell is called.
struct DoorbellTaken {
  QueueId queue;
  std::uint64_t reason;  ///< DisconnectReason
  FENCELINE_FIELDS(queue, reason)
  static constexpr Words kWords{"doorbell_taken", kStory,
                                "the driver takes the doorbell of {queue} away"};
};
/// The device read the write pointer in memory.
struct RingScan {
  QueueId queue;
  std::uint64_t write_pointer;
  FENCELINE_FIELDS(queue, write_pointer)
  static constexpr Words kWords{
      "ring_scan", kStory, "the device finds write pointer {write_pointer} of {queue} in memory"};
};
/// A thread begins or ends a submission.
struct Submission {
  QueueId queue;        ///< queue or context
  bool begins;          ///< 0: the submission ends
  std::uint64_t where;  ///< start of the next command
  FENCELINE_FIELDS(queue, begins, where)
  static constexpr Words kWords{"submission", kPlain,
                                "a thread begins or ends a submission to {queue}"};
};
/// User mode recorded a command.
struct CommandRecorded {
  QueueId queue;        ///< queue or context
  std::uint64_t bytes;  ///< hash of the bytes
  std::uint64_t end;    ///< end in the ring; 0 for a context
  FENCELINE_FIELDS(queue, bytes, end)
  static constexpr Words kWords{"command_recorded", kAdvances, "a command is recorded for {queue}"};
};
/// A front end finished a command.
struct CommandDone {
  QueueId queue;        ///< 0 for a context
  std::uint64_t bytes;  ///< hash of the bytes
  std::uint64_t end;
  Part<32> submission;
  Part<16> engine;   ///< from 1
  Part<16> adapter;  ///< object
  FENCELINE_FIELDS(queue, bytes, end, submission, engine, adapter)
  static constexpr Words kWords{"command_done", kAdvances, "a command of {queue} is done"};
};
/// A front end skips the remaining commands.
struct CommandsDropped {
  QueueId queue;
  std::uint64_t end;  ///< end of the skipped commands
  FENCELINE_FIELDS(queue, skip, end)
  static constexpr Words kWords{"commands_dropped", kStory | kAdvances,
                                "commands of {queue} are passed over"};
};

using SubmissionEvents = List<Doorbell, DoorbellMapped, DoorbellStatus, DoorbellStatusVisible,
                              DoorbellRung, DoorbellAnswer, DoorbellConnect, DoorbellTaken,
                              RingScan, Submission, CommandRecorded, CommandDone, CommandsDropped>;

}  // namespace fenceline::event
