#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tb/os/contexts/context_queue.h"
#include "tb/os/core/system_options.h"

namespace fenceline::os {

/// State of work that lists allocations.
enum class ListedWork : std::uint8_t {
  kBegins,
  kEnds,
  kDropped,  ///< it never ran: its device is in error
};

/// A node of an adapter and the buffers given to it.
struct ContextNode {
  struct Given {
    UINT id;
    ContextQueue* context;
    ContextQueue::Packet packet;
  };
  Adapter* adapter = nullptr;
  UINT node = 0;
  /// False for the Windows 7 model: the driver is asked too, but its contexts have no state memory.
  /// So a node stops only between buffers, and the parts of a split buffer follow each other.
  bool aware = false;
  UINT next_id = 1;
  std::deque<Given> in_flight;
  UINT last_completed = 0;   ///< id
  UINT last_preemption = 0;  ///< id of the last request
  bool preempting = false;   ///< the request is not acknowledged yet
  /// Time of the request, or when the first entry of in_flight became the first.
  common::Time since = 0;
  std::uint32_t timeouts = 0;  ///< timeouts of the node
  /// Contexts whose state the node may hold: all it was given since it last left a context.
  std::vector<ContextQueue*> held;
  ContextQueue* kept = nullptr;  ///< its next part must come next on the node

  bool holds(const ContextQueue& context) const;
  /// It has nothing to do: no buffer, and no preemption to acknowledge.
  bool idle() const { return in_flight.empty() && !preempting; }
  /// Context of the node's first buffer; null if it has none.
  ContextQueue* runs() const;
  /// The buffer with that id, or the end of in_flight.
  std::deque<Given>::iterator find(UINT id);
};

/// What VidSch knows of the contexts that the OS feeds, and of their nodes. The parts of
/// ContextScheduler share it.
struct ContextTable : common::Hashed {
  ContextTable(Cpu& all, const PreemptionOptions& rules);

  /// Adds a context. In a thread at PASSIVE_LEVEL.
  ContextQueue& create(Adapter& adapter, const std::string& name, UINT node, HANDLE driver_handle);
  /// The node, which is added if it is new. @pre the lock is held
  ContextNode& node_of(const Adapter& adapter, UINT node);
  /// Source: WDDM, D3DKMTSetContextSchedulingPriority. @param priority -7 to 7.
  void set_priority(ContextQueue& context, INT priority);
  std::vector<ContextQueue::Mark> marks(const void* owner) const;
  /// Gives no more buffers of the process to the driver; buffers already there continue.
  void hold(const void* owner);
  void release(const void* owner);
  /// True if the driver has no buffer of the process.
  bool quiet(const void* owner) const;
  /// True if contexts of the adapter have incomplete buffers.
  bool busy(const Adapter& adapter) const;
  /// Its nodes take nothing from now on; false if contexts of it have incomplete buffers.
  bool leave_d0(const Adapter& adapter);
  /// The adapter is in D0 again.
  void enter_d0(const Adapter& adapter);
  /// True if the adapter is in D3 or on the way there or back.
  bool sleeps(const Adapter& adapter) const;
  /// Must be called without locks. Lets the core's pending DPCs run before the next locked section.
  void pause() const;
  /// Emits a step of the recovery of the node.
  void report(const ContextNode& node, event::RecoveryStage stage, std::uint64_t id) const;
  std::uint64_t state_hash() const override;

  Cpu& cpu;
  const PreemptionOptions preemption;
  SpinLock lock;     ///< guards queues and nodes
  KernelEvent work;  ///< set when the thread of VidSch may have work
  /// Adapter between the begin of its reset and its restart; null: none. Its nodes take nothing,
  /// because the restart drops what the device has until then.
  const Adapter* resetting = nullptr;
  std::vector<const Adapter*> asleep;  ///< adapters that have left D0
  std::vector<std::unique_ptr<ContextQueue>> contexts;
  std::vector<std::unique_ptr<ContextNode>> nodes;
  std::vector<const ContextQueue*> faulted;  ///< contexts whose devices must be put in error
  bool faults = false;                       ///< `faulted` was not empty at the last check
  bool timer_fired = false;                  ///< while exploring: a timeout is due now
  bool recovered = false;                    ///< a timeout was explored; no more follow
  std::uint32_t quanta = 0;                  ///< number of quanta that have ended, while exploring
  /// Puts the adapter in D0. Called at PASSIVE_LEVEL when one that sleeps has got a buffer.
  std::function<void(const Adapter&)> wake;
  /// Called at DISPATCH_LEVEL when a buffer of the adapter is complete.
  std::function<void(const Adapter&)> on_completed;
  /// Called at PASSIVE_LEVEL before a buffer with an allocation list is given to the driver, and
  /// when its work is over. Unset: buffers list nothing.
  std::function<void(const Adapter&, const std::vector<Allocation*>&, ListedWork)> on_listed;
};

}  // namespace fenceline::os
