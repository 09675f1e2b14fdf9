#include "tb/os/contexts/context_waits.h"

namespace fenceline::os {

using Packet = ContextQueue::Packet;

bool ContextWaits::run_wait(const ContextQueue& context, ContextQueue::HeldWait& wait) {
  if (context.stopped()) return false;
  if (!wait.registered) {
    wait.registered = true;
    table_.cpu.simulation().emit(
        event::GpuWaitBegin{wait.fence().object, wait.point.value, context.object});
    const NTSTATUS status =
        wait.native != nullptr
            ? scheduler_of(*wait.native).wait(wait.waiter, {{wait.native, wait.point.value}})
            : fences_.wait(wait.waiter, {wait.point});
    // A value that was in reach when the wait was queued, and is out of reach now, has been passed.
    // A destroyed native fence can no longer be signalled.
    if (!NT_SUCCESS(status)) wait.waiter.satisfied = true;
    if (!NT_SUCCESS(status) && wait.native != nullptr) wait.waiter.let_go = true;
  }
  if (!wait.waiter.satisfied) return false;
  unblocked(context, wait);
  return true;
}

void ContextWaits::unblocked(const ContextQueue& context, const ContextQueue::HeldWait& wait) {
  common::Simulation& simulation = table_.cpu.simulation();
  if (wait.waiter.let_go)
    return simulation.emit(event::StalePacket{context.object, wait.point.value, false, true, 0});
  simulation.emit(event::SoftwarePacketRun{context.object, wait.number});
  simulation.emit(event::GpuWaitUnblock{wait.fence().object, wait.point.value, 0, context.object});
  if (wait.native != nullptr)
    simulation.emit(event::WaitDone{wait.native->object, wait.point.value, wait.waiter.number, {}});
}

void ContextWaits::give_up(const Packet& packet) const {
  ContextQueue::HeldWait* const wait = packet.wait.get();
  if (wait == nullptr || !wait->registered || wait->waiter.satisfied) return;
  if (wait->native != nullptr)
    scheduler_of(*wait->native).cancel(wait->waiter, {{wait->native, wait->point.value}});
  else
    fences_.cancel(wait->waiter);
}

bool ContextWaits::run_signal(ContextQueue& context, const Packet& packet) {
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    for (const ContextNode::Given& given : table_.node_of(context.adapter, context.node).in_flight)
      if (given.context == &context && !given.packet.leaves) return false;
  }
  if (context.stopped()) return false;
  table_.cpu.simulation().emit(event::SoftwarePacketRun{context.object, packet.number});
  if (!packet.natives.empty())
    scheduler_of(*packet.natives.front().fence).signal(packet.natives, 0);
  else
    fences_.signal(packet.points, nullptr);
  return true;
}

bool ContextWaits::clear_passed(ContextQueue& context) {
  bool some = false;
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  table_.faults = !table_.faulted.empty();
  while (!context.passed.empty() && context.passed.front().wait->waiter.satisfied) {
    unblocked(context, *context.passed.front().wait);
    context.passed.pop_front();
    some = true;
  }
  return some;
}

}  // namespace fenceline::os
