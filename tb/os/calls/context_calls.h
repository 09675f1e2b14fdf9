#pragma once

#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt_memory.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt_sync.h"
#include "tb/os/calls/wait_calls.h"

namespace fenceline::os {

/// Contexts that the OS feeds: the calls of user mode that create them and give them buffers,
/// waits and signals.
class ContextCalls {
 public:
  ContextCalls(System& system, WaitCalls& waits) : system_(system), waits_(waits) {}

  NTSTATUS D3DKMTCreateContextVirtual(Process& process, D3DKMT_CREATECONTEXTVIRTUAL& args);
  /// Buffers take physical addresses, unless NoPatchingRequired. Errors as above.
  NTSTATUS D3DKMTCreateContext(Process& process, D3DKMT_CREATECONTEXT& args);
  /// Source: WDDM, D3DKMTSetContextSchedulingPriority.
  NTSTATUS D3DKMTSetContextSchedulingPriority(Process& process,
                                              const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY& args);
  /// Queues a DMA buffer; blocks while the context has many. STATUS_DEVICE_REMOVED where the device
  /// is in error. What the commands use is in CallOptions, as for D3DKMTRender; with
  /// `allocation_lists` only the OS knows of it.
  NTSTATUS D3DKMTSubmitCommand(Process& process, const D3DKMT_SUBMITCOMMAND& args);
  /// What is submitted to the context from now on waits. Returns at once. For native fences, too:
  /// they support all calls that there are for monitored ones.
  /// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER, STATUS_ACCESS_DENIED for a fence opened with
  /// NoWait.
  NTSTATUS D3DKMTWaitForSynchronizationObjectFromGpu(
      Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& args);
  /// The OS signals when what was submitted to the context before is complete. Errors as above,
  /// with NoSignal.
  NTSTATUS D3DKMTSignalSynchronizationObjectFromGpu(
      Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& args);

 private:
  NTSTATUS create(Process& process, D3DKMT_CREATECONTEXT& args, UINT flags);

  System& system_;
  WaitCalls& waits_;
};

}  // namespace fenceline::os
