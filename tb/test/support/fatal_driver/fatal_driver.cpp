// The driver stub with a fault: it crashes, or loops for ever, when it names a fence to the OS, or
// does not start. That takes an interrupt, which some orders have and others have not.
// FENCELINE_FATAL says what it does.
#include <cstdlib>
#include <cstring>

#include "kmd_stub/ddi/entries.h"

namespace ddi = fenceline::kmd::ddi;

namespace {

DXGKCB_NOTIFY_INTERRUPT notify_os = nullptr;  // one OS, whatever the number of adapters

bool wanted(const char* fault) {
  const char* chosen = std::getenv("FENCELINE_FATAL");
  return chosen != nullptr && std::strcmp(chosen, fault) == 0;
}

void notify(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  if (wanted("crash")) std::abort();
  if (wanted("exit")) std::_Exit(7);
  if (wanted("quit")) std::exit(0);
  static volatile bool for_ever = true;
  while (wanted("loop") && for_ever) {
  }
  notify_os(adapter, data);
}

NTSTATUS start_device(PVOID context, DXGK_START_INFO* info, DXGKRNL_INTERFACE* functions,
                      ULONG* sources, ULONG* children) {
  if (functions == nullptr) return STATUS_INVALID_PARAMETER;
  if (wanted("start")) std::abort();
  if (wanted("refuse")) return STATUS_INSUFFICIENT_RESOURCES;
  DXGKRNL_INTERFACE changed = *functions;
  notify_os = changed.DxgkCbNotifyInterrupt;
  changed.DxgkCbNotifyInterrupt = notify;
  return ddi::DxgkDdiStartDevice(context, info, &changed, sources, children);
}

}  // namespace

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  ddi::fill_initialization_data(*data);
  data->DxgkDdiStartDevice = start_device;
  return STATUS_SUCCESS;
}
