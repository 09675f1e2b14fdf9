#include "tb/report/latency_tracker.h"

#include <algorithm>

#include "tb/report/grown.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;

/// Since when the engine of the event has been asked to stop [ps].
std::uint64_t& LatencyTracker::preempting(const Event& event) {
  return grown(preempting_, event.object << 4 | (event.c & 0xF));
}

void LatencyTracker::on_event(const Event& event) {
  switch (event.kind) {
    case EventKind::kFenceCreate:
      fences_[event.object].value = event.a;
      break;
    case EventKind::kFenceStorageFree:
      if (event.c != 0) fences_.forget(event.object);
      break;
    case EventKind::kCurrentValueVisible:
      reach_value(event);
      break;
    case EventKind::kWaitAdd:
      add_waiter(event);
      break;
    case EventKind::kWaitRelease:
      return wait_sample(event, release_);
    case EventKind::kWaitDone:
      wait_sample(event, resume_);
      [[fallthrough]];
    case EventKind::kWaitTimeout:
      return waiters_.close(event.b);
    case EventKind::kInterruptRaised:
      grown(raised_, event.object).push_back(event.time);
      break;
    case EventKind::kIsrBegin:
      begin_isr(event);
      break;
    case EventKind::kUpdateMonitoredCall:
      updates_.open(event.b) = event.time;
      break;
    case EventKind::kUpdateMonitoredReturn:
      if (const auto* start = updates_.find(event.b)) update_.add(event.time - *start);
      updates_.close(event.b);
      break;
    case EventKind::kPreemptCall:
      preempting(event) = event.time;
      break;
    case EventKind::kPreempted:
      preemption_.add(event.time - preempting(event));
      break;
    case EventKind::kGpuWaitBegin:
      begin_gpu_wait(event);
      break;
    case EventKind::kGpuWaitUnblock:
      end_gpu_wait(event);
      break;
    default:
      break;
  }
}

void LatencyTracker::add_waiter(const Event& event) {
  Fence& fence = fences_[event.object];
  Waiter& waiter = waiters_.open(event.b);
  if (fence.value >= event.a) {
    waiter.ready = event.time;
    return;
  }
  fence.unready.push_back({event.a, event.b});
  std::push_heap(fence.unready.begin(), fence.unready.end(),
                 [](const Unready& x, const Unready& y) { return x.value > y.value; });
}

void LatencyTracker::reach_value(const Event& event) {
  Fence& fence = fences_[event.object];
  fence.value = event.a;
  for (GpuWait& wait : gpu_waits_)
    if (wait.fence == event.object && wait.ready == kUnset && wait.value <= event.a)
      wait.ready = event.time;
  while (!fence.unready.empty() && fence.unready.front().value <= event.a) {
    if (Waiter* waiter = waiters_.find(fence.unready.front().number)) waiter->ready = event.time;
    std::pop_heap(fence.unready.begin(), fence.unready.end(),
                  [](const Unready& x, const Unready& y) { return x.value > y.value; });
    fence.unready.pop_back();
  }
}

// A wait that was released before its value was there has no latency: it is a violation.
void LatencyTracker::wait_sample(const Event& event, Samples& samples) {
  const Waiter* waiter = waiters_.find(event.b);
  if (waiter != nullptr && waiter->ready != kUnset) samples.add(event.time - waiter->ready);
}

// One ISR serves all that the adapter raised before it began.
void LatencyTracker::begin_isr(const Event& event) {
  auto& raised = grown(raised_, event.object);
  for (const std::uint64_t time : raised) interrupt_.add(event.time - time);
  raised.clear();
}

void LatencyTracker::begin_gpu_wait(const Event& event) {
  GpuWait& wait = grown(gpu_waits_, event.c);
  const bool there = fences_[event.object].value >= event.a;
  wait = {event.time, there ? event.time : kUnset, event.a, event.object};
}

void LatencyTracker::end_gpu_wait(const Event& event) {
  GpuWait& wait = grown(gpu_waits_, event.c);
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
