#pragma once

#include <string>

#include "kmd_stub/wddm/d3dkmt.h"
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

  /// Creates hardware context, queue, logs and a connected doorbell.
  /// @param context hardware context of the process; empty: one of its own. It is created with its
  /// first queue.
  NTSTATUS D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args,
                               const std::string& name, UINT node, UINT log_entries,
                               const Backing& ring, const std::string& context = {});
  /// Where queues share doorbells: connects that of a queue, and wakes the adapter for it.
  /// STATUS_DEVICE_REMOVED for a queue that is lost, or what the driver returns.
  /// Source: WDDM, D3DKMTConnectDoorbell.
  /// A doorbell has the handle of its queue.
  NTSTATUS D3DKMTConnectDoorbell(Process& process, const D3DKMT_CONNECTDOORBELL& args);
  /// After each doorbell whose status is CONNECTED_NOTIFY_KMD. Source: WDDM.
  NTSTATUS D3DKMTNotifyWorkSubmission(Process& process, const D3DKMT_NOTIFY_WORK_SUBMISSION& args);
  /// STATUS_INVALID_PARAMETER: hardware queues are all fed by user mode, and the OS has no queue in
  /// front of them in which a wait could stand.
  /// Source: WDDM, D3DDDI_CREATEHWQUEUEFLAGS.UserModeSubmission.
  NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE& args);
  NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE& args);

 private:
  NTSTATUS create_progress_fence(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS create_at_driver(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  static void destroy_at_driver(Adapter& adapter, const HwQueue& queue);
  NTSTATUS create_doorbell(Process& process, HwQueue& queue);
  NTSTATUS share_doorbell(Process& process, HwQueue& queue);
  NTSTATUS add_logs(Process& process, HwQueue& queue, UINT node, UINT entries);

  System& system_;
  FixedMemory& memory_;
  HwContexts& contexts_;
  LogBuffers& logs_;
  NativeFenceCalls& fences_;
  PeerDoorbellLinks& peers_;
};

}  // namespace fenceline::os
