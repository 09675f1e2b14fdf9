#include "tb/os/driver/driver_callbacks.h"

#include <algorithm>

#include "tb/os/driver/adapter.h"
#include "tb/os/driver/interrupt_data.h"
#include "tb/os/objects/doorbells.h"
#include "tb/os/objects/sync_object.h"

namespace fenceline::os {

namespace {

/// The adapter whose driver makes a call that names none; null if no driver runs.
Adapter* caller(Ddi callback, bool good = true) {
  Adapter* adapter = Adapter::inside();
  if (adapter == nullptr) return nullptr;
  adapter->guard().count(event::GuardedCall::kCallback);
  if (!adapter->serves_driver()) adapter->guard().report(Misuse::kCallbackEarly, callback);
  if (!adapter->serves_driver()) return nullptr;
  if (!good) adapter->guard().report(Misuse::kCallbackNull, callback);
  return good ? adapter : nullptr;
}

/// The adapter that the driver has named; null after a report.
/// @param good no pointer is null that must not be.
Adapter* named(HANDLE handle, Ddi callback, bool good = true) {
  Adapter* adapter = Adapter::find(handle);
  if (adapter == nullptr) {
    if ((adapter = caller(callback)) != nullptr)
      adapter->guard().report(Misuse::kCallbackHandle, callback);
    return nullptr;
  }
  adapter->guard().count(event::GuardedCall::kCallback);
  if (!adapter->serves_driver()) {
    adapter->guard().report(Misuse::kCallbackEarly, callback);
  } else if (!good) {
    adapter->guard().report(Misuse::kCallbackNull, callback);
  } else if (adapter->check_irql(callback)) {
    return adapter;
  }
  return nullptr;
}

/// True after a report: the driver is not in that adapter, whose interrupts it reports.
bool is_outside(Adapter& adapter, Ddi callback) {
  if (adapter.guard().depth() != 0) return false;
  adapter.guard().report(Misuse::kCallbackOutside, callback);
  return true;
}

/// False after a report: the OS has not given that object to a driver.
bool is_known(Adapter& adapter, Ddi callback, Adapter::Known kind, HANDLE object) {
  if (adapter.knows(kind, object)) return true;
  adapter.guard().report(Misuse::kCallbackObject, callback);
  return false;
}

BOOLEAN DxgkCbQueueDpc(HANDLE handle) {
  Adapter* adapter = named(handle, Ddi::DxgkCbQueueDpc);
  if (adapter == nullptr) return FALSE;
  return adapter->guard().pass([&] { return adapter->queue_dpc(); }) ? TRUE : FALSE;
}

NTSTATUS DxgkCbQueryServices(HANDLE handle, DXGK_SERVICES service, INTERFACE* table) {
  Adapter* adapter = named(handle, Ddi::DxgkCbQueryServices, table != nullptr);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  return adapter->query_services(service, table);
}

NTSTATUS DxgkCbSynchronizeExecution(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                                    ULONG message, BOOLEAN* result) {
  constexpr Ddi kSelf = Ddi::DxgkCbSynchronizeExecution;
  Adapter* adapter = named(handle, kSelf, routine != nullptr && result != nullptr);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  if (message != 0) {
    adapter->guard().report(Misuse::kCallbackMessage, kSelf, message);
    return STATUS_INVALID_PARAMETER;
  }
  adapter->guard().pass([&] { adapter->synchronize(routine, context, result); });
  return STATUS_SUCCESS;
}

void DxgkCbNotifyInterrupt(HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  constexpr Ddi kSelf = Ddi::DxgkCbNotifyInterrupt;
  Adapter* adapter = named(handle, kSelf, data != nullptr);
  if (adapter == nullptr || is_outside(*adapter, kSelf)) return;
  if (const auto fault = find_fault(*adapter, *data))
    return adapter->guard().report(fault->misuse, kSelf, fault->number);
  adapter->guard().pass([&] { adapter->notify_interrupt(*data); });
}

void DxgkCbNotifyDpc(HANDLE handle) {
  Adapter* adapter = named(handle, Ddi::DxgkCbNotifyDpc);
  if (adapter == nullptr || is_outside(*adapter, Ddi::DxgkCbNotifyDpc)) return;
  adapter->guard().pass([&] { adapter->notify_dpc(); });
}

NTSTATUS is_feature_enabled(HANDLE handle, DXGKARGCB_ISFEATUREENABLED2* args) {
  // Only global features have no adapter, and none of them is modelled.
  if (handle == nullptr) return STATUS_INVALID_PARAMETER;
  Adapter* adapter = named(handle, Ddi::DXGKCB_ISFEATUREENABLED2, args != nullptr);
  return adapter != nullptr ? adapter->is_feature_enabled(*args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS query_feature_interface(HANDLE handle, DXGKARGCB_QUERYFEATUREINTERFACE* args) {
  if (handle == nullptr) return STATUS_INVALID_PARAMETER;
  Adapter* adapter = named(handle, Ddi::DXGKCB_QUERYFEATUREINTERFACE,
                           args != nullptr && args->Interface != nullptr);
  return adapter != nullptr ? adapter->query_feature_interface(*args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS DxgkCbCreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  constexpr Ddi kSelf = Ddi::DxgkCbCreateContextAllocation;
  if (args == nullptr) return caller(kSelf, false), STATUS_INVALID_PARAMETER;
  Adapter* adapter = named(args->hAdapter, kSelf);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  const NTSTATUS status =
      adapter->guard().pass([&] { return adapter->create_context_allocation(*args); });
  if (NT_SUCCESS(status)) adapter->context_allocations().push_back(args->hAllocation);
  return status;
}

NTSTATUS DxgkCbDestroyContextAllocation(const DXGKARGCB_DESTROYCONTEXTALLOCATION* args) {
  constexpr Ddi kSelf = Ddi::DxgkCbDestroyContextAllocation;
  if (args == nullptr) return caller(kSelf, false), STATUS_INVALID_PARAMETER;
  Adapter* adapter = named(args->hAdapter, kSelf);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  std::vector<HANDLE>& made = adapter->context_allocations();
  const auto found = std::find(made.begin(), made.end(), args->hAllocation);
  if (found == made.end()) {
    adapter->guard().report(Misuse::kCallbackObject, kSelf);
    return STATUS_INVALID_HANDLE;
  }
  made.erase(found);
  return adapter->guard().pass(
      [&] { return adapter->destroy_context_allocation(args->hAllocation); });
}

NTSTATUS DxgkCbInvalidateHwContext(const DXGKARGCB_INVALIDATEHWCONTEXT* args) {
  constexpr Ddi kSelf = Ddi::DxgkCbInvalidateHwContext;
  if (args == nullptr) return caller(kSelf, false), STATUS_INVALID_PARAMETER;
  Adapter* adapter = named(args->hAdapter, kSelf);
  if (adapter == nullptr ||
      !is_known(*adapter, kSelf, Adapter::Known::kHwContext, args->hHwContext))
    return STATUS_INVALID_PARAMETER;
  return adapter->guard().pass(
      [&] { return adapter->invalidate_hw_context(args->hHwContext, args->Flags.Value); });
}

NTSTATUS DxgkCbSignalEvent(const DXGKARGCB_SIGNALEVENT* args) {
  constexpr Ddi kSelf = Ddi::DxgkCbSignalEvent;
  Adapter* adapter = caller(kSelf, args != nullptr && args->hEvent != nullptr);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  const bool object = (args->Flags.Value & DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject) != 0;
  const bool local = args->hDxgkProcess != nullptr && !object;
  if (!(local ? is_known(*adapter, kSelf, Adapter::Known::kProcess, args->hDxgkProcess)
              : is_known(*adapter, kSelf, Adapter::Known::kCpuEvent, args->hEvent)))
    return STATUS_INVALID_HANDLE;
  return adapter->guard().pass([&] { return signal_cpu_event(*args); });
}

NTSTATUS DxgkCbDisconnectDoorbell(DXGKARGCB_DISCONNECTDOORBELL* args) {
  constexpr Ddi kSelf = Ddi::DxgkCbDisconnectDoorbell;
  Adapter* adapter = caller(kSelf, args != nullptr);
  if (adapter == nullptr || !adapter->check_irql(kSelf)) return STATUS_INVALID_PARAMETER;
  if (!is_known(*adapter, kSelf, Adapter::Known::kHwQueue, args->hHwQueue) ||
      !is_known(*adapter, kSelf, Adapter::Known::kHwQueue, args->hDoorbell))
    return STATUS_INVALID_HANDLE;
  if (args->DisconnectReason != D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY &&
      args->DisconnectReason != D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT) {
    adapter->guard().report(Misuse::kCallbackValue, kSelf, args->DisconnectReason);
    return STATUS_INVALID_PARAMETER;
  }
  return adapter->guard().pass([&] { return disconnect_doorbell(*args); });
}

}  // namespace

void fill_callbacks(DXGKRNL_INTERFACE& functions, const OptionalCallbacks& optional) {
#define CALLBACK(number, name, type, lowest, highest) functions.name = name;
#include "kmd_stub/wddm/entries.def"
  if (!optional.context_allocations) {
    functions.DxgkCbCreateContextAllocation = nullptr;
    functions.DxgkCbDestroyContextAllocation = nullptr;
  }
  if (!optional.hw_contexts) functions.DxgkCbInvalidateHwContext = nullptr;
}

void fill_feature_callbacks(DXGK_FEATURE_INTERFACE& functions) {
  functions.IsFeatureEnabled = is_feature_enabled;
  functions.QueryFeatureInterface = query_feature_interface;
}

}  // namespace fenceline::os
