#pragma once

// Functions that the OS passes to a driver in DxgkDdiStartDevice.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/feature.h"
#include "kmd_stub/wddm/fences/cpu_event.h"
#include "kmd_stub/wddm/interrupt.h"
#include "kmd_stub/wddm/queues/doorbell.h"
#include "kmd_stub/wddm/queues/preemption.h"
#include "kmd_stub/wddm/queues/scheduling.h"

/// Runs at device level with the interrupt lock held. Source: WDK, KSYNCHRONIZE_ROUTINE.
using PKSYNCHRONIZE_ROUTINE = BOOLEAN (*)(PVOID SynchronizeContext);

/// At device level only, once per event. Source: WDDM, DXGKCB_NOTIFY_INTERRUPT.
using DXGKCB_NOTIFY_INTERRUPT = void (*)(HANDLE hAdapter,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA* pArgs);
/// From DxgkDdiDpcRoutine at DISPATCH_LEVEL: the scheduler handles the notified events. Source:
/// WDDM, DXGKCB_NOTIFY_DPC.
using DXGKCB_NOTIFY_DPC = void (*)(HANDLE hAdapter);
/// Any IRQL; FALSE if a DPC is already queued. Source: WDDM, DXGKCB_QUEUE_DPC.
using DXGKCB_QUEUE_DPC = BOOLEAN (*)(HANDLE DeviceHandle);
/// Up to DISPATCH_LEVEL. `ReturnValue` gets the result of the routine.
/// Source: WDDM, DXGKCB_SYNCHRONIZE_EXECUTION.
using DXGKCB_SYNCHRONIZE_EXECUTION = NTSTATUS (*)(HANDLE DeviceHandle,
                                                  PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                  PVOID Context, ULONG MessageNumber,
                                                  BOOLEAN* ReturnValue);
/// PASSIVE_LEVEL, from DxgkDdiStartDevice on. The caller sets Size and Version of `Interface`.
/// Source: WDDM, DXGKCB_QUERY_SERVICES.
using DXGKCB_QUERY_SERVICES = NTSTATUS (*)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType,
                                           INTERFACE* Interface);

/// Excerpt: members keep the interface's order, unused members are left out, so offsets differ from
/// the interface. The functions are declared in entries.def. DxgkCbCreateContextAllocation may be
/// null: then buffers cannot be preempted. Source: WDDM, DXGKRNL_INTERFACE.
struct DXGKRNL_INTERFACE {
  ULONG Size;
  ULONG Version;
  HANDLE DeviceHandle;  ///< first argument of the functions
#define CALLBACK(number, name, type, lowest, highest) type name;
#include "kmd_stub/wddm/entries.def"
};

/// Source: WDK, LUID.
struct LUID {
  ULONG LowPart;
  LONG HighPart;
};

/// Excerpt. Source: WDDM, DXGK_START_INFO.
struct DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LUID AdapterLuid;
};
