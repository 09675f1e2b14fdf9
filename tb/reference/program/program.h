#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/abi/mutant.h"

namespace fenceline::reference {

/// Index of a lane, fence, handle, queue or allocation in the vectors of `Program`.
using Id = std::uint32_t;

/// One operation, by its lane and its place in it.
struct Ref {
  Id lane = 0;
  Id op = 0;
};
inline bool operator==(Ref one, Ref other) { return one.lane == other.lane && one.op == other.op; }

/// A fence with a value, by the handle of a process.
struct Point {
  Id handle = 0;
  std::uint64_t value = 0;
};

/// Bytes of an allocation that an operation writes.
struct Write {
  enum class Kind : std::uint8_t { kValue, kCopy, kUnknown };
  Kind kind = Kind::kUnknown;
  Id allocation = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t value = 0;    ///< kValue
  Id source = 0;              ///< kCopy: the bytes come from the same offsets of this allocation
  bool by_cpu = false;        ///< a store, which may stay in its core for a time
  std::optional<Id> there{};  ///< then: operation of its lane after which all see it; none: its end
};

/// 64 bits of an allocation that a thread loads.
struct Load {
  Id allocation = 0;
  std::uint64_t offset = 0;
};

/// What a call does when the device of its process is in error.
enum class OnError : std::uint8_t {
  kNothing,  ///< it goes on
  kRemoved,  ///< it returns STATUS_DEVICE_REMOVED
  kUnknown,  ///< its status is not judged
  kRefused   ///< the object that it is for may not be there: nothing is said about the scenario
};

/// An operation: it waits, then it takes effect.
struct Op {
  std::string pointer;         ///< JSON pointer of the step or command
  std::optional<Ref> origin;   ///< step that must have begun before
  std::vector<Point> waits;    ///< all of them, or any
  std::vector<Point> signals;  ///< effects, in no order if there are several
  std::vector<Id> closes;      ///< handles
  std::vector<Id> names;       ///< more handles that the call has to know
  std::vector<Id> gives_up;    ///< fences, which may count as signalled for every value afterwards
  std::vector<Write> writes;
  std::optional<Load> load;
  std::vector<Id> uses;               ///< managed allocations that have to be resident
  std::vector<Id> touches;            ///< managed allocations that have to exist
  std::optional<Id> maps;             ///< allocation for whose submissions it waits
  std::optional<Id> unmaps;           ///< allocation whose map it ends
  std::vector<std::string> statuses;  ///< of its call; empty: not judged
  std::optional<Ref> last_command;    ///< a submission: the last command that it adds to a lane
  std::uint64_t room = 0;  ///< room of the queue that is taken when this command is recorded
  OnError on_error = OnError::kNothing;
  bool any = false;              ///< one of `waits` is enough
  bool may_time_out = false;     ///< it ends without `waits`, too
  bool counted = true;           ///< it has a place in Progress
  bool faulty = false;           ///< a packet for which its node gives up the buffer, or behind it
  bool holds_node = false;       ///< nothing else runs on the node of a context while it waits
  bool awaits_contexts = false;  ///< it waits for submissions to the contexts of its process
  bool polls = false;            ///< it reads CurrentValue, whatever the OS knows of the fence
};

/// Operations of one agent in one queue, in order. A queue with several submitters has a lane for
/// each, because the order of their submissions is not fixed.
struct Lane {
  enum class Kind : std::uint8_t { kThread, kQueue, kHelper };
  Kind kind = Kind::kThread;
  std::string name;         ///< of its thread or queue; empty: a helper
  std::string submitter;    ///< kQueue: name of a thread, or JSON pointer of a program
  std::optional<Id> queue;  ///< kQueue: index in Program::queues
  Id process = 0;
  std::vector<Op> ops;
};

/// A hardware queue or context.
struct Queue {
  std::string name;  ///< "process/queue"
  Id process = 0;
  std::string engine;               ///< "adapter/engine"
  std::optional<std::string> node;  ///< of a context: its node, which it shares with others
  std::uint64_t room = 0;           ///< bytes of a ring, buffers of a context
  std::optional<Id> progress;       ///< handle of its progress fence
  std::uint64_t submissions = 0;
  bool writes_fences = false;  ///< a context: its engine writes monitored fences
  int priority = 0;            ///< of a context
  bool leaves_waits = false;   ///< a context: it is preempted at the end of its quantum
  std::vector<Id> lanes;
};

/// A step or command that puts the device of a process in error. Some of its work may be lost, and
/// fences that the device may signal count as signalled for every value from then on. Source:
/// background/preemption.md, timeouts.
struct Failure {
  Ref step;
  Id process = 0;
  bool always = false;  ///< false: only if some work of the process is at an engine
};

struct Fence {
  std::string name;  ///< "process/fence"; empty: an event
  std::uint64_t initial = 0;
  bool unclear = false;  ///< the reference does not know which object the name is
  bool counts = false;   ///< a progress fence with several submitters: values in no fixed order
  bool cross_adapter = false;
  bool waits_for_last_close = false;  ///< UnwaitCpuWaitersOnlyOnDestroy
  bool keeps_value = false;           ///< no device in error changes it
  std::vector<Id> handles;
  std::optional<Ref> created;     ///< by a step
  std::vector<Failure> given_up;  ///< after which it counts as signalled, always or maybe
};

/// A fence that a process has open.
struct Handle {
  Id fence = 0;
  std::optional<Id> process;  ///< none: of an event
  bool declared = false;      ///< it is there from the start
  bool monitored = false;
  bool may_signal = true;
  bool may_wait = true;
  bool gpu_access = true;
  std::vector<Ref> openers;  ///< steps that create or open it
  std::vector<Ref> closers;  ///< steps that close it
};

/// A call that changes whether work can use an allocation.
struct ResidencyCall {
  enum class Kind : std::uint8_t { kCreate, kMakeResident, kEvict, kDestroy };
  Kind kind = Kind::kCreate;
  Ref step;
  bool resident = false;  ///< afterwards
  bool at_once = false;   ///< it does not wait for queued work that uses the allocation
};

struct Allocation {
  std::string name;          ///< "process/allocation"
  bool resident = false;     ///< a managed one, from the start
  bool may_be_lost = false;  ///< a reset of the adapter loses what moves
  std::uint64_t size = 0;
  std::vector<ResidencyCall> calls;
};

/// A CPU event, which a driver signals: steps that create, use and destroy it, and operations that
/// wait for the event that it sets.
struct CpuEvent {
  std::vector<Ref> creates;
  std::vector<Ref> uses;
  std::vector<Ref> destroys;
  bool of_buffers = false;  ///< signalled by buffers that complete
  Id event = 0;             ///< handle
};

/// A scenario as operations of agents: names resolved, repeats unrolled.
struct Program {
  std::vector<std::string> adapters;  ///< by process
  std::vector<Lane> lanes;
  std::vector<Queue> queues;
  std::vector<Fence> fences;
  std::vector<Handle> handles;
  std::vector<Allocation> allocations;
  std::vector<CpuEvent> cpu_events;
  std::vector<Failure> failures;
  std::uint64_t resets = 0;  ///< of engines, or of their adapters

  const Op& at(Ref ref) const { return lanes[ref.lane].ops[ref.op]; }
  Fence& fence_of(const Point& point) { return fences[handles[point.handle].fence]; }
  const Fence& fence_of(const Point& point) const { return fences[handles[point.handle].fence]; }
  /// The OS makes the signal, in the place of the context. An event has no process.
  bool is_signal_of_os(const Op& op) const {
    return !op.counted && !op.signals.empty() && handles[op.signals.front().handle].process;
  }
  /// The call of a thread with a closed handle fails at once, also if it names other fences. User
  /// mode polls without a call. Source: background/native_fences.md, uses of a closed fence.
  bool may_fail(Ref wait) const {
    return lanes[wait.lane].kind == Lane::Kind::kThread && !at(wait).polls;
  }
  /// Handles that must all be closed to end this wait. Closing its handle ends the wait of a
  /// thread, or the last close does if the fence has that flag; work of a queue ends with the
  /// fence of its adapter. Source: background/native_fences.md, uses of a closed fence.
  std::vector<Id> closes_that_end(Ref wait, const Point& point) const;
};

}  // namespace fenceline::reference
