#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/generate/clock.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

// The objects of a scenario, with what the plan notes about each.

/// A signal that has been planned.
struct Signal {
  std::uint64_t value;
  Clock over;   ///< actions that are over once the fence has the value
  Clock needs;  ///< actions without which the fence does not get it; some may go on after that
};

/// A fence as one process has it.
struct FenceHandle {
  std::string name;
  bool monitored = false;
  bool may_signal = true;
  bool may_wait = true;
  bool gpu_access = true;

  /// Calls treat both in the same way.
  bool same_kind(const FenceHandle& other) const {
    return monitored == other.monitored && may_signal == other.may_signal &&
           may_wait == other.may_wait && gpu_access == other.gpu_access;
  }
};

/// A fence, for all processes that have it.
struct FencePlan {
  std::map<std::size_t, FenceHandle> names;  ///< by the index of the process that has it open
  std::set<std::size_t> opened;              ///< processes that have, or had, it open
  bool cross_adapter = false;
  bool kept = false;             ///< no process closes it: agents may have no other to tell others
  bool traced = false;           ///< only queues and contexts use it
  bool signalled_by_os = false;  ///< a progress fence: no command signals it
  bool ends_waits_last = false;  ///< only the last close ends waits of threads
  std::uint64_t value = 0;       ///< after all signals so far
  Event made;                    ///< its creation; index 0: before the start
  Event last;                    ///< the last signal
  std::vector<Signal> signals;   ///< their values grow
  Clock used;                    ///< the last action of each agent with it
  Clock waited;                  ///< the last wait of each agent for it

  /// True if a wait of the process for kNever is legal: values of a monitored fence may have to be
  /// near each other. @pre the process has the fence.
  bool may_never_reach(std::size_t process) const {
    return !names.at(process).monitored && !cross_adapter;
  }
};

/// Offset of a word in an allocation of `bytes`: often one of the first, which others use too.
std::uint64_t drawn_offset(Draw& draw, std::uint64_t bytes);

/// An allocation.
struct MemoryPlan {
  std::size_t process = 0;
  std::string name;
  std::uint64_t bytes = 0;
  Event written;
  Clock read;
  bool settled = true;  ///< the writer has had a barrier since
  // One that the memory manager moves:
  bool managed = false;
  bool lockable = false;          ///< a lock succeeds wherever it is
  bool shown_in_vram = false;     ///< it is in VRAM only, and the CPU sees it there
  bool too_large = false;         ///< it has no room where it has to be
  bool resident = true;           ///< work may use it
  bool gone = false;              ///< destroyed
  Event residency;                ///< the last call for it; index 0: its creation at the start
  std::optional<AgentId> locker;  ///< the thread that has it locked or mapped
  Event lock;                     ///< the last call for that
  bool mapped = false;            ///< by the locker
  bool writable = true;           ///< by the locker
  // One that stays in its place:
  bool in_vram = false;
};

/// An event that a step of the plan has set by the time that the plan has reached.
struct PendingEvent {
  std::size_t process = 0;
  std::string name;
  Clock over;   ///< actions that are over once it is set
  Clock needs;  ///< actions without which it is not set
  Clock after;  ///< the call that clears the event of a used name: a waiter comes after it
  /// Fences with values: a wait for all of them sets the event.
  std::vector<std::pair<std::size_t, std::uint64_t>> points;

  bool waits_for(std::size_t fence) const {
    return std::any_of(points.begin(), points.end(),
                       [fence](const auto& point) { return point.first == fence; });
  }
};

/// An event that was waited for, and that nobody uses now.
struct FreeEvent {
  std::size_t process = 0;
  std::string name;
  Clock used;  ///< the wait for it
};

/// A CPU event, which the driver signals.
struct CpuEventPlan {
  std::size_t process = 0;
  std::string name;
  std::string event;    ///< that the driver sets
  Clock calls;          ///< the last one of each agent, and waits for its event
  bool used = false;    ///< the driver knows when to signal it
  bool waited = false;  ///< its event is set, or never will be
};

/// The name of a fence that its process has closed.
struct ClosedName {
  std::size_t process = 0;
  FenceHandle handle;
  Clock used;  ///< the close, and the last action of each agent with the name since
};

/// A step or command that puts devices in error. What their queues still have to do may be lost.
/// Their fences count as signalled afterwards, so waits for them tell nothing any more.
struct DeviceErrors {
  std::set<std::size_t> processes;  ///< whose devices will be in error, or may be
  // At most one of these two; none: a step fails the device of one process.
  std::optional<std::string> engine;  ///< that is reset, or has a fault
  std::optional<AgentId> faulty;      ///< context that gets a packet which no engine executes
  std::optional<scenario::FaultKind> fault;  ///< of `engine`; none: a step resets it
  bool planned = false;                      ///< the plan has the step or command

  bool hit(std::size_t process) const { return processes.count(process) != 0; }
};

/// Images of one process on the display of its adapter, which one thread presents.
struct DisplayPlan {
  std::size_t process = 0;
  AgentId thread = 0;
  AgentId context = 0;  ///< that draws
  std::vector<std::string> images;
  std::uint64_t presents = 0;  ///< so far
};

}  // namespace fenceline::generate
