#pragma once

#include <string>

#include "tb/os/calls/sync_object_calls.h"

namespace fenceline::os {

/// Processes and their devices: how they come and go.
class DeviceCalls {
 public:
  DeviceCalls(System& system, SyncObjectCalls& sync_objects)
      : system_(system), sync_objects_(sync_objects) {}

  /// With a device. Throws StartFailure where the driver refuses it. @param number of the device,
  /// among those of the process.
  Process& create_process(const std::string& name, std::size_t adapter, std::size_t number = 0);
  /// The process is gone: its device is destroyed, then what it had made with it.
  void end_process(Process& process);
  /// STATUS_INVALID_PARAMETER while it has queues or contexts.
  NTSTATUS D3DKMTDestroyDevice(Process& process, const D3DKMT_DESTROYDEVICE& args);
  /// In the place of a device that is in error, else STATUS_INVALID_PARAMETER.
  /// STATUS_DEVICE_REMOVED for a process that has hung engines too often.
  NTSTATUS D3DKMTCreateDevice(Process& process, D3DKMT_CREATEDEVICE& args);

 private:
  NTSTATUS create(Process& process);

  System& system_;
  SyncObjectCalls& sync_objects_;
};

}  // namespace fenceline::os
