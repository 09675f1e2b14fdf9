#include "tb/os/contexts/context_table.h"

#include <algorithm>

namespace fenceline::os {

bool ContextNode::holds(const ContextQueue& context) const {
  return std::find(held.begin(), held.end(), &context) != held.end();
}

ContextQueue* ContextNode::runs() const {
  const auto it = std::find_if(in_flight.begin(), in_flight.end(),
                               [](const Given& given) { return !given.packet.leaves; });
  return it == in_flight.end() ? nullptr : it->context;
}

std::deque<ContextNode::Given>::iterator ContextNode::find(UINT id) {
  return std::find_if(in_flight.begin(), in_flight.end(),
                      [id](const Given& given) { return given.id == id; });
}

ContextTable::ContextTable(Cpu& all, const PreemptionOptions& rules)
    : cpu(all),
      preemption(rules),
      lock(all.simulation().steps, this),
      work(all.simulation().steps) {}

std::uint64_t ContextTable::state_hash() const {
  common::Hasher hasher;
  for (const auto& context : contexts) {
    hasher.add(context->object).add(context->buffers).add(context->last_id);
    if (preemption.enabled)
      hasher.add(context->turn).add(static_cast<std::uint64_t>(context->priority));
    if (context->state_asked) hasher.add(1);
    if (on_listed) hasher.add(context->lists.size()).add(context->lists_done);
    if (context->stopped()) hasher.add(context->ended ? 1 : 2);
    if (context->holds != 0 || context->leaving)
      hasher.add(std::uint64_t{context->holds} << 2 | (context->leaving ? 2U : 0U) |
                 (context->leave_given ? 1U : 0U));
    if (context->sender != 0) hasher.add(context->sender);
    for (const auto* list : {&context->preempted, &context->packets, &context->passed})
      for (const ContextQueue::Packet& packet : *list) {
        hasher.add(packet.address << 2 | static_cast<std::uint64_t>(packet.kind));
        for (const auto& point : packet.points) hasher.add(point.fence->object).add(point.value);
        for (const auto& point : packet.natives) hasher.add(point.fence->object).add(point.value);
        if (packet.wait != nullptr)
          hasher.add(packet.wait->point.value << 2 | (packet.wait->registered ? 2U : 0U) |
                     (packet.wait->waiter.satisfied ? 1U : 0U));
      }
  }
  for (const Adapter* adapter : asleep) hasher.add(adapter->object());
  for (const auto& node : nodes) {
    hasher.add(node->next_id);
    for (const auto& given : node->in_flight) hasher.add(given.id);
    for (const ContextQueue* held : node->held) hasher.add(held->object);
    if (node->kept != nullptr) hasher.add(node->kept->object);
    if (preemption.enabled)
      hasher.add(std::uint64_t{node->last_preemption} << 1 | (node->preempting ? 1U : 0U));
    if (preemption.detects_timeouts) hasher.add(node->last_completed).add(node->timeouts);
  }
  for (const ContextQueue* context : faulted) hasher.add(context->object);
  if (resetting != nullptr) hasher.add(std::uint64_t{resetting->object()} + 1);
  hasher.add((timer_fired ? 4U : 0U) | (faults ? 2U : 0U) | (recovered ? 1U : 0U));
  return hasher.add(std::uint64_t{quanta} << 1 | (work.signaled ? 1U : 0U)).value();
}

ContextQueue& ContextTable::create(Adapter& adapter, const std::string& name, UINT node,
                                   HANDLE driver_handle) {
  common::Simulation& simulation = cpu.simulation();
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  contexts.push_back(std::make_unique<ContextQueue>(simulation.steps, adapter));
  ContextQueue& context = *contexts.back();
  context.name = name;
  context.object = simulation.events.add_object(common::ObjectKind::kQueue, name);
  context.driver_handle = driver_handle;
  context.node = node;
  node_of(adapter, node);
  return context;
}

ContextNode& ContextTable::node_of(const Adapter& adapter, UINT node) {
  for (const auto& known : nodes)
    if (known->adapter == &adapter && known->node == node) return *known;
  nodes.push_back(std::make_unique<ContextNode>());
  nodes.back()->adapter = const_cast<Adapter*>(&adapter);
  nodes.back()->aware = adapter.has_cap(DXGK_VIDSCHCAPS::kPreemptionAware);
  nodes.back()->node = node;
  return *nodes.back();
}

void ContextTable::set_priority(ContextQueue& context, INT priority) {
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  context.priority = priority;
  work.set();
}

std::vector<ContextQueue::Mark> ContextTable::marks(const void* owner) const {
  std::vector<ContextQueue::Mark> result;
  for (const auto& context : contexts)
    if (context->owner == owner) result.push_back({context.get(), context->submitted});
  return result;
}

void ContextTable::hold(const void* owner) {
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  for (const auto& context : contexts)
    if (context->owner == owner) ++context->holds;
}

void ContextTable::release(const void* owner) {
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  for (const auto& context : contexts)
    if (context->owner == owner && context->holds != 0) --context->holds;
  work.set();
}

bool ContextTable::quiet(const void* owner) const {
  return std::none_of(contexts.begin(), contexts.end(), [owner](const auto& context) {
    return context->owner == owner && context->in_flight != 0;
  });
}

bool ContextTable::busy(const Adapter& adapter) const {
  return std::any_of(contexts.begin(), contexts.end(), [&](const auto& context) {
    return &context->adapter == &adapter && context->buffers != 0;
  });
}

/// A buffer that comes before keeps the adapter in D0. One that comes later wakes it.
bool ContextTable::leave_d0(const Adapter& adapter) {
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  if (busy(adapter)) return false;
  asleep.push_back(&adapter);
  return true;
}

void ContextTable::enter_d0(const Adapter& adapter) {
  LockScope scope(cpu, lock, DISPATCH_LEVEL);
  asleep.erase(std::remove(asleep.begin(), asleep.end(), &adapter), asleep.end());
  work.set();
}

bool ContextTable::sleeps(const Adapter& adapter) const {
  return std::find(asleep.begin(), asleep.end(), &adapter) != asleep.end();
}

void ContextTable::pause() const {
  cpu.step(common::Operation::kLevel,
           common::Footprint().writes(common::Place::kInterrupt, cpu.core().number()));
}

void ContextTable::report(const ContextNode& node, event::RecoveryStage stage,
                          std::uint64_t id) const {
  cpu.simulation().emit(event::Recovery{node.adapter->object(), stage, id, node.node + 1});
}

}  // namespace fenceline::os
