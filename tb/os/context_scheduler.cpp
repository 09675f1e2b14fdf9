#include "tb/os/context_scheduler.h"

#include <algorithm>
#include <utility>

#include "tb/os/allocation.h"

namespace fenceline::os {

using common::EventKind;
using common::Operation;
using Packet = ContextQueue::Packet;

ContextScheduler::ContextScheduler(Cpu& cpu, MonitoredFences& fences,
                                   const common::OsOrdering& ordering,
                                   const PreemptionOptions& preemption, AdapterResets& resets)
    : cpu_(cpu),
      fences_(fences),
      ordering_(ordering),
      preemption_(preemption),
      resets_(resets),
      lock_(cpu.simulation().steps, this),
      work_(cpu.simulation().steps) {}

std::uint64_t ContextScheduler::state_hash() const {
  common::Hasher hasher;
  for (const auto& context : contexts_) {
    hasher.add(context->object).add(context->buffers).add(context->last_id);
    if (context->ended) hasher.add(1);
    if (context->holds != 0 || context->leaving)
      hasher.add(std::uint64_t{context->holds} << 2 | (context->leaving ? 2U : 0U) |
                 (context->leave_given ? 1U : 0U));
    if (context->sender != 0) hasher.add(context->sender);
    for (const auto* list : {&context->preempted, &context->packets, &context->passed})
      for (const Packet& packet : *list) {
        hasher.add(packet.address << 2 | static_cast<std::uint64_t>(packet.kind));
        for (const auto& point : packet.points) hasher.add(point.fence->object).add(point.value);
        for (const auto& point : packet.natives) hasher.add(point.fence->object).add(point.value);
        if (packet.wait != nullptr)
          hasher.add(packet.wait->point.value << 2 | (packet.wait->registered ? 2U : 0U) |
                     (packet.wait->waiter.satisfied ? 1U : 0U));
      }
  }
  for (const auto& node : nodes_) {
    hasher.add(node->next_id);
    for (const auto& given : node->in_flight) hasher.add(given.id);
    for (const ContextQueue* held : node->held) hasher.add(held->object);
    if (node->kept != nullptr) hasher.add(node->kept->object);
    if (preemption_.enabled)
      hasher.add(std::uint64_t{node->last_preemption} << 1 | (node->preempting ? 1U : 0U));
    if (preemption_.detects_timeouts) hasher.add(node->last_completed);
  }
  for (const ContextQueue* context : faulted_) hasher.add(context->object);
  if (recovered_) hasher.add(1);
  return hasher.add(std::uint64_t{quanta_} << 1 | (work_.signaled ? 1U : 0U)).value();
}

ContextQueue& ContextScheduler::create(Adapter& adapter, const std::string& name, UINT node,
                                       HANDLE driver_handle) {
  common::Simulation& simulation = cpu_.simulation();
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  contexts_.push_back(std::make_unique<ContextQueue>(simulation.steps, adapter));
  ContextQueue& context = *contexts_.back();
  context.name = name;
  context.object = simulation.events.add_object(common::ObjectKind::kQueue, name);
  context.driver_handle = driver_handle;
  context.node = node;
  node_of(adapter, node);
  return context;
}

ContextScheduler::Node& ContextScheduler::node_of(const Adapter& adapter, UINT node) {
  for (const auto& known : nodes_)
    if (known->adapter == &adapter && known->node == node) return *known;
  nodes_.push_back(std::make_unique<Node>());
  nodes_.back()->adapter = const_cast<Adapter*>(&adapter);
  nodes_.back()->node = node;
  return *nodes_.back();
}

ContextScheduler::Owners ContextScheduler::completed(Adapter& adapter, UINT node, UINT id) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  Node& at = node_of(adapter, node);
  if (id == 0 || id >= at.next_id)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
                      adapter.gpu().config().name + ": a buffer is reported that nobody submitted");
  Owners owners = complete_through(at, id);
  work_.set();
  if (on_completed) on_completed(adapter);
  return owners;
}

std::vector<ContextScheduler::Mark> ContextScheduler::marks(const void* owner) const {
  std::vector<Mark> result;
  for (const auto& context : contexts_)
    if (context->owner == owner) result.push_back({context.get(), context->submitted});
  return result;
}

void ContextScheduler::hold(const void* owner) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  for (const auto& context : contexts_)
    if (context->owner == owner) ++context->holds;
}

