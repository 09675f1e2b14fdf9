#include "tb/os/vidsch/fallback_timer.h"

namespace fenceline::os {

using common::Fires;
using common::Operation;
using event::Reader;

FallbackTimer::FallbackTimer(Adapter& adapter, FenceScheduler& scheduler, std::uint32_t core)
    : adapter_(adapter), scheduler_(scheduler), core_(core) {
  adapter.cpu().simulation().steps.add_state(*this);
}

void FallbackTimer::run() {
  common::Steps& steps = adapter_.cpu().simulation().steps;
  for (;;) {
    steps.forget();
    // If nothing else can continue, a scan without effect would only repeat itself.
    const std::uint32_t most = steps.exploring() && early_ == kEarly ? 1 : kMaxVain;
    steps.wait_until(scheduler_.news().changed(),
                     [&] { return waited_for() && (vain_ < most || scheduler_.news().there()); });
    if (!steps.exploring() && scheduler_.news().take()) vain_ = 0;
    if (expires() && !adapter_.driver_closed()) look();
  }
}

/// Waits for the timeout; false if a waiter was released or all waits ended first.
bool FallbackTimer::expires() {
  common::Steps& steps = adapter_.cpu().simulation().steps;
  const std::uint64_t released = scheduler_.released();
  const auto restarted = [&] {
    if (!waited_for()) return true;
    return !steps.exploring() &&
           (scheduler_.released() != released || (vain_ != 0 && scheduler_.news().there()));
  };
  const Fires fires = early_ < kEarly ? Fires::kAnyTime : Fires::kLast;
  const common::Time bound = adapter_.cpu().core(core_).config().fence_fallback;
  const common::Time longer = steps.exploring() ? bound : bound << vain_;
  return !steps.wait_until_for(scheduler_.news().changed(), restarted, longer, fires);
}

void FallbackTimer::look() {
  const Adapter::Visit visit(adapter_);
  const Adapter::Visits elsewhere = visit_elsewhere();
  common::Simulation& simulation = adapter_.cpu().simulation();
  const bool early = simulation.steps.exploring() && early_ < kEarly;
  if (early) ++early_;
  if (scheduler_.news().take()) vain_ = 0;
  host::Core& here = adapter_.cpu().core(core_);
  here.enter(DISPATCH_LEVEL, Operation::kDeferredCall, here.config().dpc_latency);
  if (adapter_.system().fallback_polls_interrupt) adapter_.call_interrupt_routine();
  const std::size_t released = scheduler_.scan(
                                   {true, {}}, [](const auto&) {}, Reader::kOsResample) +
                               look_elsewhere();
  if (released == 0 && !early) ++vain_;
  simulation.emit(event::Fallback{adapter_.object(), here.object(), released});
  here.leave();
}

}  // namespace fenceline::os
