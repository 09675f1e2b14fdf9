#pragma once

#include <map>
#include <string>

#include "kmd_stub/wddm/d3dkmt/d3dkmt_sync.h"
#include "tb/os/dxgk/device_errors.h"
#include "tb/os/objects/cross_adapter_fences.h"
#include "tb/os/objects/peer_doorbells.h"

namespace fenceline::os {

/// Native fences of processes: the calls of user mode that create and open them, and the close.
class NativeFenceCalls {
 public:
  NativeFenceCalls(System& system, FenceStorage& storage, FenceReclaimer& reclaimer,
                   FenceDriver& driver, CrossAdapterFences& shared, PeerDoorbellLinks& peers,
                   DeviceErrors& errors)
      : system_(system),
        storage_(storage),
        reclaimer_(reclaimer),
        driver_(driver),
        shared_(shared),
        peers_(peers),
        errors_(errors) {}

  /// Values of a shared fence are in system memory. Others are where CallOptions place them.
  NTSTATUS D3DKMTCreateNativeFence(Process& process, D3DKMT_CREATENATIVEFENCE& args);
  NTSTATUS D3DKMTOpenNativeFenceFromNtHandle(Process& process,
                                             D3DKMT_OPENNATIVEFENCEFROMNTHANDLE& args);
  /// The process gets a handle; its queues may wait for the fence from now on.
  D3DKMT_HANDLE add(Process& process, const LocalFence& local);
  using LocalFences = std::map<D3DKMT_HANDLE, LocalFence>;
  void close(Process& process, LocalFences::iterator at);

 private:
  void leave_waiters(Process& process, const LocalFence& local, bool last, bool last_of_all);
  void pass_on_last(MonitoredFence& origin);
  void destroy(Process& process, const LocalFence& local);
  NTSTATUS hand_out(Process& process, const LocalFence& local, D3DKMT_CREATENATIVEFENCE& args);

  System& system_;
  FenceStorage& storage_;
  FenceReclaimer& reclaimer_;
  FenceDriver& driver_;
  CrossAdapterFences& shared_;
  PeerDoorbellLinks& peers_;
  DeviceErrors& errors_;
};

}  // namespace fenceline::os
