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

/// State of work that lists allocations.
enum class ListedWork : std::uint8_t {
  kBegins,
  kEnds,
  kDropped,  ///< it never ran: its device is in error
};

/// A context fed by the OS: packets of its user, in order, that are not given to the GPU yet.
struct ContextQueue {
  /// A queued wait. It owns its waiter, which leaves the fence when the packet ends.
  struct HeldWait {
    MonitoredFences::Point point;
    std::shared_ptr<NativeFence> native;  ///< native fence of the wait, used instead of point.fence
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
    std::vector<Allocation*> listed;  ///< allocations that the buffer uses, as far as the OS knows
    std::vector<MonitoredFences::Point> points;  ///< of a signal
    std::vector<FenceScheduler::Point> natives;  ///< of a signal of native fences
    std::unique_ptr<HeldWait> wait;
    std::uint64_t number = 0;                   ///< of a buffer within its context, from 1
    UINT id = 0;                                ///< id before its preemption, 0: not preempted
    bool leaves = false;                        ///< no buffer: it makes the node leave the context
    bool flips = false;                         ///< a buffer written by DxgkDdiPresent
    std::shared_ptr<const PatchedPart> part{};  ///< of a buffer with patch locations, else null
    /// Copy of a buffer packet.
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
  std::deque<Packet> preempted;  ///< served before `packets`
  std::deque<Packet> passed;     ///< without os.hold_gpu_waits: waits that do not block
  std::size_t buffers = 0;       ///< number of buffers that are not complete
  UINT last_id = 0;              ///< last buffer given to the driver
  const void* owner = nullptr;   ///< process that owns it
  std::uint32_t process = 0;     ///< object of that process
  bool paging = false;           ///< its buffers are paging buffers
  INT priority = 0;              ///< -7 to 7; higher ones preempt
  /// Context allocations that VidMm can move: those of the context and of its device. Empty: none
  /// move.
  std::vector<Allocation*> states;
  bool state_asked = false;  ///< VidMm is asked to bring back states that the GPU cannot reach
  bool leaving = false;      ///< its node must leave it
  bool leave_given = false;  ///< the node was given the buffer for that
  bool ended = false;        ///< its device is in error: it is ignored
  /// Thread that queues the parts of one buffer, 0: none. Other threads may not queue in between.
  common::AgentId sender = 0;
  // Running counts; not part of the state, except for their difference `buffers`.
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint32_t in_flight = 0;  ///< buffers at the driver
  /// Allocation lists of the buffers at the driver, in order, and the number of completed ones.
  std::deque<std::vector<Allocation*>> lists;
  std::size_t lists_done = 0;
  std::uint64_t turn = 0;      ///< serves contexts of one priority round robin, lowest first
  std::uint64_t numbered = 0;  ///< number of buffers so far
  std::uint32_t holds = 0;     ///< above 0: the driver gets no more buffers of it
  KernelEvent room;            ///< set when one of its buffers is complete
  KernelEvent left;            ///< set when its node has left it
};

/// VidSch's queues of contexts, for nodes that cannot wait for fences.
///
/// Its thread at PASSIVE_LEVEL handles the packet at the head of each queue. A buffer is given to
/// the driver (DxgkDdiSubmitCommandVirtual) while the node has fewer than kInFlight. A wait stays
/// at the head until the fence has its value. A signal is made once the buffers before it are
/// complete. Source: WDDM, context monitoring: GPU wait.
///
/// With PreemptionOptions::enabled it also preempts: for a context of higher priority; at the end
/// of a quantum, if others of the same priority wait; and for a buffer that takes longer than
/// TdrDelay. Preempted buffers return to the front of their context. A preemption that is not
/// acknowledged within TdrDelay is a timeout: the node is reset, or the adapter. See
/// context_preemption.cpp.
/// Source: WDDM, GPU preemption, timeout detection and recovery.
class ContextScheduler : public common::Hashed {
 public:
  static constexpr std::size_t kInFlight = 2;     ///< buffers of a node at the driver; A-231
  static constexpr std::uint32_t kMaxQuanta = 2;  ///< quanta that may end in one explored run
  /// Buffers of a context; then the submitting thread blocks.
  static constexpr std::size_t kMaxQueued = 8;

  ContextScheduler(Cpu& cpu, MonitoredFences& fences, const OsOrdering& ordering,
                   const PreemptionOptions& preemption, AdapterResets& resets);

  ContextQueue& create(Adapter& adapter, const std::string& name, UINT node, HANDLE driver_handle);

  // Calls of threads at PASSIVE_LEVEL.
  /// Source: WDDM, D3DKMTSetContextSchedulingPriority. @param priority -7 to 7.
  void set_priority(ContextQueue& context, INT priority);
  /// On return the state of the context is in memory and no node holds it. @pre the context is held
  /// and has no buffers at the driver. Its node gets a zero-length buffer, in front of other
  /// waiting work. Source: WDDM, DXGK_SUBMITCOMMANDFLAGS.ContextSwitch.
  void leave(ContextQueue& context);
  /// VidMm has answered on_state_needed.
  void state_returned(ContextQueue& context);
  /// Blocks while the context has kMaxQueued buffers. Returns STATUS_DEVICE_REMOVED and queues
  /// nothing if the device is in error. Several threads may submit to one context.
  NTSTATUS submit(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes,
                  std::vector<Allocation*> listed = {});
  /// As submit(), for a buffer that DxgkDdiPresent has written.
  NTSTATUS submit_flip(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes);
  /// As submit(), for a part of a buffer with patch locations. Other threads that submit to the
  /// context block from the first part to the last.
  NTSTATUS submit(ContextQueue& context, std::shared_ptr<const PatchedPart> part);
  /// Announces that the current thread will submit all parts of a buffer to each of these contexts.
  void reserve(std::vector<ContextQueue*> contexts);
  void wait(ContextQueue& context, const MonitoredFences::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<MonitoredFences::Point> points);
  /// As above, for native fences.
  void wait(ContextQueue& context, const FenceScheduler::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<FenceScheduler::Point> points);
  /// Owner of the waiters of a native fence.
  std::function<FenceScheduler&(const NativeFence&)> scheduler_of;

