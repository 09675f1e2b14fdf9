// What a trace of fences needs of the OS.
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;

void Kernel::capture_logs(Process& process) {
  cpu_.compute(cpu_.core().config().system_call);
  AdapterState& state = adapters_[process.adapter];
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  calibrate_clock(*state.adapter);
  std::size_t released = 0;
  const bool overrun = follow_logs(state, {true, {}}, released);
  // Entries that are gone may have been the only word of a signal.
  if (overrun && options_.ordering.os.overrun_fallback) state.scheduler->scan({true, {}}, [] {});
  cpu_.lower(old);
}

void Kernel::calibrate_clock(Adapter& adapter) {
  DXGKARG_CALIBRATEGPUCLOCK clock{};
  const NTSTATUS status = adapter.call(Ddi::kCalibrateGpuClock, [&](auto& ddi) {
    return ddi.DxgkDdiCalibrateGpuClock(adapter.handle(), 0, 0, &clock);
  });
  if (!NT_SUCCESS(status)) return;
  simulation_.events.emit(EventKind::kClockCalibrated, simulation_.steps.current(),
                          adapter.object(), clock.GpuClockCounter, clock.CpuClockCounter,
                          clock.GpuFrequency);
}

}  // namespace fenceline::os
