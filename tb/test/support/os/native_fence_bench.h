#pragma once

#include <functional>
#include <memory>

#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::support {

/// Two processes on the first of two adapters, one on the second.
struct NativeFenceBench {
  NativeFenceBench(os::Kernel& kernel, KernelBench& on)
      : first(kernel), second(kernel), elsewhere(kernel, 1), machine(on) {
    on.events.all.clear();
    ScriptedDriver::calls.clear();
  }
  NTSTATUS open(FenceCaller& by, HANDLE nt_handle) {
    args = {};
    args.hNtHandle = nt_handle;
    args.hDevice = by.process.device();
    return by.kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(by.process, args);
  }
  /// NT handle of a fence that the first process has made.
  HANDLE handle_of(D3DKMT_HANDLE shared) { return first.process.nt_handle(shared); }
  std::shared_ptr<os::NativeFence> native_of(D3DKMT_HANDLE fence) {
    return first.process.fence(fence)->fence;
  }
  template <typename Event>
  std::size_t count() const {
    return machine.events.of<Event>().size();
  }
  os::FenceList& known() { return first.kernel.system.fences; }

  FenceCaller first, second, elsewhere;
  KernelBench& machine;
  D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
};

inline void with_native_fences(const std::function<void(NativeFenceBench&)>& body,
                               const os::KernelOptions& options = managed_kernel()) {
  top::PlatformConfig platform = small_platform();
  platform.gpus.push_back(platform.gpus[0]);
  platform.gpus[1].name = "gpu1";
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](os::Kernel& kernel) {
    NativeFenceBench bench(kernel, machine);
    body(bench);
  }});
}

}  // namespace fenceline::support
