#pragma once

#include "kmd_stub/wddm/driver.h"

/// The driver's entries in DRIVER_INITIALIZATION_DATA. Each entry checks its pointers and handles
/// and calls a function of kmd_stub/core; that function documents behaviour and status. Common
/// errors: STATUS_INVALID_PARAMETER for a null argument, STATUS_INVALID_HANDLE for a bad handle,
/// STATUS_INVALID_DEVICE_STATE before DxgkDdiStartDevice. Names are those of the interface. Source:
/// WDDM, the page of each name.
namespace fenceline::kmd::ddi {

/// Writes the version and all entries into the table. A driver built on this library calls it from
/// its own DriverEntry and replaces the entries that it implements itself. IRQL: PASSIVE_LEVEL.
void fill_initialization_data(DRIVER_INITIALIZATION_DATA& data);

// adapter_entries.cpp. IRQL: PASSIVE_LEVEL.
/// Stand-in: `PhysicalDeviceObject` is the kmd_host::HostPort* of the adapter. It replaces the
/// device stack of a real driver. It must outlive the adapter.
NTSTATUS DxgkDdiAddDevice(PVOID PhysicalDeviceObject, PVOID* MiniportDeviceContext);
NTSTATUS DxgkDdiStartDevice(PVOID MiniportDeviceContext, DXGK_START_INFO* DxgkStartInfo,
                            DXGKRNL_INTERFACE* DxgkInterface, ULONG* NumberOfVideoPresentSources,
                            ULONG* NumberOfChildren);
NTSTATUS DxgkDdiStopDevice(PVOID MiniportDeviceContext);
/// Destroys the adapter; all its handles become invalid.
NTSTATUS DxgkDdiRemoveDevice(PVOID MiniportDeviceContext);
NTSTATUS DxgkDdiQueryInterface(PVOID MiniportDeviceContext, QUERY_INTERFACE* QueryInterface);
NTSTATUS DxgkDdiQueryAdapterInfo(HANDLE hAdapter, const DXGKARG_QUERYADAPTERINFO* pArgs);
NTSTATUS DxgkDdiGetNodeMetadata(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                                DXGKARG_GETNODEMETADATA* pArgs);
NTSTATUS DxgkDdiQueryFeatureSupport(HANDLE hAdapter, DXGKARG_QUERYFEATURESUPPORT* pArgs);
NTSTATUS DxgkDdiQueryFeatureInterface(HANDLE hAdapter, DXGKARG_QUERYFEATUREINTERFACE* pArgs);

// interrupt_entries.cpp
/// IRQL: device.
BOOLEAN DxgkDdiInterruptRoutine(PVOID MiniportDeviceContext, ULONG MessageNumber);
/// IRQL: DISPATCH_LEVEL.
void DxgkDdiDpcRoutine(PVOID MiniportDeviceContext);
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiCalibrateGpuClock(HANDLE hAdapter, UINT32 NodeOrdinal, UINT32 EngineOrdinal,
                                  DXGKARG_CALIBRATEGPUCLOCK* pArgs);

// process_entries.cpp. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiCreateProcess(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs);
NTSTATUS DxgkDdiDestroyProcess(HANDLE hAdapter, HANDLE hKmdProcess);
NTSTATUS DxgkDdiCreateDevice(HANDLE hAdapter, DXGKARG_CREATEDEVICE* pArgs);
NTSTATUS DxgkDdiDestroyDevice(HANDLE hDevice);
NTSTATUS DxgkDdiCreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT* pArgs);
NTSTATUS DxgkDdiDestroyContext(HANDLE hContext);
NTSTATUS DxgkDdiCreateHwContext(HANDLE hDevice, DXGKARG_CREATEHWCONTEXT* pArgs);
NTSTATUS DxgkDdiDestroyHwContext(HANDLE hHwContext);

// memory_entries.cpp. IRQL: PASSIVE_LEVEL.
SIZE_T DxgkDdiGetRootPageTableSize(HANDLE hAdapter, DXGKARG_GETROOTPAGETABLESIZE* pArgs);
void DxgkDdiSetRootPageTable(HANDLE hAdapter, const DXGKARG_SETROOTPAGETABLE* pArgs);
NTSTATUS DxgkDdiBuildPagingBuffer(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs);
NTSTATUS DxgkDdiCreateAllocation(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pArgs);
NTSTATUS DxgkDdiDestroyAllocation(HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION* pArgs);
NTSTATUS DxgkDdiOpenAllocation(HANDLE hDevice, const DXGKARG_OPENALLOCATION* pArgs);
NTSTATUS DxgkDdiCloseAllocation(HANDLE hDevice, const DXGKARG_CLOSEALLOCATION* pArgs);
NTSTATUS DxgkDdiMapCpuHostAperture(HANDLE hAdapter, const DXGKARG_MAPCPUHOSTAPERTURE* pArgs);
NTSTATUS DxgkDdiUnmapCpuHostAperture(HANDLE hAdapter, const DXGKARG_UNMAPCPUHOSTAPERTURE* pArgs);
NTSTATUS DxgkDdiGetStandardAllocationDriverData(HANDLE hAdapter,
                                                DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pArgs);

