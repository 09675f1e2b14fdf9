#pragma once

#include "kmd_stub/wddm/dxgkrnl_interface.h"

namespace fenceline::kmd {

/// Functions of the OS for one adapter. @pre call set_functions before all others. Source: WDDM,
/// DXGKRNL_INTERFACE.
class OperatingSystem {
 public:
  void set_functions(const DXGKRNL_INTERFACE& functions) { functions_ = functions; }

  HANDLE device_handle() const { return functions_.DeviceHandle; }

  /// Fills a service's table. IRQL: PASSIVE_LEVEL.
  template <typename Table>
  NTSTATUS query_services(DXGK_SERVICES service, USHORT version, Table& table) const {
    table.Size = sizeof(Table);
    table.Version = version;
    return functions_.DxgkCbQueryServices(functions_.DeviceHandle, service,
                                          reinterpret_cast<INTERFACE*>(&table));
  }

  /// Reports an event. IRQL: device.
  void notify_interrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) const {
    functions_.DxgkCbNotifyInterrupt(functions_.DeviceHandle, &data);
  }
  /// Any IRQL.
  void queue_dpc() const { functions_.DxgkCbQueueDpc(functions_.DeviceHandle); }
  /// IRQL: DISPATCH_LEVEL.
  void notify_dpc() const { functions_.DxgkCbNotifyDpc(functions_.DeviceHandle); }

  /// IRQL: PASSIVE_LEVEL. STATUS_NOT_SUPPORTED if the OS has no context allocations.
  NTSTATUS create_context_allocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) const {
    args.hAdapter = functions_.DeviceHandle;
    if (functions_.DxgkCbCreateContextAllocation == nullptr) return STATUS_NOT_SUPPORTED;
    return functions_.DxgkCbCreateContextAllocation(&args);
  }
  /// IRQL: PASSIVE_LEVEL.
  void destroy_context_allocation(HANDLE allocation) const {
    const DXGKARGCB_DESTROYCONTEXTALLOCATION args{functions_.DeviceHandle, allocation};
    functions_.DxgkCbDestroyContextAllocation(&args);
  }

  /// Reports a context of the OS as lost. @param flags of DXGK_INVALIDATEHWCONTEXTFLAGS. IRQL:
  /// PASSIVE_LEVEL.
  void invalidate_hw_context(HANDLE context, UINT flags) const {
    const DXGKARGCB_INVALIDATEHWCONTEXT args{functions_.DeviceHandle, context, {flags}};
    if (functions_.DxgkCbInvalidateHwContext != nullptr)
      functions_.DxgkCbInvalidateHwContext(&args);
  }

  /// IRQL: up to DISPATCH_LEVEL.
  NTSTATUS signal_event(const DXGKARGCB_SIGNALEVENT& args) const {
    return functions_.DxgkCbSignalEvent(&args);
  }

  /// On return user mode has lost the doorbell. IRQL: PASSIVE_LEVEL.
  NTSTATUS disconnect_doorbell(DXGKARGCB_DISCONNECTDOORBELL& args) const {
    return functions_.DxgkCbDisconnectDoorbell(&args);
  }

  /// Runs `routine()` at device level under the interrupt lock. IRQL: up to DISPATCH_LEVEL.
  template <typename Routine>
  NTSTATUS synchronize(Routine routine) const {
    BOOLEAN result = FALSE;
    return functions_.DxgkCbSynchronizeExecution(
        functions_.DeviceHandle,
        [](PVOID context) -> BOOLEAN {
          (*static_cast<Routine*>(context))();
          return TRUE;
        },
        &routine, kMessageNumber, &result);
  }

  static constexpr ULONG kMessageNumber = 0;  ///< DXGK_DRIVERCAPS.InterruptMessageNumber

 private:
  DXGKRNL_INTERFACE functions_{};
};

}  // namespace fenceline::kmd
