#include "tb/report/meters/latency_tracker.h"

#include <algorithm>

#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;

void LatencyTracker::on(const At<event::FenceCreate>& event) {
  fences_[event.fence].value = event.initial;
}

void LatencyTracker::on(const At<event::FenceStorageFree>& event) {
  if (event.gone) fences_.forget(event.fence);
}

void LatencyTracker::on(const At<event::WaitAdd>& event) {
  Fence& fence = fences_[event.fence];
  Waiter& waiter = waiters_.open(event.waiter);
  if (fence.value >= event.value) {
    waiter.ready = event.time;
    return;
  }
  fence.unready.push_back({event.value, event.waiter});
  std::push_heap(fence.unready.begin(), fence.unready.end(),
                 [](const Unready& x, const Unready& y) { return x.value > y.value; });
}

void LatencyTracker::on(const At<event::CurrentValueVisible>& event) {
  Fence& fence = fences_[event.fence];
  fence.value = event.value;
  for (GpuWait& wait : gpu_waits_)
    if (wait.fence == event.fence && wait.ready == kUnset && wait.value <= event.value)
      wait.ready = event.time;
  while (!fence.unready.empty() && fence.unready.front().value <= event.value) {
    if (Waiter* waiter = waiters_.find(fence.unready.front().number)) waiter->ready = event.time;
    std::pop_heap(fence.unready.begin(), fence.unready.end(),
                  [](const Unready& x, const Unready& y) { return x.value > y.value; });
    fence.unready.pop_back();
  }
}

// A wait that is released before its value is reached has no latency; checkers report it.
void LatencyTracker::add_wait(std::uint64_t waiter, std::uint64_t time, Samples& samples) {
  const Waiter* found = waiters_.find(waiter);
  if (found != nullptr && found->ready != kUnset) samples.add(time - found->ready);
}

void LatencyTracker::on(const At<event::WaitRelease>& event) {
  add_wait(event.waiter, event.time, release_);
}

void LatencyTracker::on(const At<event::WaitDone>& event) {
  add_wait(event.waiter, event.time, resume_);
  waiters_.close(event.waiter);
}

void LatencyTracker::on(const At<event::WaitTimeout>& event) { waiters_.close(event.waiter); }

void LatencyTracker::on(const At<event::InterruptRaised>& event) {
  at_or_grow(raised_, event.adapter).push_back(event.time);
}

// One ISR serves all that the adapter raised before it began.
void LatencyTracker::on(const At<event::IsrBegin>& event) {
  auto& raised = at_or_grow(raised_, event.adapter);
  for (const std::uint64_t time : raised) interrupt_.add(event.time - time);
  raised.clear();
}

void LatencyTracker::on(const At<event::UpdateMonitoredCall>& event) {
  updates_.open(event.update) = event.time;
}

void LatencyTracker::on(const At<event::UpdateMonitoredReturn>& event) {
  if (const auto* start = updates_.find(event.update)) update_.add(event.time - *start);
  updates_.close(event.update);
}

/// Since when the engine has been asked to stop [ps].
std::uint64_t& LatencyTracker::preempting(std::uint32_t adapter, std::uint64_t engine) {
  return at_or_grow(preempting_, adapter << 4 | (engine & 0xF));
}

void LatencyTracker::on(const At<event::PreemptCall>& event) {
  preempting(event.adapter, event.engine) = event.time;
}

void LatencyTracker::on(const At<event::Preempted>& event) {
  preemption_.add(event.time - preempting(event.adapter, event.engine));
}

void LatencyTracker::on(const At<event::GpuWaitBegin>& event) {
  GpuWait& wait = at_or_grow(gpu_waits_, event.queue);
  const bool there = fences_[event.fence].value >= event.value;
  wait = {event.time, there ? event.time : kUnset, event.value, event.fence};
}

void LatencyTracker::on(const At<event::GpuWaitUnblock>& event) {
  GpuWait& wait = at_or_grow(gpu_waits_, event.queue);
  if (wait.begin != kUnset) gpu_wait_.add(event.time - wait.begin);
  if (wait.ready != kUnset) unblock_.add(event.time - wait.ready);
  wait = {};
}

std::vector<Latency> LatencyTracker::summarise() {
  return {
      release_.summarise(
          "signal_to_release",
          "CurrentValue visible (or the wait begins, if later) to release by the OS"),
      resume_.summarise(
          "signal_to_resume",
          "CurrentValue visible (or the wait begins, if later) to the thread resumed"),
      interrupt_.summarise("interrupt_delivery", "interrupt raised by the CMP to its ISR begun"),
      update_.summarise("umv_call", "DxgkDdiUpdateMonitoredValues called to returned"),
      gpu_wait_.summarise("gpu_wait", "wait command begun on a queue to satisfied"),
      unblock_.summarise(
          "signal_to_unblock",
          "CurrentValue visible (or the wait begins, if later) to the wait of a queue satisfied"),
      preemption_.summarise("preemption", "DxgkDdiPreemptCommand called to DMA_PREEMPTED taken"),
  };
}

}  // namespace fenceline::report
