#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tb/os/core/system_options.h"
#include "tb/os/driver/adapter_resets.h"
#include "tb/os/objects/monitored_fences.h"
#include "tb/os/vidsch/fence_scheduler.h"
#include "tb/os/vidsch/patched_buffer.h"

namespace fenceline::os {

struct Allocation;

/// What becomes of work that lists allocations.
enum class ListedWork : std::uint8_t {
  kBegins,
  kEnds,
  kDropped,  ///< it never ran: its device is in error
};

/// A context fed by the OS: what its user has put in, in order, and the GPU has not been given yet.
struct ContextQueue {
  /// One wait of the queue. It owns its waiter, which leaves the fence when the packet ends.
  struct HeldWait {
    MonitoredFences::Point point;
    std::shared_ptr<NativeFence> native;  ///< that it waits for in the place of point.fence
    Waiter waiter{};
    bool registered = false;

    const Fence& fence() const {
      return native != nullptr ? static_cast<const Fence&>(*native) : *point.fence;
    }
  };
  struct Packet {
    enum class Kind : std::uint8_t { kBuffer, kWait, kSignal };
    Kind kind = Kind::kBuffer;
    D3DGPU_VIRTUAL_ADDRESS address = 0;  ///< of a buffer
    UINT bytes = 0;
    std::vector<Allocation*> listed;             ///< that the buffer uses, as far as the OS knows
    std::vector<MonitoredFences::Point> points;  ///< of a signal
    std::vector<FenceScheduler::Point> natives;  ///< the same, of native fences
    std::unique_ptr<HeldWait> wait;
    std::uint64_t number = 0;  ///< of a buffer in its context, from 1
    UINT id = 0;               ///< that it had when it was preempted, 0: it was not
    bool leaves = false;       ///< no buffer: the node is to leave the context
    bool flips = false;        ///< of a buffer that DxgkDdiPresent has written
    std::shared_ptr<const PatchedPart> part{};  ///< of a buffer that takes addresses, else null
    /// Of a buffer.
    Packet copy() const {
      Packet result;
      result.address = address;
      result.bytes = bytes;
      result.listed = listed;
      result.number = number;
      result.id = id;
      result.leaves = leaves;
      result.flips = flips;
      result.part = part;
      return result;
    }
  };

  ContextQueue(common::Steps& steps, Adapter& on) : adapter(on), room(steps), left(steps) {}

  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kQueue
  Adapter& adapter;
  HANDLE driver_handle = nullptr;
  UINT node = 0;
  std::deque<Packet> packets;
  std::deque<Packet> preempted;  ///< come before `packets`
  std::deque<Packet> passed;     ///< waits that hold nobody up, without os.hold_gpu_waits
  std::size_t buffers = 0;       ///< not complete yet
  UINT last_id = 0;              ///< last buffer given to the driver
  const void* owner = nullptr;   ///< process that it belongs to
  std::uint32_t process = 0;     ///< ObjectKind::kProcess of that
  bool paging = false;           ///< its buffers are paging buffers
  INT priority = 0;              ///< -7 to 7; higher ones preempt
  /// Context allocations that VidMm moves: its own and those of its device. Empty: they stay.
  std::vector<Allocation*> states;
  bool state_asked = false;  ///< VidMm is asked to bring those back that the GPU does not reach
  bool leaving = false;      ///< its node is to leave it
  bool leave_given = false;  ///< and has been given the buffer that has it do so
  bool ended = false;        ///< its device is in error: nothing of it counts any more
  /// Who queues the parts of one buffer, which nobody else's come between; 0: nobody.
  common::AgentId sender = 0;
  // Not part of the state: they count over the run, and `buffers` is their difference.
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint32_t in_flight = 0;  ///< buffers at the driver
  /// Of the buffers at the driver, in order; and how many of those are complete.
  std::deque<std::vector<Allocation*>> lists;
  std::size_t lists_done = 0;
  std::uint64_t turn = 0;      ///< contexts of one priority are served by it, lowest first
  std::uint64_t numbered = 0;  ///< buffers so far
  std::uint32_t holds = 0;     ///< above 0: no more are given to it
  KernelEvent room;            ///< set when a buffer of it has been completed
  KernelEvent left;            ///< set when its node has left it
};

/// VidSch's queues of contexts, in front of nodes that cannot wait for fences themselves.
///
/// A thread of its own at PASSIVE_LEVEL takes the packet at the head of each queue: a buffer is
/// given to the driver (DxgkDdiSubmitCommandVirtual) while the node has fewer than kInFlight; a
/// wait stays at the head until the fence has the value; a signal is made once the buffers before
/// it are complete. Source: WDDM, context monitoring: GPU wait.
///
/// With PreemptionOptions::enabled it also preempts: for a context of higher priority, at the end
/// of a quantum if others of the same priority wait, and where a buffer takes longer than TdrDelay.
/// What was preempted goes back to the front of its context. A preemption that is not acknowledged
/// within TdrDelay is a timeout: the node is reset, or the adapter. context_preemption.cpp.
/// Source: WDDM, GPU preemption, timeout detection and recovery.
class ContextScheduler : public common::Hashed {
 public:
  static constexpr std::size_t kInFlight = 2;     ///< buffers of a node at the driver; A-231
  static constexpr std::uint32_t kMaxQuanta = 2;  ///< that end in one run that is explored
  static constexpr std::size_t kMaxQueued = 8;    ///< buffers of a context, then its thread blocks

