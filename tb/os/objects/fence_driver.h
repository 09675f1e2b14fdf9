#pragma once

#include "tb/os/objects/fence_reclaimer.h"
#include "tb/os/objects/fence_storage.h"

namespace fenceline::os {

/// Native fences at the driver of their adapter: created, opened for a device, closed, destroyed.
class FenceDriver {
 public:
  FenceDriver(System& system, FenceStorage& storage, FenceReclaimer& reclaimer)
      : system_(system), storage_(storage), reclaimer_(reclaimer) {}

  /// DxgkDdiCreateNativeFence. @param private_data in and out.
  NTSTATUS create(AdapterState& state, NativeFence& fence, BYTE* private_data);
  /// Maps the values for the process, and DxgkDdiOpenNativeFence. Where that fails all that the
  /// opening made is retired.
  NTSTATUS open(AdapterState& state, Process& process, const std::shared_ptr<NativeFence>& fence,
                LocalFence& local);
  /// DxgkDdiCloseNativeFence.
  static void close(const LocalFence& local);
  /// DxgkDdiDestroyNativeFence.
  static void destroy(NativeFence& fence);
  /// What a process has mapped for its GPU.
  static GpuMappings mappings(const Process& process, const LocalFence& local);

 private:
  System& system_;
  FenceStorage& storage_;
  FenceReclaimer& reclaimer_;
};

}  // namespace fenceline::os
