// A driver whose interrupts never name a fence: every one makes the OS look at all waiters. It is
// the driver stub with one function of the OS replaced on the way in.
#include "kmd_stub/ddi/entries.h"

namespace ddi = fenceline::kmd::ddi;

namespace {

DXGKCB_NOTIFY_INTERRUPT notify_os = nullptr;  // one OS, whatever the number of adapters

void notify_without_names(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA changed = *data;
  if (changed.InterruptType == DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) {
    changed.NativeFenceSignaled.SignaledNativeFenceCount = 0;
    changed.NativeFenceSignaled.pSignaledNativeFenceArray = nullptr;
  }
  notify_os(adapter, &changed);
}

NTSTATUS start_device(PVOID context, DXGK_START_INFO* info, DXGKRNL_INTERFACE* functions,
                      ULONG* sources, ULONG* children) {
  if (functions == nullptr) return STATUS_INVALID_PARAMETER;
  DXGKRNL_INTERFACE changed = *functions;
  notify_os = changed.DxgkCbNotifyInterrupt;
  changed.DxgkCbNotifyInterrupt = notify_without_names;
  return ddi::DxgkDdiStartDevice(context, info, &changed, sources, children);
}

}  // namespace

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  ddi::fill_initialization_data(*data);
  data->DxgkDdiStartDevice = start_device;
  return STATUS_SUCCESS;
}
