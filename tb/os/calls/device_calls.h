#pragma once

#include <string>

#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Processes and their devices: how they come and go.
class DeviceCalls {
 public:
  explicit DeviceCalls(System& system) : system_(system) {}

  /// With a device. Throws StartFailure where the driver refuses it. @param number of the device,
  /// among those of the process.
  Process& create_process(const std::string& name, std::size_t adapter, std::size_t number = 0);
  /// STATUS_INVALID_PARAMETER while it has queues or contexts.
  NTSTATUS D3DKMTDestroyDevice(Process& process, const D3DKMT_DESTROYDEVICE& args);
  /// In the place of a device that is in error, else STATUS_INVALID_PARAMETER.
  /// STATUS_DEVICE_REMOVED for a process that has hung engines too often.
  NTSTATUS D3DKMTCreateDevice(Process& process, D3DKMT_CREATEDEVICE& args);

 private:
  NTSTATUS create(Process& process);

  System& system_;
};

}  // namespace fenceline::os
