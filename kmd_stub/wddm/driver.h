#pragma once

// Entry points of a driver.

#include "kmd_stub/wddm/adapter_caps.h"
#include "kmd_stub/wddm/allocation.h"
#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/cpu_event.h"
#include "kmd_stub/wddm/display.h"
#include "kmd_stub/wddm/doorbell.h"
#include "kmd_stub/wddm/dxgkrnl_interface.h"
#include "kmd_stub/wddm/feature.h"
#include "kmd_stub/wddm/hw_queue.h"
#include "kmd_stub/wddm/interrupt.h"
#include "kmd_stub/wddm/memory.h"
#include "kmd_stub/wddm/native_fence.h"
#include "kmd_stub/wddm/native_fence_log.h"
#include "kmd_stub/wddm/paging.h"
#include "kmd_stub/wddm/patching.h"
#include "kmd_stub/wddm/preemption.h"
#include "kmd_stub/wddm/submission.h"

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
/// out, so offsets differ from the interface. An entry that the driver does not implement is null.
/// Source: WDDM, DRIVER_INITIALIZATION_DATA.
struct DRIVER_INITIALIZATION_DATA {
  ULONG Version;  ///< DXGKDDI_INTERFACE_VERSION_*
  PDXGKDDI_ADD_DEVICE DxgkDdiAddDevice;
  PDXGKDDI_START_DEVICE DxgkDdiStartDevice;
  PDXGKDDI_STOP_DEVICE DxgkDdiStopDevice;
  PDXGKDDI_REMOVE_DEVICE DxgkDdiRemoveDevice;
  PDXGKDDI_INTERRUPT_ROUTINE DxgkDdiInterruptRoutine;
  PDXGKDDI_DPC_ROUTINE DxgkDdiDpcRoutine;
  PDXGKDDI_SET_POWER_STATE DxgkDdiSetPowerState;
  PDXGKDDI_QUERY_INTERFACE DxgkDdiQueryInterface;
  PDXGKDDI_QUERYADAPTERINFO DxgkDdiQueryAdapterInfo;
  PDXGKDDI_CREATEDEVICE DxgkDdiCreateDevice;
  PDXGKDDI_CREATEALLOCATION DxgkDdiCreateAllocation;
  PDXGKDDI_DESTROYALLOCATION DxgkDdiDestroyAllocation;
  PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA DxgkDdiGetStandardAllocationDriverData;
  PDXGKDDI_PATCH DxgkDdiPatch;
  PDXGKDDI_SUBMITCOMMAND DxgkDdiSubmitCommand;
  PDXGKDDI_PREEMPTCOMMAND DxgkDdiPreemptCommand;
  PDXGKDDI_BUILDPAGINGBUFFER DxgkDdiBuildPagingBuffer;
  PDXGKDDI_ESCAPE DxgkDdiEscape;
  PDXGKDDI_QUERYCURRENTFENCE DxgkDdiQueryCurrentFence;
  PDXGKDDI_RESETFROMTIMEOUT DxgkDdiResetFromTimeout;
  PDXGKDDI_RESTARTFROMTIMEOUT DxgkDdiRestartFromTimeout;
  PDXGKDDI_SETVIDPNSOURCEADDRESS DxgkDdiSetVidPnSourceAddress;
  PDXGKDDI_CONTROLINTERRUPT DxgkDdiControlInterrupt;
  PDXGKDDI_DESTROYDEVICE DxgkDdiDestroyDevice;
  PDXGKDDI_OPENALLOCATIONINFO DxgkDdiOpenAllocation;
  PDXGKDDI_CLOSEALLOCATION DxgkDdiCloseAllocation;
  PDXGKDDI_PRESENT DxgkDdiPresent;
  PDXGKDDI_RENDER DxgkDdiRender;
  PDXGKDDI_CREATECONTEXT DxgkDdiCreateContext;
  PDXGKDDI_DESTROYCONTEXT DxgkDdiDestroyContext;
  PDXGKDDI_GETNODEMETADATA DxgkDdiGetNodeMetadata;
  PDXGKDDI_CALIBRATEGPUCLOCK DxgkDdiCalibrateGpuClock;
  PDXGKDDI_QUERYDEPENDENTENGINEGROUP DxgkDdiQueryDependentEngineGroup;
  PDXGKDDI_QUERYENGINESTATUS DxgkDdiQueryEngineStatus;
  PDXGKDDI_RESETENGINE DxgkDdiResetEngine;
  PDXGKDDI_SUBMITCOMMANDVIRTUAL DxgkDdiSubmitCommandVirtual;
  PDXGKDDI_SETROOTPAGETABLE DxgkDdiSetRootPageTable;
  PDXGKDDI_GETROOTPAGETABLESIZE DxgkDdiGetRootPageTableSize;
  PDXGKDDI_MAPCPUHOSTAPERTURE DxgkDdiMapCpuHostAperture;
  PDXGKDDI_UNMAPCPUHOSTAPERTURE DxgkDdiUnmapCpuHostAperture;
  PDXGKDDI_CREATEPROCESS DxgkDdiCreateProcess;
  PDXGKDDI_DESTROYPROCESS DxgkDdiDestroyProcess;
  PDXGKDDI_CREATEHWCONTEXT DxgkDdiCreateHwContext;
  PDXGKDDI_DESTROYHWCONTEXT DxgkDdiDestroyHwContext;
  PDXGKDDI_CREATEHWQUEUE DxgkDdiCreateHwQueue;
  PDXGKDDI_DESTROYHWQUEUE DxgkDdiDestroyHwQueue;
  PDXGKDDI_SUBMITCOMMANDTOHWQUEUE DxgkDdiSubmitCommandToHwQueue;
  PDXGKDDI_SUSPENDCONTEXT DxgkDdiSuspendContext;
  PDXGKDDI_RESUMECONTEXT DxgkDdiResumeContext;
  PDXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES DxgkDdiSetContextSchedulingProperties;
  PDXGKDDI_SETUPPRIORITYBANDS DxgkDdiSetupPriorityBands;
  PDXGKDDI_RESETHWENGINE DxgkDdiResetHwEngine;
  PDXGKDDI_RESUMEHWENGINE DxgkDdiResumeHwEngine;
  PDXGKDDI_CREATECPUEVENT DxgkDdiCreateCpuEvent;
  PDXGKDDI_DESTROYCPUEVENT DxgkDdiDestroyCpuEvent;
  PDXGKDDI_CREATENATIVEFENCE DxgkDdiCreateNativeFence;
  PDXGKDDI_DESTROYNATIVEFENCE DxgkDdiDestroyNativeFence;
  PDXGKDDI_UPDATEMONITOREDVALUES DxgkDdiUpdateMonitoredValues;
  PDXGKDDI_UPDATECURRENTVALUESFROMCPU DxgkDdiUpdateCurrentValuesFromCpu;
  PDXGKDDI_CREATEDOORBELL DxgkDdiCreateDoorbell;
  PDXGKDDI_CONNECTDOORBELL DxgkDdiConnectDoorbell;
  PDXGKDDI_DISCONNECTDOORBELL DxgkDdiDisconnectDoorbell;
  PDXGKDDI_DESTROYDOORBELL DxgkDdiDestroyDoorbell;
  PDXGKDDI_NOTIFYWORKSUBMISSION DxgkDdiNotifyWorkSubmission;
  PDXGKDDI_OPENNATIVEFENCE DxgkDdiOpenNativeFence;
  PDXGKDDI_CLOSENATIVEFENCE DxgkDdiCloseNativeFence;
  PDXGKDDI_SETNATIVEFENCELOGBUFFER DxgkDdiSetNativeFenceLogBuffer;
  PDXGKDDI_UPDATENATIVEFENCELOGS DxgkDdiUpdateNativeFenceLogs;
};

/// Entry of the driver: fills the table. Replaces the real DriverEntry, which passes the table to
/// DxgkInitialize. Assumption: the caller zeroes the table except Version. Version replaces the
/// version that the driver is compiled for; 0: the newest known version.
extern "C" NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data);
