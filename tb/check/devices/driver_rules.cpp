#include "tb/check/devices/driver_rules.h"

#include <algorithm>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/driver/ddi_names.h"

namespace fenceline::check {

using common::At;
using os::Ddi;

namespace {

/// True for DDIs that may run during a reset.
bool is_exempt(std::uint64_t ddi) {
  return ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiInterruptRoutine) ||
         ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiDpcRoutine) ||
         ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiSetPowerState);
}
bool is_reset(std::uint64_t ddi) {
  return ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiResetFromTimeout) ||
         ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiRestartFromTimeout);
}

}  // namespace

void DriverRuleChecks::on(const At<event::IsrBegin>& event) {
  adapters_[event.adapter].synced = false;
}

/// Later reports come from DDIs, such as DxgkDdiPreemptCommand.
void DriverRuleChecks::on(const At<event::IsrEnd>& event) {
  adapters_[event.adapter].synced = false;
}

void DriverRuleChecks::on(const At<event::InterruptType>& event) {
  Adapter& adapter = adapters_[event.adapter];
  const bool of_buffers =
      event.type == DXGK_INTERRUPT_DMA_COMPLETED || event.type == DXGK_INTERRUPT_DMA_PREEMPTED ||
      event.type == DXGK_INTERRUPT_DMA_FAULTED || event.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  if (event.type == DXGK_INTERRUPT_CRTC_VSYNC) adapter.synced = true;
  if (!of_buffers) return;
  world_.report.checked(Invariant::kInterruptOrder);
  if (adapter.synced)
    fail_adapter(
        Invariant::kInterruptOrder, event.adapter,
        "a vertical sync was reported ahead of what a DMA buffer has done, in one interrupt");
}

void DriverRuleChecks::on(const At<event::DdiCall>& event) {
  Adapter& adapter = adapters_[event.adapter];
  auto own = std::find_if(adapter.inside.begin(), adapter.inside.end(),
                          [&](const Inside& it) { return it.agent == event.agent; });
  if (own == adapter.inside.end()) own = adapter.inside.insert(own, {event.agent, event.ddi, 0});
  ++own->within;
  if (is_reset(event.ddi)) {
    adapter.resetting = true;
    adapter.resetter = event.agent;
    world_.report.checked(Invariant::kExclusiveReset);
    const bool alone = std::all_of(
        adapter.inside.begin(), adapter.inside.end(),
        [&](const Inside& other) { return other.agent == event.agent || is_exempt(other.ddi); });
    if (!alone)
      fail_adapter(Invariant::kExclusiveReset, event.adapter,
                   "the adapter is reset while another thread is in its driver,");
  } else if (adapter.resetting && adapter.resetter != event.agent && !is_exempt(own->ddi)) {
    fail_adapter(Invariant::kExclusiveReset, event.adapter,
                 "a thread enters the driver while it resets the adapter,");
  }
}

void DriverRuleChecks::on(const At<event::DdiReturn>& event) {
  Adapter& adapter = adapters_[event.adapter];
  const auto it = std::find_if(adapter.inside.begin(), adapter.inside.end(),
                               [&](const Inside& one) { return one.agent == event.agent; });
  if (it != adapter.inside.end() && --it->within == 0) adapter.inside.erase(it);
  if (is_reset(event.ddi)) adapter.resetting = false;
}

/// The position of threads matters only during a reset; otherwise nothing is kept.
void DriverRuleChecks::add_to(Canonical& hash) const {
  for (std::size_t object = 0; object < adapters_.size(); ++object)
    if (adapters_[object].resetting) hash.add(object).add(adapters_[object].inside.size());
}

}  // namespace fenceline::check