  /// Processes with buffers that have completed; null stands for the OS.
  using Owners = std::vector<const void*>;
  /// The driver has reported a completed buffer. At DISPATCH_LEVEL. Bug check for an id never given
  /// out.
  Owners completed(Adapter& adapter, UINT node, UINT id);
  /// The driver has reported a buffer that was given up. Earlier buffers of the node are complete,
  /// and the buffer's device is in error. At DISPATCH_LEVEL. Bug check for an id that the node does
  /// not have, and for a paging buffer.
  /// Source: WDDM, DXGK_INTERRUPT_DMA_FAULTED, DXGK_INTERRUPT_DMA_PAGE_FAULTED.
  Owners faulted(Adapter& adapter, UINT node, UINT id);
  /// The driver has reported a preemption: buffers behind `last` return to their contexts. At
  /// DISPATCH_LEVEL. Bug check if `id` is not that of the request.
  void preempted(Adapter& adapter, UINT node, UINT id, UINT last);
  /// Resets the adapter; all buffers of its nodes are lost. Bug check if resets are too frequent or
  /// fail. At PASSIVE_LEVEL.
  void reset_adapter(Adapter& adapter);
  /// Body of its thread.
  void run();

  /// Called at DISPATCH_LEVEL when a buffer of the adapter is complete.
  std::function<void(const Adapter&)> on_completed;
  /// Called at PASSIVE_LEVEL before a buffer with an allocation list is given to the driver, and
  /// when its work is over.
  /// Unset: buffers list nothing.
  std::function<void(const Adapter&, const std::vector<Allocation*>&, ListedWork)> on_listed;
  /// Called at PASSIVE_LEVEL in its thread: the state of a context must be made resident.
  std::function<void(ContextQueue&)> on_state_needed;
  /// Called at PASSIVE_LEVEL: the device of the process is in error.
  std::function<void(const void* owner)> on_aborted;
  /// Called at PASSIVE_LEVEL: paging buffers of the adapter were lost in its reset.
  std::function<void(Adapter&)> on_paging_lost;
  /// Called at PASSIVE_LEVEL in its thread: the adapter works again after a reset.
  std::function<void(Adapter&)> on_restarted;
  /// Called at PASSIVE_LEVEL in its thread: the process of the context has hung engines too often.
  std::function<void(const ContextQueue&)> on_blocked;
  /// Another thread may reset nodes, too.
  bool resets_others = false;
  /// Number of buffers that a process has submitted to a context so far.
  struct Mark {
    const ContextQueue* context;
    std::uint64_t submitted;
    /// True once they are complete or were ended by a reset.
    bool passed() const {
      return context->completed >= submitted || (context->ended && context->in_flight == 0);
    }
  };
  std::vector<Mark> marks(const void* owner) const;
  /// Gives no more buffers of the process to the driver; buffers already there continue.
  void hold(const void* owner);
  void release(const void* owner);
  /// True if the driver has no buffer of the process.
  bool quiet(const void* owner) const;
  /// Memory of the process was lost: its device is in error. At PASSIVE_LEVEL.
  void lose_memory(Adapter& adapter, const void* owner, std::uint32_t process);

  /// The device of the process is in error: only buffers already at the driver continue. At
  /// PASSIVE_LEVEL.
  void end(const Adapter& adapter, const void* owner);

  /// True if contexts of the adapter have incomplete buffers.
  bool busy(const Adapter& adapter) const;
  const std::vector<std::unique_ptr<ContextQueue>>& contexts() const { return contexts_; }
  std::uint64_t state_hash() const override;

 private:
  /// A node of an adapter and the buffers given to it.
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
    /// Context of the node's first buffer; null if it has none.
    ContextQueue* runs() const;
  };

  bool put(ContextQueue& context, ContextQueue::Packet& packet);
  NTSTATUS put_buffer(ContextQueue& context, ContextQueue::Packet packet);
  bool has_room(const ContextQueue& context) const;
  template <typename Free>
  void wait_until_free(ContextQueue& context, Free&& free);
  Node& node_of(const Adapter& adapter, UINT node);
  bool go_on(const std::vector<ContextQueue*>& contexts, bool more);
  /// Must be called without locks. Lets the core's pending DPCs run before the next locked section.
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
  // Defined in context_parts.cpp.
  static bool kept_for_another(const Node& node, const ContextQueue& context);
  static void keep(Node& node, ContextQueue& context, const ContextQueue::Packet& packet);
  void announce(const ContextQueue& context, const PatchedPart& part, UINT id) const;
  void give_part(const ContextQueue& context, const PatchedPart& part, UINT id,
                 DXGK_SUBMITCOMMANDFLAGS flags);
  // Defined in context_preemption.cpp.
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
  bool timer_fired_ = false;                  ///< while exploring: a timeout is due now
  bool recovered_ = false;                    ///< a timeout was explored; no more follow
  std::vector<const ContextQueue*> faulted_;  ///< contexts whose devices must be put in error
  bool faults_ = false;                       ///< `faulted_` was not empty at the last check
  std::uint64_t turns_ = 0;                   ///< number of quanta that have ended
  std::uint32_t quanta_ = 0;                  ///< the same, while exploring
  SpinLock lock_;                             ///< guards queues and nodes
  KernelEvent work_;
  std::vector<std::unique_ptr<ContextQueue>> contexts_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace fenceline::os
