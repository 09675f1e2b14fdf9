#pragma once

#include <functional>
#include <optional>

#include "tb/os/driver/driver_callbacks.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::support {

/// A thread in the driver of the first adapter, which calls functions of the OS.
struct DriverCallBench {
  DriverCallBench(os::Kernel& of, KernelBench& on)
      : kernel(of), machine(on), adapter(of.adapter(0)) {
    os::fill_callbacks(os, {true, true});
    enter_driver();
    on.events.all.clear();
  }
  DriverCallBench(const DriverCallBench&) = delete;
  DriverCallBench& operator=(const DriverCallBench&) = delete;
  ~DriverCallBench() { adapter.on_fences_signaled = nullptr; }

  HANDLE handle() const { return &adapter; }
  os::Cpu& cpu() const { return kernel.cpu(); }
  void enter_driver() { stay_.emplace(adapter.guard(), os::Ddi::DxgkDdiEscape); }
  void leave_driver() { stay_.reset(); }
  /// The only misuse since the last look is this one.
  bool reported(os::Misuse misuse, std::uint64_t number = 0) const {
    const auto all = machine.events.of<event::DriverMisuse>();
    machine.events.all.clear();
    return all.size() == 1 && all[0].misuse == static_cast<std::uint64_t>(misuse) &&
           all[0].number == number;
  }
  bool quiet() const { return machine.events.of<event::DriverMisuse>().empty(); }
  /// Calls of functions of the OS that were looked at.
  std::uint64_t counted() const {
    return adapter.guard().counts() >> 4 * event::kGuardedCallBits & event::kMaxGuardedCalls;
  }
  void at(KIRQL level, const std::function<void()>& body) const {
    const KIRQL old = cpu().raise(level);
    body();
    cpu().lower(old);
  }

  os::Kernel& kernel;
  KernelBench& machine;
  os::Adapter& adapter;
  DXGKRNL_INTERFACE os{};

 private:
  std::optional<os::DriverGuard::Stay> stay_;
};

inline void with_driver_calls(const std::function<void(DriverCallBench&)>& body,
                              const top::PlatformConfig& platform = small_platform()) {
  KernelBench machine(managed_kernel(), platform);
  machine.run({[&](os::Kernel& kernel) {
    DriverCallBench bench(kernel, machine);
    body(bench);
  }});
}

}  // namespace fenceline::support
