#pragma once

#include "models/common/events/event_type.h"

/// Hardware contexts, scheduled by hardware.
namespace fenceline::event {

/// A queue belongs to a hardware context.
struct ScheduledQueue {
  QueueId queue;
  std::uint64_t context;  ///< number in the run
  AdapterId adapter;
  Part<8> engine;                 ///< from 1
  Part<1, bool> runs_to_its_end;  ///< the queue keeps the engine while it has packets
  FENCELINE_FIELDS(queue, context, adapter, engine, runs_to_its_end)
  static constexpr Words kWords{"scheduled_queue", kPlain,
                                "{queue} belongs to hardware context {context}"};
};
/// DxgkDdiSetContextSchedulingProperties returned.
struct ContextRank {
  AdapterId adapter;
  std::uint64_t context;
  Part<8> band;
  Part<8> level;        ///< realtime level
  Part<16> in_process;  ///< priority in the process, plus 7
  Part<32> process;
  Part<56> grace;  ///< [100 ns] grace period for lower priorities
  Part<8> engine;  ///< from 1
  FENCELINE_FIELDS(adapter, context, band, level, in_process, process, grace, engine)
  static constexpr Words kWords{
      "context_rank", kStory,
      "the driver of {adapter} is told the priority of hardware context {context}"};
};
/// The command processor has a new priority of the context of a queue.
struct ContextRankTaken {
  QueueId queue;
  Part<8> band;
  Part<8> level;        ///< realtime level
  Part<16> in_process;  ///< priority in the process, plus 7
  FENCELINE_FIELDS(queue, band, level, in_process)
  static constexpr Words kWords{"context_rank_taken", kPlain,
                                "the device has the priority of the context of {queue}"};
};
/// DxgkDdiSetupPriorityBands returned.
struct BandGrace {
  AdapterId adapter;
  std::uint64_t band;
  std::uint64_t grace;  ///< [100 ns]
  FENCELINE_FIELDS(adapter, band, grace)
  static constexpr Words kWords{"band_grace", kPlain,
                                "the driver of {adapter} is told the grace period of band {band}"};
};
/// DxgkDdiSuspendContext is called.
struct SuspendCall {
  AdapterId adapter;
  std::uint64_t context;
  std::uint64_t fence;  ///< value
  FENCELINE_FIELDS(adapter, context, fence)
  static constexpr Words kWords{
      "suspend_call", kStory,
      "the OS suspends hardware context {context} of {adapter} with fence {fence}"};
};
/// DxgkDdiSuspendContext returned.
struct SuspendReturn {
  AdapterId adapter;
  std::uint64_t context;
  std::uint64_t fence;
  std::uint64_t status;  ///< NTSTATUS
  FENCELINE_FIELDS(adapter, context, fence, status)
  static constexpr Words kWords{
      "suspend_return", kPlain,
      "the call that suspends hardware context {context} of {adapter} returns"};
};
/// The OS was notified of a suspension.
struct ContextSuspended {
  AdapterId adapter;
  std::uint64_t context;
  std::uint64_t fence;
  bool counts;  ///< 0: ignored as stale
  FENCELINE_FIELDS(adapter, context, fence, counts)
  static constexpr Words kWords{
      "context_suspended", kStory,
      "{adapter} has acknowledged fence {fence} for hardware context {context}"};
};
/// DxgkDdiResumeContext is called.
struct ResumeCall {
  AdapterId adapter;
  std::uint64_t context;
  FENCELINE_FIELDS(adapter, context)
  static constexpr Words kWords{"resume_call", kStory,
                                "the OS resumes hardware context {context} of {adapter}"};
};
/// A front end read packets.
struct RingFetched {
  QueueId queue;
  std::uint64_t address;
  std::uint64_t bytes;
  FENCELINE_FIELDS(queue, address, bytes)
  static constexpr Words kWords{"ring_fetched", kPlain,
                                "{queue} has {bytes} bytes of packets read at {address:hex}"};
};
/// DxgkDdiResetHwEngine returned, or the engine resumes.
struct HwEngineReset {
  AdapterId adapter;
  bool reset;            ///< 0: the engine resumes
  std::uint64_t status;  ///< NTSTATUS
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, reset, status, engine)
  static constexpr Words kWords{"hw_engine_reset", kStory | kAdvances,
                                "engine {engine} of {adapter} {reset|goes on|is reset}"};
};
/// DxgkCbInvalidateHwContext is called.
struct ContextLost {
  AdapterId adapter;
  std::uint64_t context;
  std::uint64_t flags;
  std::uint64_t process;
  FENCELINE_FIELDS(adapter, context, flags, process)
  static constexpr Words kWords{"context_lost", kStory | kAdvances,
                                "hardware context {context} of {adapter} is lost"};
};
/// A hang of the queue must be detected and ended.
struct QueueGuarded {
  QueueId queue;
  Part<32> context;  ///< number in the run
  Part<32, AdapterId> adapter;
  ProcessId process;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(queue, context, adapter, process, engine)
  static constexpr Words kWords{"queue_guarded", kPlain, "a hang of {queue} would be found"};
};
/// The device detected a hang.
struct EngineTimedOut {
  QueueId queue;
  AdapterId adapter;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(queue, adapter, skip, engine)
  static constexpr Words kWords{"engine_timed_out", kStory | kAdvances,
                                "the device takes {queue} for hung"};
};
/// A reset dropped work of a queue.
struct WorkDropped {
  QueueId queue;
  AdapterId adapter;
  bool driver;           ///< 1: a ring of the driver
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(queue, adapter, driver, engine)
  static constexpr Words kWords{"work_dropped", kStory | kAdvances,
                                "a reset throws work of {queue} away"};
};

using SchedulingEvents =
    List<ScheduledQueue, ContextRank, ContextRankTaken, BandGrace, SuspendCall, SuspendReturn,
         ContextSuspended, ResumeCall, RingFetched, HwEngineReset, ContextLost, QueueGuarded,
         EngineTimedOut, WorkDropped>;

}  // namespace fenceline::event
