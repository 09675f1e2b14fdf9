// What a trace of fences needs of the OS.
#include "models/abi/private_data.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

void Kernel::capture_logs(Process& process) {
  enter_call();
  AdapterState& state = adapters_[process.adapter];
  const Adapter::Visit visit(*state.adapter);
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  calibrate_clock(*state.adapter);
  state.logs->settle(state.logs->read(state.logs->queues()));
  cpu_.lower(old);
}

void Kernel::calibrate_clock(Adapter& adapter) {
  DXGKARG_CALIBRATEGPUCLOCK clock{};
  const NTSTATUS status = adapter.call(Ddi::kCalibrateGpuClock, [&](auto& ddi) {
    return ddi.DxgkDdiCalibrateGpuClock(adapter.handle(), 0, 0, &clock);
  });
  if (!NT_SUCCESS(status)) return;
  simulation_.emit(event::ClockCalibrated{adapter.object(), clock.GpuClockCounter,
                                          clock.CpuClockCounter, clock.GpuFrequency});
}

/// User mode records what only a trace wants while the device executes it: the kernel-mode driver
/// is told first when it begins and last when it ends.
void Kernel::set_verbose_logging(bool verbose) {
  enter_call();
  const common::AgentId agent = simulation_.steps.current();
  const auto tell = [&](common::LogLevel level) {
    for (const AdapterState& state : adapters_)
      if (!state.failure)
        simulation_.events.emit(agent, event::LogLevelChanged{state.adapter->object(), level});
  };
  const auto tell_user_mode = [&] {
    objects_.alter();
    if (options_.adapter.system.level_to_user_mode) user_verbose_ = verbose;
  };
  if (verbose) enlarge_logs();
  tell(common::LogLevel::kChanging);
  if (!verbose) tell_user_mode();
  for (const AdapterState& state : adapters_)
    if (!state.failure && options_.adapter.system.level_to_kernel_mode)
      tell_driver_of_level(*state.adapter, verbose);
  if (verbose) tell_user_mode();
  tell(verbose ? common::LogLevel::kVerbose : common::LogLevel::kNormal);
}

void Kernel::tell_driver_of_level(Adapter& adapter, bool verbose) {
  abi::LoggingLevelEscape level{abi::kLoggingLevelEscape, verbose ? 1U : 0U};
  DXGKARG_ESCAPE escape{};
  escape.Flags.Value =
      D3DDDI_ESCAPEFLAGS::kDriverKnownEscape | D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization;
  escape.pPrivateDriverData = &level;
  escape.PrivateDriverDataSize = sizeof level;
  adapter.call(Ddi::kEscape,
               [&](auto& ddi) { return ddi.DxgkDdiEscape(adapter.handle(), &escape); });
}

bool Kernel::verbose_logging() {
  objects_.look();
  return user_verbose_;
}

}  // namespace fenceline::os
