// Waits and signals between the buffers of a context.
#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using Packet = ContextQueue::Packet;

void ContextScheduler::put_wait(ContextQueue& context, std::unique_ptr<ContextQueue::HeldWait> wait,
                                std::uint32_t number) {
  Packet packet;
  packet.kind = Packet::Kind::kWait;
  packet.wait = std::move(wait);
  packet.wait->waiter.number = number;
  packet.wait->waiter.event = &work_;
  put(context, packet);
}

void ContextScheduler::wait(ContextQueue& context, const MonitoredFences::Point& point,
                            std::uint32_t number) {
  auto wait = std::make_unique<ContextQueue::HeldWait>();
  wait->point = point;
  put_wait(context, std::move(wait), number);
}

void ContextScheduler::wait(ContextQueue& context, const FenceScheduler::Point& point,
                            std::uint32_t number) {
  auto wait = std::make_unique<ContextQueue::HeldWait>();
  wait->native = point.fence;
  wait->point.value = point.value;
  put_wait(context, std::move(wait), number);
}

void ContextScheduler::signal(ContextQueue& context, std::vector<MonitoredFences::Point> points) {
  Packet packet;
  packet.kind = Packet::Kind::kSignal;
  packet.points = std::move(points);
  put(context, packet);
}

void ContextScheduler::signal(ContextQueue& context, std::vector<FenceScheduler::Point> points) {
  Packet packet;
  packet.kind = Packet::Kind::kSignal;
  packet.natives = std::move(points);
  put(context, packet);
}

bool ContextScheduler::run_wait(const ContextQueue& context, ContextQueue::HeldWait& wait) {
  if (context.ended) return false;
  if (!wait.registered) {
    common::Simulation& simulation = cpu_.simulation();
    wait.registered = true;
    simulation.emit(event::GpuWaitBegin{wait.fence().object, wait.point.value, context.object});
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

void ContextScheduler::unblocked(const ContextQueue& context, const ContextQueue::HeldWait& wait) {
  common::Simulation& simulation = cpu_.simulation();
  if (wait.waiter.let_go)
    return simulation.emit(event::StalePacket{context.object, wait.point.value, false, true, 0});
  simulation.emit(event::GpuWaitUnblock{wait.fence().object, wait.point.value, 0, context.object});
  if (wait.native != nullptr)
    simulation.emit(event::WaitDone{wait.native->object, wait.point.value, wait.waiter.number, {}});
}

/// A dropped packet leaves the waiter list of its fence.
void ContextScheduler::give_up_wait(const Packet& packet) const {
  ContextQueue::HeldWait* const wait = packet.wait.get();
  if (wait == nullptr || !wait->registered || wait->waiter.satisfied) return;
  if (wait->native != nullptr)
    scheduler_of(*wait->native).cancel(wait->waiter, {{wait->native, wait->point.value}});
  else
    fences_.cancel(wait->waiter);
}

bool ContextScheduler::run_signal(ContextQueue& context, const Packet& packet) {
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (!context.preempted.empty()) return false;
    for (const Node::Given& given : node_of(context.adapter, context.node).in_flight)
      if (given.context == &context && !given.packet.leaves) return false;
  }
  if (context.ended) return false;
  if (!packet.natives.empty())
    scheduler_of(*packet.natives.front().fence).signal(packet.natives, 0);
  else
    fences_.signal(packet.points, nullptr);
  return true;
}

}  // namespace fenceline::os