void ContextScheduler::release(const void* owner) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  for (const auto& context : contexts_)
    if (context->owner == owner && context->holds != 0) --context->holds;
  work_.set();
}

bool ContextScheduler::quiet(const void* owner) const {
  return std::none_of(contexts_.begin(), contexts_.end(), [owner](const auto& context) {
    return context->owner == owner && context->in_flight != 0;
  });
}

bool ContextScheduler::busy(const Adapter& adapter) const {
  return std::any_of(contexts_.begin(), contexts_.end(), [&](const auto& context) {
    return &context->adapter == &adapter && context->buffers != 0;
  });
}

void ContextScheduler::run() {
  cpu_.run_thread(Operation::kIdle, 0);
  report_limits();
  for (;;) {
    cpu_.simulation().steps.forget();
    common::Time limit = 0;
    if (next_deadline(limit)) {
      const bool exploring = cpu_.simulation().steps.exploring();
      const bool fired =
          !cpu_.block(work_, &limit, exploring ? common::Fires::kAnyTime : common::Fires::kLast);
      timer_fired_ = exploring && fired;
    } else {
      cpu_.block(work_, nullptr);
    }
    work_.clear();
    bool more = true;
    while (more) {
      more = false;
      for (const auto& context : contexts_) more = run_leave(*context) || more;
      for (ContextQueue* context : by_rank()) more = go_on(*context) || more;
      if (!more) more = end_faulted() || watch_nodes();
    }
  }
}

/// Does what can be done for one context; false if nothing can.
bool ContextScheduler::go_on(ContextQueue& context) {
  bool some = clear_passed(context);
  while (end_lists(context)) some = true;
  if (drop_packets(context)) some = true;
  while (run_head(context)) some = true;
  return some;
}

/// Without os.hold_gpu_waits: tells of waits that are over by now.
bool ContextScheduler::clear_passed(ContextQueue& context) {
  bool some = false;
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  faults_ = !faulted_.empty();
  while (!context.passed.empty() && context.passed.front().wait->waiter.satisfied) {
    unblocked(context, *context.passed.front().wait);
    context.passed.pop_front();
    some = true;
  }
  return some;
}

/// The device is in error. Only this thread takes packets off, so that none goes while it is at
/// work on it; what a packet waited for forgets it.
bool ContextScheduler::drop_packets(ContextQueue& context) {
  if (!context.ended) return false;
  std::deque<Packet> dropped;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (!context.ended) return false;
    for (auto* list : {&context.preempted, &context.packets, &context.passed}) {
      std::move(list->begin(), list->end(), std::back_inserter(dropped));
      list->clear();
    }
  }
  for (Packet& packet : dropped) {
    give_up_wait(packet);
    if (on_listed && !packet.listed.empty())
      on_listed(context.adapter, packet.listed, ListedWork::kDropped);
  }
  return !dropped.empty();
}

/// Takes one packet off the queue; false if its time has not come. Only this thread takes any off,
/// so the head stays while the lock is not held.
bool ContextScheduler::run_head(ContextQueue& context) {
  Packet* head = nullptr;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (!context.preempted.empty()) {
      head = &context.preempted.front();
    } else {
      if (context.packets.empty()) return false;
      head = &context.packets.front();
    }
  }
  // Only this thread has buffers preempted that it was given, so the head stays the head.
  const bool again = !context.preempted.empty() && head == &context.preempted.front();
  bool done = false;
  bool keep = false;
  switch (head->kind) {
    case Packet::Kind::kBuffer:
      done = run_buffer(context, *head);
      break;
    case Packet::Kind::kWait:
      done = run_wait(context, *head->wait);
      keep = !done && !ordering_.hold_gpu_waits;
      break;
    case Packet::Kind::kSignal:
      done = run_signal(context, *head);
      break;
  }
  if (!done && !keep) return false;
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  if (keep) context.passed.push_back(std::move(context.packets.front()));
  (again ? context.preempted : context.packets).pop_front();
  return true;
}

/// What buffers that are complete by now have listed; false if there is none.
bool ContextScheduler::end_lists(ContextQueue& context) {
  if (!on_listed) return false;
  std::vector<Allocation*> listed;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (context.lists_done == 0) return false;
    --context.lists_done;
    listed = std::move(context.lists.front());
    context.lists.pop_front();
  }
  if (!listed.empty()) on_listed(context.adapter, listed, ListedWork::kEnds);
  return true;
}