  ContextScheduler(Cpu& cpu, MonitoredFences& fences, const OsOrdering& ordering,
                   const PreemptionOptions& preemption, AdapterResets& resets);

  ContextQueue& create(Adapter& adapter, const std::string& name, UINT node, HANDLE driver_handle);

  // Calls of threads at PASSIVE_LEVEL.
  /// Source: WDDM, D3DKMTSetContextSchedulingPriority. @param priority -7 to 7.
  void set_priority(ContextQueue& context, INT priority);
  /// On return no node holds state of the context: it is in memory. The context must be held, and
  /// have no buffers at the driver. Its node gets a zero-length buffer in front of what waits for
  /// it, whatever the context has queued itself.
  /// Source: WDDM, DXGK_SUBMITCOMMANDFLAGS.ContextSwitch.
  void leave(ContextQueue& context);
  /// VidMm has done what on_state_needed asked for.
  void state_returned(ContextQueue& context);
  /// Blocks while the context has kMaxQueued buffers. STATUS_DEVICE_REMOVED where its device is in
  /// error: nothing is queued then. Several threads may submit to one context.
  NTSTATUS submit(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes,
                  std::vector<Allocation*> listed = {});
  /// The same for a buffer that DxgkDdiPresent has written.
  NTSTATUS submit_flip(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes);
  /// The same for a part of a buffer that takes addresses. From the first part to the last one
  /// other threads that submit to the context block.
  NTSTATUS submit(ContextQueue& context, std::shared_ptr<const PatchedPart> part);
  /// The current thread is going to submit all parts of a buffer to each of these contexts.
  void reserve(std::vector<ContextQueue*> contexts);
  void wait(ContextQueue& context, const MonitoredFences::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<MonitoredFences::Point> points);
  /// The same for native fences.
  void wait(ContextQueue& context, const FenceScheduler::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<FenceScheduler::Point> points);
  /// Who keeps the waiters of a native fence.
  std::function<FenceScheduler&(const NativeFence&)> scheduler_of;

  /// Processes whose buffers are complete now; null stands for the OS.
  using Owners = std::vector<const void*>;
  /// The driver has reported a buffer. At DISPATCH_LEVEL. Bug check for an id never given out.
  Owners completed(Adapter& adapter, UINT node, UINT id);
  /// The driver has reported that a buffer was given up: what the node was given before it is
  /// complete, the device that it belongs to is in error. At DISPATCH_LEVEL. Bug check for an id
  /// that the node does not have, and for a paging buffer.
  /// Source: WDDM, DXGK_INTERRUPT_DMA_FAULTED, DXGK_INTERRUPT_DMA_PAGE_FAULTED.
  Owners faulted(Adapter& adapter, UINT node, UINT id);
  /// The driver has reported a preemption: buffers behind `last` come back to their contexts. At
  /// DISPATCH_LEVEL. Bug check for an id that is not that of the request.
  void preempted(Adapter& adapter, UINT node, UINT id, UINT last);
  /// What any node of the adapter was given is lost. Stops the machine where that has happened too
  /// often, or does not help. At PASSIVE_LEVEL.
  void reset_adapter(Adapter& adapter);
  /// The body of its thread.
  void run();

