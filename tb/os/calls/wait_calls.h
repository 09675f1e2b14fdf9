#pragma once

#include <vector>

#include "kmd_stub/wddm/d3dkmt/d3dkmt_sync.h"
#include "tb/os/calls/fence_points.h"
#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Waits of threads and signals by the CPU: the calls of user mode, for fences of all kinds.
class WaitCalls {
 public:
  explicit WaitCalls(System& system) : system_(system) {}

  /// Form 1 (hAsyncEvent null): blocks the thread, at most for the limit of its CallOptions;
  /// STATUS_TIMEOUT when it gave up. Form 2: returns at once and sets the event, a KernelEvent,
  /// when satisfied.
  NTSTATUS D3DKMTWaitForSynchronizationObjectFromCpu(
      Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args);
  NTSTATUS D3DKMTSignalSynchronizationObjectFromCpu(
      Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args);
  /// Another adapter has stored values of fences. @param notify the driver is told.
  NTSTATUS signal_from_elsewhere(Process& process, const std::vector<D3DKMT_HANDLE>& handles,
                                 const std::vector<UINT64>& values, bool notify);
  /// Number of a wait that is not one of a thread.
  std::uint32_t next_number() { return waits_.next_number(); }

 private:
  NTSTATUS wait_for_monitored(const std::vector<MonitoredFences::Point>& points,
                              const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args);
  NTSTATUS wait_for_native(AdapterState& state, const std::vector<FenceScheduler::Point>& fences,
                           const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args);
  void clear_late(KernelEvent& event);

  System& system_;
  Waits waits_;
};

}  // namespace fenceline::os
