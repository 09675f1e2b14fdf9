#pragma once

#include <map>
#include <memory>
#include <string>

#include "tb/os/calls/native_fence_calls.h"
#include "tb/os/objects/cpu_events.h"

namespace fenceline::os {

/// Synchronisation objects of processes: monitored fences and CPU events, and the one call that
/// destroys objects of all kinds.
class SyncObjectCalls {
 public:
  SyncObjectCalls(System& system, FenceReclaimer& reclaimer, CrossAdapterFences& shared,
                  NativeFenceCalls& natives, CpuEvents& cpu_events, DeviceErrors& errors)
      : system_(system),
        reclaimer_(reclaimer),
        shared_(shared),
        natives_(natives),
        cpu_events_(cpu_events),
        errors_(errors) {}

  /// A monitored fence, or (CPU_NOTIFICATION with SignalByKmd) a CPU event of the driver.
  /// STATUS_INVALID_PARAMETER for flags that do not go together or no device;
  /// STATUS_INVALID_HANDLE for a bad event; STATUS_NOT_SUPPORTED for types and flags of another
  /// age. Source: WDDM, D3DKMTCreateSynchronizationObject2.
  NTSTATUS D3DKMTCreateSynchronizationObject2(Process& process,
                                              D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args);
  /// Opens a monitored fence; on another adapter that has native fences it is a native one from
  /// then on. A native fence that may be shared across adapters is a monitored one on those
  /// without. STATUS_INVALID_HANDLE, STATUS_OBJECT_TYPE_MISMATCH for a fence of another kind,
  /// STATUS_NOT_SUPPORTED for a 32-bit one on an adapter with native fences, and for a 64-bit one
  /// on an adapter with 32-bit atomics.
  NTSTATUS D3DKMTOpenSyncObjectFromNtHandle2(Process& process,
                                             D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& args);
  NTSTATUS D3DKMTDestroySynchronizationObject(Process& process,
                                              const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT& args);

  /// A value of its own page in system memory, where CPU and GPU reach it.
  std::shared_ptr<MonitoredFence> create_monitored(Process& process, std::uint64_t initial,
                                                   UINT flags, const std::string& name);

 private:
  using SyncObjects = std::map<D3DKMT_HANDLE, SyncObject>;
  D3DKMT_HANDLE add(Process& process, const SyncObject& object);
  void map_monitored(Process& process, SyncObject& object);
  void report_mapping(const Process& process, const SyncObject& object, bool cached);
  NTSTATUS close(Process& process, SyncObjects::iterator at);

  System& system_;
  FenceReclaimer& reclaimer_;
  CrossAdapterFences& shared_;
  NativeFenceCalls& natives_;
  CpuEvents& cpu_events_;
  DeviceErrors& errors_;
};

}  // namespace fenceline::os
