#pragma once

// Entry points of a driver.

#include "kmd_stub/wddm/adapter_caps.h"
#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/display.h"
#include "kmd_stub/wddm/dxgkrnl_interface.h"
#include "kmd_stub/wddm/feature.h"
#include "kmd_stub/wddm/fences/cpu_event.h"
#include "kmd_stub/wddm/fences/native_fence.h"
#include "kmd_stub/wddm/fences/native_fence_log.h"
#include "kmd_stub/wddm/interrupt.h"
#include "kmd_stub/wddm/memory/allocation.h"
#include "kmd_stub/wddm/memory/memory.h"
#include "kmd_stub/wddm/memory/paging.h"
#include "kmd_stub/wddm/memory/patching.h"
#include "kmd_stub/wddm/queues/doorbell.h"
#include "kmd_stub/wddm/queues/hw_queue.h"
#include "kmd_stub/wddm/queues/preemption.h"
#include "kmd_stub/wddm/queues/submission.h"

/// Creates the adapter's context, which is the handle of all later calls. PASSIVE_LEVEL, like the
/// next three. `PhysicalDeviceObject` is opaque. Source: WDDM, DxgkDdiAddDevice.
using PDXGKDDI_ADD_DEVICE = NTSTATUS (*)(PVOID PhysicalDeviceObject, PVOID* MiniportDeviceContext);
/// Source: WDDM, DxgkDdiStartDevice.
using PDXGKDDI_START_DEVICE = NTSTATUS (*)(PVOID MiniportDeviceContext,
                                           DXGK_START_INFO* DxgkStartInfo,
                                           DXGKRNL_INTERFACE* DxgkInterface,
                                           ULONG* NumberOfVideoPresentSources,
                                           ULONG* NumberOfChildren);
/// Source: WDDM, DxgkDdiStopDevice.
using PDXGKDDI_STOP_DEVICE = NTSTATUS (*)(PVOID MiniportDeviceContext);
/// Source: WDDM, DxgkDdiRemoveDevice.
using PDXGKDDI_REMOVE_DEVICE = NTSTATUS (*)(PVOID MiniportDeviceContext);

/// Entry points of a driver. Excerpt: members keep the interface's order, unused members are left
/// out, so offsets differ from the interface. They are declared in entries.def. An entry that the
/// driver does not implement is null.
/// Source: WDDM, DRIVER_INITIALIZATION_DATA.
struct DRIVER_INITIALIZATION_DATA {
  ULONG Version;  ///< DXGKDDI_INTERFACE_VERSION_*
#define DDI(number, name, type, version, lowest, highest) type name;
#include "kmd_stub/wddm/entries.def"
};

/// Entry of the driver: fills the table. Replaces the real DriverEntry, which passes the table to
/// DxgkInitialize. Assumption: the caller zeroes the table except Version. Version replaces the
/// version that the driver is compiled for; 0: the newest known version.
extern "C" NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data);
