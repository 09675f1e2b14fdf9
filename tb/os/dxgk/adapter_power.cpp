#include "tb/os/dxgk/adapter_power.h"

#include "tb/os/contexts/context_scheduler.h"
#include "tb/os/dxgk/adapter_state.h"

namespace fenceline::os {

namespace {
/// Transition from D3hot to D0. Source: PCI Bus Power Management Interface, section 5.6.1; A-232.
constexpr common::Time kWakeTime = 10 * common::kMillisecond;
}  // namespace

AdapterPower::AdapterPower(Cpu& cpu, AdapterState& of, ContextScheduler* contexts)
    : cpu_(cpu), of_(of), contexts_(contexts), changed_(cpu.simulation().steps), state_(cpu) {}

bool AdapterPower::steady() const {
  state_.read();
  return on_ && !changing_;
}

void AdapterPower::wake(std::uint64_t escape_flags) { set(true, escape_flags | 1ULL << 32); }

/// The hold counts first: from then on nobody begins to leave D0.
void AdapterPower::hold() {
  state_.alter();
  ++holds_;
  wake();
}

void AdapterPower::release() {
  state_.alter();
  --holds_;
}

/// On return no other thread changes the state.
void AdapterPower::wait_for_turn() {
  for (;;) {
    state_.look();
    if (!changing_) break;
    changed_.clear();
    cpu_.block(changed_, nullptr);
  }
}

/// Stops all parts that use the device. False, and all go on, if queues or contexts have work or
/// memory is moved. To disconnect doorbells takes time, in which contexts may get work: memory
/// comes first, because its requests wait from then on until they can wake the adapter. To close
/// windows takes time, too: before, nodes end to take work.
bool AdapterPower::take_leave() const {
  if (of_.memory != nullptr && !of_.memory->sleep()) return false;
  const bool left = of_.doorbells == nullptr || of_.doorbells->sleep();
  if (left && (contexts_ == nullptr || contexts_->table.leave_d0(*of_.adapter))) {
    if (of_.adapter->host_aperture() != nullptr) of_.adapter->host_aperture()->sleep();
    return true;
  }
  if (of_.memory != nullptr) of_.memory->wake_up();
  if (left && of_.doorbells != nullptr) of_.doorbells->wake();
  return false;
}

bool AdapterPower::has_context_work() const {
  return contexts_ != nullptr && contexts_->table.busy(*of_.adapter);
}

void AdapterPower::finish() {
  state_.alter();
  changing_ = false;
  changed_.set();
}

NTSTATUS AdapterPower::tell_driver(bool on) const {
  Adapter& adapter = *of_.adapter;
  if (on) adapter.set_device_power(true);
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiSetPowerState>(
      adapter.handle(), DISPLAY_ADAPTER_HW_ID, on ? PowerDeviceD0 : PowerDeviceD3, PowerActionNone);
  if (!on) adapter.set_device_power(false);
  return status;
}

NTSTATUS AdapterPower::set(bool on, std::uint64_t escape_flags) {
  wait_for_turn();
  if (on_ == on) return STATUS_SUCCESS;
  Adapter& adapter = *of_.adapter;
  if (!on && (holds_ != 0 || has_context_work())) return STATUS_INVALID_DEVICE_STATE;
  if (!on && of_.flips != nullptr && of_.flips->busy()) return STATUS_INVALID_DEVICE_STATE;
  HostAperture* const window = adapter.host_aperture();
  state_.change();
  changing_ = true;
  if (!on && !take_leave()) {
    finish();
    return STATUS_INVALID_DEVICE_STATE;
  }
  if (on) cpu_.sleep(kWakeTime);
  state_.alter();
  on_ = on;
  cpu_.simulation().emit(event::AdapterPower{adapter.object(), on ? 0U : 3U,
                                             escape_flags & UINT32_MAX, escape_flags >> 32 != 0});
  if (!on && window != nullptr) window->check_empty();
  const NTSTATUS status = tell_driver(on);
  if (on && window != nullptr) window->wake();
  if (on && of_.memory != nullptr) of_.memory->wake_up();
  if (on && of_.doorbells != nullptr) of_.doorbells->wake();
  if (on && contexts_ != nullptr) contexts_->table.enter_d0(adapter);
  finish();
  return status;
}

}  // namespace fenceline::os