// native_fence_entries.cpp. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiCreateNativeFence(HANDLE hAdapter, DXGKARG_CREATENATIVEFENCE* pArgs);
NTSTATUS DxgkDdiOpenNativeFence(HANDLE hAdapter, DXGKARG_OPENNATIVEFENCE* pArgs);
NTSTATUS DxgkDdiCloseNativeFence(HANDLE hAdapter, DXGKARG_CLOSENATIVEFENCE* pArgs);
NTSTATUS DxgkDdiDestroyNativeFence(DXGKARG_DESTROYNATIVEFENCE* pArgs);
/// IRQL: device, under the interrupt lock.
NTSTATUS DxgkDdiUpdateMonitoredValues(DXGKARG_UPDATEMONITOREDVALUES* pArgs);
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiUpdateCurrentValuesFromCpu(DXGKARG_UPDATECURRENTVALUESFROMCPU* pArgs);

// hw_queue_entries.cpp. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiCreateHwQueue(HANDLE hHwContext, DXGKARG_CREATEHWQUEUE* pArgs);
NTSTATUS DxgkDdiDestroyHwQueue(HANDLE hHwQueue);
NTSTATUS DxgkDdiCreateDoorbell(DXGKARG_CREATEDOORBELL* pArgs);
NTSTATUS DxgkDdiConnectDoorbell(DXGKARG_CONNECTDOORBELL* pArgs);
NTSTATUS DxgkDdiDisconnectDoorbell(DXGKARG_DISCONNECTDOORBELL* pArgs);
NTSTATUS DxgkDdiDestroyDoorbell(DXGKARG_DESTROYDOORBELL* pArgs);
NTSTATUS DxgkDdiNotifyWorkSubmission(DXGKARG_NOTIFYWORKSUBMISSION* pArgs);
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiSetNativeFenceLogBuffer(DXGKARG_SETNATIVEFENCELOGBUFFER* pArgs);
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiUpdateNativeFenceLogs(DXGKARG_UPDATENATIVEFENCELOGS* pArgs);

// patching_entries.cpp. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiRender(HANDLE hContext, DXGKARG_RENDER* pArgs);
NTSTATUS DxgkDdiPatch(HANDLE hAdapter, const DXGKARG_PATCH* pArgs);
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiSubmitCommand(HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND* pArgs);

// preemption_entries.cpp. IRQL: PASSIVE_LEVEL.
/// IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiPreemptCommand(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs);
NTSTATUS DxgkDdiQueryDependentEngineGroup(HANDLE hAdapter,
                                          DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs);
NTSTATUS DxgkDdiQueryEngineStatus(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs);
NTSTATUS DxgkDdiQueryCurrentFence(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs);
NTSTATUS DxgkDdiResetEngine(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs);
NTSTATUS DxgkDdiSuspendContext(HANDLE hAdapter, DXGKARG_SUSPENDCONTEXT* pArgs);
NTSTATUS DxgkDdiResumeContext(HANDLE hAdapter, DXGKARG_RESUMECONTEXT* pArgs);
NTSTATUS DxgkDdiSetContextSchedulingProperties(HANDLE hAdapter,
                                               const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES* pArgs);
NTSTATUS DxgkDdiSetupPriorityBands(HANDLE hAdapter, const DXGKARG_SETUPPRIORITYBANDS* pArgs);
NTSTATUS DxgkDdiResetHwEngine(HANDLE hAdapter, const DXGKARG_RESETHWENGINE* pArgs);
NTSTATUS DxgkDdiResumeHwEngine(HANDLE hAdapter, const DXGKARG_RESUMEHWENGINE* pArgs);
NTSTATUS DxgkDdiResetFromTimeout(HANDLE hAdapter);
NTSTATUS DxgkDdiRestartFromTimeout(HANDLE hAdapter);

// display_entries.cpp
/// IRQL: device, under the interrupt lock.
NTSTATUS DxgkDdiSetVidPnSourceAddress(HANDLE hAdapter, const DXGKARG_SETVIDPNSOURCEADDRESS* pArgs);
/// IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiPresent(HANDLE hAdapter, DXGKARG_PRESENT* pArgs);
/// IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiControlInterrupt(HANDLE hAdapter, DXGK_INTERRUPT_TYPE InterruptType,
                                 BOOLEAN Enable);

// event_entries.cpp. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiCreateCpuEvent(HANDLE hAdapter, DXGKARG_CREATECPUEVENT* pArgs);
NTSTATUS DxgkDdiDestroyCpuEvent(HANDLE hAdapter, HANDLE hKmdCpuEvent);
NTSTATUS DxgkDdiEscape(HANDLE hAdapter, const DXGKARG_ESCAPE* pEscape);
NTSTATUS DxgkDdiSubmitCommandVirtual(HANDLE hAdapter, const DXGKARG_SUBMITCOMMANDVIRTUAL* pArgs);
NTSTATUS DxgkDdiSetPowerState(PVOID MiniportDeviceContext, ULONG DeviceUid,
                              DEVICE_POWER_STATE DevicePowerState, POWER_ACTION ActionType);

}  // namespace fenceline::kmd::ddi