/// Paging buffers come back with the id that they had, others with a new one.
UINT ContextScheduler::give_id(Node& node, const ContextQueue& context, const Packet& packet,
                               DXGK_SUBMITCOMMANDFLAGS& flags) const {
  if (context.paging) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPaging;
  if (packet.leaves) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kContextSwitch;
  if (packet.flips)
    flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPresent | DXGK_SUBMITCOMMANDFLAGS::kFlip;
  if (packet.id != 0 && context.paging && preemption_.paging_first) return packet.id;
  if (packet.id != 0) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kResubmission;
  return node.next_id++;
}

bool ContextScheduler::state_there(const ContextQueue& context) {
  return std::all_of(context.states.begin(), context.states.end(),
                     [](const Allocation* state) { return state->reached; });
}

/// What the node needs of a context is there; if not it is asked for.
bool ContextScheduler::has_state(ContextQueue& context) const {
  if (state_there(context)) return true;
  if (context.holds == 0 && !context.state_asked) {
    context.state_asked = true;
    on_state_needed(context);
  }
  return false;
}

void ContextScheduler::state_returned(ContextQueue& context) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  context.state_asked = false;
  work_.set();
}

bool ContextScheduler::run_buffer(ContextQueue& context, const Packet& packet) {
  if (!has_state(context)) return false;
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    Node& node = node_of(context.adapter, context.node);
    // The state may have gone while the lock was waited for; nothing goes while it is held.
    if (node.in_flight.size() >= kInFlight || context.holds != 0 || context.ended ||
        node.preempting || must_preempt(context, node) || kept_for_another(node, context) ||
        !state_there(context))
      return false;
    ++context.in_flight;
    args = reserve(node, context, packet);
    keep(node, context, packet);
    if (on_listed) context.lists.push_back(packet.listed);
  }
  if (!packet.listed.empty()) on_listed(context.adapter, packet.listed, ListedWork::kBegins);
  give(context, packet, args);
  return true;
}

/// Has the node leave a context that VidMm is about to move; false if it is not to, or cannot yet.
bool ContextScheduler::run_leave(ContextQueue& context) {
  if (!context.leaving || context.leave_given) return false;
  Packet packet;
  packet.leaves = true;
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    Node& node = node_of(context.adapter, context.node);
    if (!context.leaving || context.leave_given || node.in_flight.size() >= kInFlight ||
        node.preempting)
      return false;
    context.leave_given = true;
    args = reserve(node, context, packet);
  }
  give(context, packet, args);
  return true;
}

/// The node has the buffer from now on. The lock is held.
DXGKARG_SUBMITCOMMANDVIRTUAL ContextScheduler::reserve(Node& node, ContextQueue& context,
                                                       const Packet& packet) {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = context.driver_handle;
  args.DmaBufferVirtualAddress = packet.address;
  args.DmaBufferSize = packet.bytes;
  args.NodeOrdinal = context.node;
  args.SubmissionFenceId = context.last_id = give_id(node, context, packet, args.Flags);
  if (node.in_flight.empty()) node.since = cpu_.simulation().steps.simulated();
  node.in_flight.push_back({args.SubmissionFenceId, &context, packet.copy()});
  if (!packet.leaves && !context.states.empty() && !node.holds(context))
    node.held.push_back(&context);
  return args;
}

void ContextScheduler::give(ContextQueue& context, const Packet& packet,
                            const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  Adapter& adapter = context.adapter;
  common::Simulation& simulation = cpu_.simulation();
  simulation.events.emit(EventKind::kContextGiven, simulation.steps.current(), context.object,
                         packet.number, args.SubmissionFenceId,
                         (context.node + 1) | std::uint64_t{args.Flags.Value} << 8 |
                             std::uint64_t{adapter.object()} << 48);
  simulation.events.emit(EventKind::kContextSubmit, simulation.steps.current(), context.object,
                         args.SubmissionFenceId, adapter.object());
  if (packet.part != nullptr)
    return give_part(context, *packet.part, args.SubmissionFenceId, args.Flags);
  const NTSTATUS status = adapter.call(Ddi::kSubmitCommandVirtual, [&](auto& ddi) {
    return ddi.DxgkDdiSubmitCommandVirtual(adapter.handle(), &args);
  });
  if (status == STATUS_INVALID_PARAMETER)
    refused(context, args.SubmissionFenceId);
  else if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerSubmitFailed, static_cast<std::uint32_t>(status)},
                      "DxgkDdiSubmitCommandVirtual failed");
}

}  // namespace fenceline::os