  /// Called at DISPATCH_LEVEL when a buffer of the adapter is complete.
  std::function<void(const Adapter&)> on_completed;
  /// Called at PASSIVE_LEVEL before the work of a buffer that lists allocations, and when that is
  /// over.
  /// Unset: buffers list nothing.
  std::function<void(const Adapter&, const std::vector<Allocation*>&, ListedWork)> on_listed;
  /// Called at PASSIVE_LEVEL in its thread: the state of a context is to be brought back.
  std::function<void(ContextQueue&)> on_state_needed;
  /// Called at PASSIVE_LEVEL: the device of the process is in error.
  std::function<void(const void* owner)> on_aborted;
  /// Called at PASSIVE_LEVEL: paging buffers of the adapter were lost in its reset.
  std::function<void(Adapter&)> on_paging_lost;
  /// Called at PASSIVE_LEVEL in its thread: the adapter works again after a reset.
  std::function<void(Adapter&)> on_restarted;
  /// Called at PASSIVE_LEVEL in its thread: the process of the context has hung engines too often.
  std::function<void(const ContextQueue&)> on_blocked;
  /// Another thread may reset nodes too.
  bool resets_others = false;
  /// What a process has submitted to its contexts so far.
  struct Mark {
    const ContextQueue* context;
    std::uint64_t submitted;
    /// What a reset has ended is over too.
    bool passed() const {
      return context->completed >= submitted || (context->ended && context->in_flight == 0);
    }
  };
  std::vector<Mark> marks(const void* owner) const;
  /// No buffer of the process's contexts is given to the driver from now on; those there go on.
  void hold(const void* owner);
  void release(const void* owner);
  /// The driver has no buffer of the process.
  bool quiet(const void* owner) const;
  /// Memory of the process was lost: its device is in error. At PASSIVE_LEVEL.
  void lose_memory(Adapter& adapter, const void* owner, std::uint32_t process);

  /// The device of the process is in error: of all its contexts only what the driver has goes on.
  /// At PASSIVE_LEVEL.
  void end(const Adapter& adapter, const void* owner);

  /// A context of the adapter has buffers that are not complete.
  bool busy(const Adapter& adapter) const;
  const std::vector<std::unique_ptr<ContextQueue>>& contexts() const { return contexts_; }
  std::uint64_t state_hash() const override;

 private:
  /// What one node of an adapter has been given.
  struct Node {
    struct Given {
      UINT id;
      ContextQueue* context;
      ContextQueue::Packet packet;
    };
    Adapter* adapter = nullptr;
    UINT node = 0;
    UINT next_id = 1;
    std::deque<Given> in_flight;
    UINT last_completed = 0;     ///< id
    UINT last_preemption = 0;    ///< id of the last request
    bool preempting = false;     ///< it is not acknowledged yet
    common::Time since = 0;      ///< when it was made, or when the first of in_flight became so
    std::uint32_t timeouts = 0;  ///< of the node
    /// Whose state the node may hold: those it was given since it left a context last.
    std::vector<ContextQueue*> held;
    ContextQueue* kept = nullptr;  ///< whose part comes next, whatever else there is
    bool holds(const ContextQueue& context) const;
    /// Context of the first buffer that it has; null if it has none.
    ContextQueue* runs() const;
  };

