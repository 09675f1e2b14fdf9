#include "tb/os/vidsch/context_scheduler.h"

#include <algorithm>
#include <utility>

namespace fenceline::os {

using common::Operation;
using Packet = ContextQueue::Packet;

ContextScheduler::ContextScheduler(Cpu& cpu, MonitoredFences& fences, const OsOrdering& ordering,
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
    if (preemption_.enabled)
      hasher.add(context->turn).add(static_cast<std::uint64_t>(context->priority));
    if (context->state_asked) hasher.add(1);
    if (on_listed) hasher.add(context->lists.size()).add(context->lists_done);
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
    if (preemption_.detects_timeouts) hasher.add(node->last_completed).add(node->timeouts);
  }
  for (const ContextQueue* context : faulted_) hasher.add(context->object);
  hasher.add((timer_fired_ ? 4U : 0U) | (faults_ ? 2U : 0U) | (recovered_ ? 1U : 0U));
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
    cpu_.simulation().steps.forget_at(0);
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
      more = go_on(by_rank(), more) || more;
      if (!more) more = end_faulted() || watch_nodes();
    }
  }
}

/// Does all possible work of each context; false if there was none.
bool ContextScheduler::go_on(const std::vector<ContextQueue*>& contexts, bool more) {
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    // Between two contexts the thread's only state is the list of contexts left.
    common::Hasher place;
    place.add(more ? 1 : 2);
    for (std::size_t left = i; left < contexts.size(); ++left) place.add(contexts[left]->object);
    cpu_.simulation().steps.forget_at(place.value());
    more = go_on(*contexts[i]) || more;
  }
  return more;
}

void ContextScheduler::pause() {
  cpu_.step(Operation::kLevel,
            common::Footprint().writes(common::Place::kInterrupt, cpu_.core().number()));
}

/// Does all possible work of one context; false if there was none.
bool ContextScheduler::go_on(ContextQueue& context) {
  bool some = clear_passed(context);
  while (end_lists(context)) some = true;
  if (drop_packets(context)) some = true;
  while (run_head(context)) some = true;
  return some;
}

/// Without os.hold_gpu_waits: emits the end of waits that are satisfied by now.
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

/// The device is in error: drops all packets. Only this thread removes packets, so none disappears
/// while in use. A dropped wait leaves the list of its fence.
bool ContextScheduler::drop_packets(ContextQueue& context) {
  // Dropped packets only come back with a preemption, and then this function is called again.
  const bool any =
      !context.preempted.empty() || !context.packets.empty() || !context.passed.empty();
  if (!context.ended || !any) return false;
  std::deque<Packet> dropped;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
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
  return true;
}

/// Runs the packet at the head of the queue; false if it must wait. Only this thread removes
/// packets, so the head stays while the lock is free.
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
  // Only this thread preempts buffers, so the head stays the head.
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

/// Reports the allocation lists of completed buffers; false if there are none.
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

}  // namespace fenceline::os
