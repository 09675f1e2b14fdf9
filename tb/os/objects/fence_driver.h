#pragma once

#include "tb/os/objects/fence_reclaimer.h"
#include "tb/os/objects/fence_storage.h"

namespace fenceline::os {

/// Driver calls of native fences: create, open for a device, close, destroy.
class FenceDriver {
 public:
  FenceDriver(System& system, FenceStorage& storage, FenceReclaimer& reclaimer)
      : system_(system), storage_(storage), reclaimer_(reclaimer) {}

  /// DxgkDdiCreateNativeFence. @param private_data in and out.
  NTSTATUS create(AdapterState& state, NativeFence& fence, BYTE* private_data);
  /// Maps the values for the process, then calls DxgkDdiOpenNativeFence. After a failure the
  /// mappings are retired.
  NTSTATUS open(AdapterState& state, Process& process, const std::shared_ptr<NativeFence>& fence,
                LocalFence& local);
  /// DxgkDdiCloseNativeFence.
  static void close(const LocalFence& local);
  /// DxgkDdiDestroyNativeFence.
  static void destroy(NativeFence& fence);
  /// GPU mappings that the process has made for the fence.
  static GpuMappings mappings(const Process& process, const LocalFence& local);

 private:
  System& system_;
  FenceStorage& storage_;
  FenceReclaimer& reclaimer_;
};

}  // namespace fenceline::os
