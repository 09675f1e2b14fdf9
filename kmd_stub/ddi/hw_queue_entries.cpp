#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiCreateHwQueue(HANDLE hHwContext, DXGKARG_CREATEHWQUEUE* pArgs) {
  return with_argument(
      pArgs, [&](DXGKARG_CREATEHWQUEUE& args) { return create_hw_queue(hHwContext, args); });
}

NTSTATUS DxgkDdiDestroyHwQueue(HANDLE hHwQueue) { return destroy_hw_queue(hHwQueue); }

NTSTATUS DxgkDdiCreateDoorbell(DXGKARG_CREATEDOORBELL* pArgs) {
  return with_argument(pArgs, create_doorbell);
}

NTSTATUS DxgkDdiConnectDoorbell(DXGKARG_CONNECTDOORBELL* pArgs) {
  return with_argument(pArgs, connect_doorbell);
}

NTSTATUS DxgkDdiDisconnectDoorbell(DXGKARG_DISCONNECTDOORBELL* pArgs) {
  return with_argument(pArgs, disconnect_doorbell);
}

NTSTATUS DxgkDdiDestroyDoorbell(DXGKARG_DESTROYDOORBELL* pArgs) {
  return with_argument(pArgs, destroy_doorbell);
}

NTSTATUS DxgkDdiNotifyWorkSubmission(DXGKARG_NOTIFYWORKSUBMISSION* pArgs) {
  return with_argument(pArgs, notify_work_submission);
}

NTSTATUS DxgkDdiSetNativeFenceLogBuffer(DXGKARG_SETNATIVEFENCELOGBUFFER* pArgs) {
  return with_argument(pArgs, set_native_fence_log_buffer);
}

NTSTATUS DxgkDdiUpdateNativeFenceLogs(DXGKARG_UPDATENATIVEFENCELOGS* pArgs) {
  return with_argument(pArgs, update_native_fence_logs);
}

}  // namespace fenceline::kmd::ddi
