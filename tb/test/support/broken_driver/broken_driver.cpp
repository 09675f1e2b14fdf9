// The driver stub with one mistake: FENCELINE_BROKEN says which. Each breaks one invariant.
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/host/host_port.h"

namespace ddi = fenceline::kmd::ddi;

namespace {

using Notification = DXGKARGCB_NOTIFY_INTERRUPT_DATA;

DXGKCB_NOTIFY_INTERRUPT notify_os = nullptr;  // one OS, whatever the number of adapters
fenceline::kmd_host::HostPort* port = nullptr;
void* progress_fence = nullptr;
bool queue_named = false;

bool wanted(const char* mistake) {
  const char* chosen = std::getenv("FENCELINE_BROKEN");
  return chosen != nullptr && std::strcmp(chosen, mistake) == 0;
}

/// Stores a MonitoredValue that every signal exceeds.
NTSTATUS update_monitored_values(DXGKARG_UPDATEMONITOREDVALUES* args) {
  if (args == nullptr || !wanted("low_monitored")) return ddi::DxgkDdiUpdateMonitoredValues(args);
  std::vector<UINT64> values(args->UpdatedValueArray, args->UpdatedValueArray + args->NumFences);
  for (UINT64& value : values)
    if (value != UINT64_MAX) value = 0;
  DXGKARG_UPDATEMONITOREDVALUES changed = *args;
  changed.UpdatedValueArray = values.data();
  return ddi::DxgkDdiUpdateMonitoredValues(&changed);
}

/// Stores the low half of a value.
NTSTATUS update_current_values(DXGKARG_UPDATECURRENTVALUESFROMCPU* args) {
  if (args == nullptr || args->UpdatedValueArray == nullptr || !wanted("low_half"))
    return ddi::DxgkDdiUpdateCurrentValuesFromCpu(args);
  std::vector<UINT64> values(args->UpdatedValueArray, args->UpdatedValueArray + args->NumFences);
  for (UINT64& value : values) value &= UINT32_MAX;
  DXGKARG_UPDATECURRENTVALUESFROMCPU changed = *args;
  changed.UpdatedValueArray = values.data();
  return ddi::DxgkDdiUpdateCurrentValuesFromCpu(&changed);
}

NTSTATUS create_hw_queue(HANDLE context, DXGKARG_CREATEHWQUEUE* args) {
  if (args != nullptr) progress_fence = args->HwQueueProgressFenceCPUVirtualAddress;
  return ddi::DxgkDdiCreateHwQueue(context, args);
}

/// Starts the progress fence again with a new log.
NTSTATUS set_log_buffer(DXGKARG_SETNATIVEFENCELOGBUFFER* args) {
  if (wanted("progress") && progress_fence != nullptr) port->write_memory(progress_fence, 0);
  return ddi::DxgkDdiSetNativeFenceLogBuffer(args);
}

/// Leaves EvaluateLegacyMonitoredFences out, or all queues of an interrupt but the first, or
/// reports nothing.
void notify(HANDLE adapter, const Notification* data) {
  if (wanted("silent")) return;
  Notification changed = *data;
  const bool fences = data->InterruptType == DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED;
  if (fences && wanted("no_flag")) changed.Flags.Value = 0;
  if (fences && wanted("first_queue") && std::exchange(queue_named, true)) return;
  notify_os(adapter, &changed);
}

BOOLEAN interrupt_routine(PVOID context, ULONG message) {
  queue_named = false;
  return ddi::DxgkDdiInterruptRoutine(context, message);
}

NTSTATUS add_device(PVOID device, PVOID* context) {
  port = static_cast<fenceline::kmd_host::HostPort*>(device);
  return ddi::DxgkDdiAddDevice(device, context);
}

NTSTATUS start_device(PVOID context, DXGK_START_INFO* info, DXGKRNL_INTERFACE* functions,
                      ULONG* sources, ULONG* children) {
  if (functions == nullptr) return STATUS_INVALID_PARAMETER;
  DXGKRNL_INTERFACE changed = *functions;
  notify_os = changed.DxgkCbNotifyInterrupt;
  changed.DxgkCbNotifyInterrupt = notify;
  return ddi::DxgkDdiStartDevice(context, info, &changed, sources, children);
}

}  // namespace

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  ddi::fill_initialization_data(*data);
  data->DxgkDdiAddDevice = add_device;
  data->DxgkDdiStartDevice = start_device;
  data->DxgkDdiInterruptRoutine = interrupt_routine;
  data->DxgkDdiUpdateMonitoredValues = update_monitored_values;
  data->DxgkDdiUpdateCurrentValuesFromCpu = update_current_values;
  data->DxgkDdiCreateHwQueue = create_hw_queue;
  data->DxgkDdiSetNativeFenceLogBuffer = set_log_buffer;
  return STATUS_SUCCESS;
}
