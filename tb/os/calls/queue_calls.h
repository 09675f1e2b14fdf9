#pragma once

#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "tb/os/calls/native_fence_calls.h"
#include "tb/os/vidsch/hw_contexts.h"
#include "tb/os/vidsch/log_buffers.h"

namespace fenceline::os {

/// Hardware queues of user-mode submission: the calls that create them, with context, logs and
/// doorbell, and those about their doorbells.
class QueueCalls {
 public:
  QueueCalls(System& system, FixedMemory& memory, HwContexts& contexts, LogBuffers& logs,
             NativeFenceCalls& fences, PeerDoorbellLinks& peers)
      : system_(system),
        memory_(memory),
        contexts_(contexts),
        logs_(logs),
        fences_(fences),
        peers_(peers) {}

  /// The driver creates it with its first queue. Source: WDDM, D3DKMTCreateHwContext.
  NTSTATUS D3DKMTCreateHwContext(Process& process, D3DKMT_CREATEHWCONTEXT& args);
  /// A failure leaves nothing behind, here and at the driver. With logs by its CallOptions, and a
  /// connected doorbell. pPrivateDriverData: abi::QueuePrivateData, whose ring is fixed memory of
  /// the process.
  NTSTATUS D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args);
  /// The doorbell was created and connected with its queue. If queues share doorbells, status and
  /// last queued value are returned: user mode must read the status after it rings.
  NTSTATUS D3DKMTCreateDoorbell(Process& process, D3DKMT_CREATEDOORBELL& args);
  /// Where queues share doorbells: connects that of a queue, and wakes the adapter for it.
  /// STATUS_DEVICE_REMOVED for a queue that is lost, or what the driver returns.
  /// Source: WDDM, D3DKMTConnectDoorbell.
  NTSTATUS D3DKMTConnectDoorbell(Process& process, const D3DKMT_CONNECTDOORBELL& args);
  /// After each doorbell whose status is CONNECTED_NOTIFY_KMD. Source: WDDM.
  NTSTATUS D3DKMTNotifyWorkSubmission(Process& process, const D3DKMT_NOTIFY_WORK_SUBMISSION& args);
  /// STATUS_NOT_SUPPORTED: user mode feeds every queue through its ring and doorbell.
  NTSTATUS D3DKMTSubmitCommandToHwQueue(Process& process,
                                        const D3DKMT_SUBMITCOMMANDTOHWQUEUE& args);
  /// STATUS_INVALID_PARAMETER: hardware queues are all fed by user mode, and the OS has no queue in
  /// front of them in which a wait could stand.
  /// Source: WDDM, D3DDDI_CREATEHWQUEUEFLAGS.UserModeSubmission.
  NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE& args);
  NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE& args);
  /// Queue whose shared doorbell has this user address; null for other addresses.
  static const HwQueue* queue_of_doorbell(const Process& process, const void* address);

 private:
  NTSTATUS create_parts(Process& process, HwQueue& queue, HwContext& context,
                        D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS create_progress_fence(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS create_at_driver(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  void take_back(Process& process, const HwQueue& queue);
  static void destroy_doorbell(Adapter& adapter, const HwQueue& queue);
  NTSTATUS create_doorbell(Process& process, HwQueue& queue);
  NTSTATUS share_doorbell(Process& process, HwQueue& queue);
  NTSTATUS connect(Process& process, HwQueue& queue);
  NTSTATUS add_logs(Process& process, HwQueue& queue, UINT entries);

  System& system_;
  FixedMemory& memory_;
  HwContexts& contexts_;
  LogBuffers& logs_;
  NativeFenceCalls& fences_;
  PeerDoorbellLinks& peers_;
};

}  // namespace fenceline::os
