#pragma once

#include "models/common/events/event_type.h"

/// Packets, buses, faults of scenarios, threads.
namespace fenceline::event {

/// Kind of a PCIe packet.
enum class TlpKind : std::uint8_t {
  kPostedWrite,
  kReadRequest,
  kCompletion,
  kMessageSignaledInterrupt
};
/// Kind of a link fault.
enum class LinkFaultKind : std::uint8_t {
  kMessageLost,   ///< an interrupt message never arrives
  kMessageTwice,  ///< the message arrives twice
  kMessageLate,   ///< the message arrives later than packets sent after it
  kReplay         ///< a packet arrives broken; it and all packets behind it are sent again
};
enum class QueueStateKind : std::uint8_t { kIdle, kReady, kRunning, kParked, kSuspended };
enum class ThreadStateKind : std::uint8_t { kReady, kRunning, kBlocked, kFinished };
/// Payload of a doorbell between GPUs.
enum class PeerScan : std::uint8_t { kAll, kFence, kQueues };

/// A packet of a queue on an engine.
struct QueuePacket {
  QueueId queue;
  std::uint64_t opcode;  ///< abi::Opcode
  std::uint64_t cookie;
  EngineId engine;
  FENCELINE_FIELDS(queue, opcode, cookie, engine)
};
/// A queue starts a packet.
struct PacketBegin : QueuePacket {
  static constexpr Words kWords{"packet_begin", kPlain,
                                "{queue} begins a {opcode:opcode} packet on {engine}"};
};
/// A queue ends a packet.
struct PacketEnd : QueuePacket {
  static constexpr Words kWords{"packet_end", kAdvances,
                                "{queue} ends a {opcode:opcode} packet on {engine}"};
};
/// A packet names a destroyed fence.
struct StalePacket {
  QueueId queue;
  std::uint64_t value;
  Part<1, bool> executed;  ///< the device executes it
  Part<1, bool> wait;      ///< it is a WAIT
  FenceId fence;           ///< fence now in the slot; 0: none
  FENCELINE_FIELDS(queue, value, executed, wait, fence)
  static constexpr Words kWords{"stale_packet", kStory | kOrdered,
                                "{queue} comes to a packet of a fence that was destroyed"};
};
/// A queue changes its state.
struct QueueState {
  QueueId queue;
  QueueStateKind state;
  FENCELINE_FIELDS(queue, state)
  static constexpr Words kWords{"queue_state", kPlain,
                                "{queue} is {state|idle|ready|running|parked|suspended}"};
};
/// A TLP crossed a link.
struct PcieTransfer {
  LinkId link;     ///< one direction of the link
  Part<32> bytes;  ///< payload bytes
  Part<32, TlpKind> kind;
  std::uint64_t start;     ///< [ps]
  std::uint64_t duration;  ///< [ps]
  FENCELINE_FIELDS(link, bytes, kind, start, duration)
  static constexpr Words kWords{
      "pcie_transfer", kPlain,
      "{link}: {kind|posted write|read request|completion|MSI-X write} of {bytes} bytes"};
};
/// A link fault of the scenario occurs.
struct LinkFault {
  LinkId link;
  LinkFaultKind kind;
  Part<32> number{};      ///< of the message or packet on its direction, from 1
  Part<32> fault{};       ///< its place in the scenario's faults, from 1; 0: in no scenario
  std::uint64_t begin{};  ///< [ps] the message or packet enters the wire
  FENCELINE_FIELDS(link, kind, number, fault, begin)
  static constexpr Words kWords{"link_fault", kStory | kExplains,
                                "{link}: {kind|a message is lost|a message is sent twice|a message "
                                "is late|a packet is sent again} (number {number})"};
};
/// A hang of the scenario occurs on the engine.
struct EngineFault {
  QueueId queue;
  std::uint64_t engine;  ///< from 0
  AdapterId adapter;
  std::uint64_t fault = 0;  ///< its place in the scenario's faults, from 1; 0: in no scenario
  FENCELINE_FIELDS(queue, engine, adapter, fault)
  static constexpr Words kWords{"engine_fault", kStory | kExplains, "the engine of {queue} hangs"};
};
/// A fault of the scenario: the engine cannot execute a packet.
struct PacketFault {
  QueueId queue;
  std::uint64_t engine;  ///< from 0
  AdapterId adapter;
  std::uint64_t fault = 0;  ///< its place in the scenario's faults, from 1; 0: in no scenario
  FENCELINE_FIELDS(queue, engine, adapter, fault)
  static constexpr Words kWords{"packet_fault", kStory | kExplains,
                                "the engine of {queue} cannot execute a packet"};
};
/// A core changed its C-state.
struct PowerState {
  CoreId core;
  std::uint64_t state;      ///< 0: C0
  std::uint64_t residency;  ///< [ps] time in the previous state
  std::uint64_t left;       ///< previous state
  FENCELINE_FIELDS(core, state, residency, left)
  static constexpr Words kWords{"power_state", kPlain, "{core} enters {state:c_state}"};
};
/// A thread changes its state.
struct ThreadState {
  ThreadId thread;
  ThreadStateKind state;
  FENCELINE_FIELDS(thread, state)
  static constexpr Words kWords{"thread_state", kPlain,
                                "{thread} is {state|ready|running|blocked|finished}"};
};
/// A user-mode thread begins a step of its program.
struct ThreadStep {
  ThreadId thread;
  std::uint64_t step;
  std::uint64_t iteration = 0;
  FENCELINE_FIELDS(thread, step, iteration)
  static constexpr Words kWords{"thread_step", kAdvances,
                                "{thread} begins step {step}, iteration {iteration}"};
};
/// A user-mode thread ends a step of its program.
struct ThreadStepEnd {
  ThreadId thread;
  FENCELINE_FIELDS(thread)
  static constexpr Words kWords{"thread_step_end", kPlain, "{thread} ends its step"};
};
/// A call that a step makes returns.
struct CallStatus {
  ThreadId thread;
  std::uint64_t status;  ///< NTSTATUS
  FENCELINE_FIELDS(thread, status)
  static constexpr Words kWords{"call_status", kPlain,
                                "a call of {thread} returns {status:status}"};
};
/// A thread comes to a command of its program. The events of its packets follow.
struct ThreadCommand {
  ThreadId thread;
  QueueId queue;  ///< queue or context
  FENCELINE_FIELDS(thread, queue)
  static constexpr Words kWords{"thread_command", kPlain,
                                "{thread} records a command of its program for {queue}"};
};
/// A thread reached a mark of its program.
struct Mark {
  ThreadId thread;
  std::uint64_t label;
  FENCELINE_FIELDS(thread, label)
  static constexpr Words kWords{"mark", kStory | kAdvances,
                                "{thread} reaches the mark {label:label}"};
};
/// A doorbell written by another GPU arrived.
struct PeerDoorbell {
  AdapterId adapter;
  PeerScan scan;
  FenceId fence;         ///< fence that it names; 0: none
  std::uint64_t queues;  ///< queues that look again
  FENCELINE_FIELDS(adapter, scan, fence, queues)
  static constexpr Words kWords{"peer_doorbell", kStory | kExplains,
                                "the doorbell of another GPU arrives at {adapter}; waiting queues "
                                "that look again: {queues}"};
};
/// An engine writes the peer doorbell of another GPU.
struct PeerRung {
  FenceId fence;
  std::uint64_t address;  ///< bus address of the doorbell
  FENCELINE_FIELDS(fence, address)
  static constexpr Words kWords{"peer_rung", kStory,
                                "{agent} rings the peer doorbell at {address:hex} for {fence}"};
};
/// Nothing is left to simulate, and all FIFOs are empty.
struct Quiescent {
  FENCELINE_FIELDS()
  static constexpr Words kWords{"quiescent", kStory, "nothing is left to simulate"};
};
/// The run stopped for another reason, e.g. a time limit.
struct EndOfRun {
  FENCELINE_FIELDS()
  static constexpr Words kWords{"end_of_run", kStory, "the run is stopped"};
};

using WorkEvents =
    List<PacketBegin, PacketEnd, StalePacket, QueueState, PcieTransfer, LinkFault, EngineFault,
         PacketFault, PowerState, ThreadState, ThreadStep, ThreadStepEnd, CallStatus, ThreadCommand,
         Mark, PeerDoorbell, PeerRung, Quiescent, EndOfRun>;

}  // namespace fenceline::event