  bool put(ContextQueue& context, ContextQueue::Packet& packet);
  NTSTATUS put_buffer(ContextQueue& context, ContextQueue::Packet packet);
  bool has_room(const ContextQueue& context) const;
  template <typename Free>
  void wait_until_free(ContextQueue& context, Free&& free);
  Node& node_of(const Adapter& adapter, UINT node);
  bool go_on(const std::vector<ContextQueue*>& contexts, bool more);
  /// Nothing is held here: what the core's interrupts leave to be done may come before the next
  /// section under a lock, whatever was decided in the last one.
  void pause();
  bool go_on(ContextQueue& context);
  bool run_head(ContextQueue& context);
  static bool state_there(const ContextQueue& context);
  bool has_state(ContextQueue& context) const;
  bool run_buffer(ContextQueue& context, const ContextQueue::Packet& packet);
  bool run_leave(ContextQueue& context);
  DXGKARG_SUBMITCOMMANDVIRTUAL reserve(Node& node, ContextQueue& context,
                                       const ContextQueue::Packet& packet);
  void give(ContextQueue& context, const ContextQueue::Packet& packet,
            const DXGKARG_SUBMITCOMMANDVIRTUAL& args);
  bool drop_packets(ContextQueue& context);
  bool end_lists(ContextQueue& context);
  void put_wait(ContextQueue& context, std::unique_ptr<ContextQueue::HeldWait> wait,
                std::uint32_t number);
  void give_up_wait(const ContextQueue::Packet& packet) const;
  bool run_wait(const ContextQueue& context, ContextQueue::HeldWait& wait);
  bool run_signal(ContextQueue& context, const ContextQueue::Packet& packet);
  void unblocked(const ContextQueue& context, const ContextQueue::HeldWait& wait);
  bool clear_passed(ContextQueue& context);
  UINT give_id(Node& node, const ContextQueue& context, const ContextQueue::Packet& packet,
               DXGK_SUBMITCOMMANDFLAGS& flags) const;
  // context_parts.cpp
  static bool kept_for_another(const Node& node, const ContextQueue& context);
  static void keep(Node& node, ContextQueue& context, const ContextQueue::Packet& packet);
  void announce(const ContextQueue& context, const PatchedPart& part, UINT id) const;
  void give_part(const ContextQueue& context, const PatchedPart& part, UINT id,
                 DXGK_SUBMITCOMMANDFLAGS flags);
  // context_preemption.cpp
  std::vector<ContextQueue*> by_rank() const;
  static int rank(const ContextQueue& context);
  static bool is_aware(const Node& node);
  bool may_ask(const Node& node) const;
  bool not_asked(const Node& node) const;
  bool wants_node(const ContextQueue& context, const Node& node) const;
  bool must_preempt(const ContextQueue& context, const Node& node) const;
  bool has_to_stop(const Node& node) const;
  bool should_preempt(const Node& node) const;
  bool watch_nodes();
  void preempt(Node& node);
  void take_back(Node& node, bool resubmit);
  Owners complete_through(Node& node, UINT id);
  static void has_left(Node& node, ContextQueue& context);
  void count_complete(ContextQueue& context) const;
  bool next_deadline(common::Time& limit) const;
  void recover(Node& node);
  bool reset_engine(Node& node);
  std::vector<Node*> dependents(const Node& node);
  void preempt_dependents(const std::vector<Node*>& nodes);
  bool reset_node(Node& node);
  void count_timeout(const ContextQueue& lost);
  void abort(Node& node, std::size_t count);
  void end_device(const Adapter& adapter, const void* owner);
  bool end_faulted();
  void refused(ContextQueue& context, UINT id);
  void report_limits() const;
  void report(const Node& node, event::RecoveryStage stage, std::uint64_t id) const;

  Cpu& cpu_;
  MonitoredFences& fences_;
  const OsOrdering ordering_;
  const PreemptionOptions preemption_;
  AdapterResets& resets_;
  /// Process, and when a node was reset over a buffer of it.
  bool timer_fired_ = false;                  ///< while exploring: a timeout is due now
  bool recovered_ = false;                    ///< there was one; more are not explored
  std::vector<const ContextQueue*> faulted_;  ///< whose devices are to be put in error
  bool faults_ = false;                       ///< there are some, as of the last look
  std::uint64_t turns_ = 0;                   ///< quanta that have ended
  std::uint32_t quanta_ = 0;                  ///< that have ended while exploring
  SpinLock lock_;                             ///< guards queues and nodes
  KernelEvent work_;
  std::vector<std::unique_ptr<ContextQueue>> contexts_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace fenceline::os
