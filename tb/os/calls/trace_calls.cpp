#include "tb/os/calls/trace_calls.h"

#include <optional>

#include "models/abi/mutant.h"
#include "models/abi/private_data.h"

namespace fenceline::os {

void TraceCalls::capture_logs(Process& process) {
  system_.enter_call();
  AdapterState& state = system_.of(process);
  const Adapter::Visit visit(*state.adapter);
  const KIRQL old = system_.cpu.raise(DISPATCH_LEVEL);
  calibrate_clock(*state.adapter);
  state.logs->settle(state.logs->read(state.logs->queues()));
  system_.cpu.lower(old);
}

void TraceCalls::calibrate_clock(Adapter& adapter) {
  DXGKARG_CALIBRATEGPUCLOCK clock{};
  const NTSTATUS status =
      adapter.call<Ddi::DxgkDdiCalibrateGpuClock>(adapter.handle(), 0U, 0U, &clock);
  if (!NT_SUCCESS(status)) return;
  system_.simulation.emit(event::ClockCalibrated{adapter.object(), clock.GpuClockCounter,
                                                 clock.CpuClockCounter, clock.GpuFrequency});
}

void TraceCalls::set_verbose(bool verbose) {
  system_.enter_call();
  std::optional<MutexScope> one;
  if (!abi::mutant(abi::Mutant::kLevelsOverlap)) one.emplace(one_change_);
  const auto tell = [&](event::LogLevel level) {
    for (const AdapterState& state : system_.adapters)
      if (!state.failure)
        system_.simulation.emit(event::LogLevelChanged{state.adapter->object(), level});
  };
  const auto tell_user_mode = [&] {
    system_.objects.alter();
    if (system_.options.adapter.system.level_to_user_mode) user_verbose_ = verbose;
  };
  if (verbose) logs_.enlarge_all();
  tell(event::LogLevel::kChanging);
  if (!verbose) tell_user_mode();
  for (const AdapterState& state : system_.adapters)
    if (!state.failure && system_.options.adapter.system.level_to_kernel_mode)
      tell_driver(*state.adapter, verbose);
  if (verbose) tell_user_mode();
  tell(verbose ? event::LogLevel::kVerbose : event::LogLevel::kNormal);
}

void TraceCalls::tell_driver(Adapter& adapter, bool verbose) {
  abi::LoggingLevelEscape level{abi::kLoggingLevelEscape, verbose ? 1U : 0U};
  DXGKARG_ESCAPE escape{};
  escape.Flags.Value =
      D3DDDI_ESCAPEFLAGS::kDriverKnownEscape | D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization;
  escape.pPrivateDriverData = &level;
  escape.PrivateDriverDataSize = sizeof level;
  adapter.call<Ddi::DxgkDdiEscape>(adapter.handle(), &escape);
}

bool TraceCalls::verbose() {
  system_.objects.look();
  return user_verbose_;
}

}  // namespace fenceline::os
