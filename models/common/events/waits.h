#pragma once

#include "models/common/events/event_type.h"

/// Waits by the CPU and by the GPU.
namespace fenceline::event {

/// A waiter entered the list of a fence.
struct WaitAdd {
  FenceId fence;
  std::uint64_t value;
  Serial waiter;  ///< counts over the run from 1
  Part<32, ThreadId> thread;
  Part<8> kind;  ///< 1: any of several fences, 2: all of them
  Part<24> process;
  FENCELINE_FIELDS(fence, value, waiter, thread, kind, process)
  static constexpr Words kWords{"wait_add", kStory | kOrdered | kExplains | kAdvances,
                                "{thread} waits for {fence} to reach {value} (wait {waiter})"};
};
/// A wait of a thread for one fence.
struct ThreadWait {
  FenceId fence;
  std::uint64_t value;
  Serial waiter;  ///< counts over the run from 1
  Part<32, ThreadId> thread;
  FENCELINE_FIELDS(fence, value, waiter, thread)
};
/// The OS found a wait satisfied.
struct WaitRelease : ThreadWait {
  static constexpr Words kWords{
      "wait_release", kStory | kOrdered | kExplains | kAdvances,
      "the OS releases {thread}: {fence} reached {value} (wait {waiter})"};
};
/// The waiting thread (or event) was resumed.
struct WaitDone : ThreadWait {
  static constexpr Words kWords{"wait_done", kStory | kOrdered | kExplains | kAdvances,
                                "{thread} goes on: {fence} reached {value} (wait {waiter})"};
};
/// A wait timed out.
struct WaitTimeout : ThreadWait {
  static constexpr Words kWords{
      "wait_timeout", kStory | kOrdered | kAdvances,
      "{thread} gives up waiting for {fence} to reach {value} (wait {waiter})"};
};
/// The OS ended a wait because the fence was closed.
struct WaitLetGo : ThreadWait {
  static constexpr Words kWords{
      "wait_let_go", kStory | kOrdered | kExplains | kAdvances,
      "the OS ends the wait of {thread}: {fence} was closed (wait {waiter})"};
};
/// A queue reached a wait command.
struct GpuWaitBegin {
  FenceId fence;
  std::uint64_t value;
  QueueId queue;
  FENCELINE_FIELDS(fence, value, skip, queue)
  static constexpr Words kWords{"gpu_wait_begin", kStory | kOrdered | kExplains,
                                "{queue} waits for {fence} to reach {value}"};
};
/// The queue went on the parked list.
struct GpuWaitPark {
  FenceId fence;
  std::uint64_t value;
  QueueId queue;
  FENCELINE_FIELDS(fence, value, skip, queue)
  static constexpr Words kWords{"gpu_wait_park", kStory | kOrdered | kExplains,
                                "{queue} is parked: it has read a value of {fence} below {value}"};
};
/// A wait of a queue is satisfied.
struct GpuWaitUnblock {
  FenceId fence;
  std::uint64_t value;
  std::uint64_t signal;  ///< number of the signal that probably satisfied it; 0: unknown
  QueueId queue;
  FENCELINE_FIELDS(fence, value, signal, queue)
  static constexpr Words kWords{"gpu_wait_unblock", kStory | kOrdered | kExplains | kAdvances,
                                "{queue} goes on: {fence} reached {value}"};
};

/// The command processor looked for queues that wait for a written fence.
struct ParkedScan {
  FenceId fence;
  std::uint64_t queues;  ///< queues that look again
  bool found;            ///< there is one
  AdapterId adapter;
  FENCELINE_FIELDS(fence, queues, found, adapter)
  static constexpr Words kWords{
      "parked_scan", kStory | kExplains,
      "the command processor of {adapter} looks for parked queues that wait for {fence}: "
      "{found|there is none|a queue looks again}"};
};

using WaitEvents = List<WaitAdd, WaitRelease, WaitDone, WaitTimeout, WaitLetGo, GpuWaitBegin,
                        GpuWaitPark, GpuWaitUnblock, ParkedScan>;

}  // namespace fenceline::event
