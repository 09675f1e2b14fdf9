#include "kmd_stub/ddi/entries.h"

namespace fenceline::kmd::ddi {

namespace {

void put_adapter_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiAddDevice = DxgkDdiAddDevice;
  data.DxgkDdiStartDevice = DxgkDdiStartDevice;
  data.DxgkDdiStopDevice = DxgkDdiStopDevice;
  data.DxgkDdiRemoveDevice = DxgkDdiRemoveDevice;
  data.DxgkDdiInterruptRoutine = DxgkDdiInterruptRoutine;
  data.DxgkDdiDpcRoutine = DxgkDdiDpcRoutine;
  data.DxgkDdiQueryInterface = DxgkDdiQueryInterface;
  data.DxgkDdiQueryAdapterInfo = DxgkDdiQueryAdapterInfo;
  data.DxgkDdiGetNodeMetadata = DxgkDdiGetNodeMetadata;
  data.DxgkDdiCalibrateGpuClock = DxgkDdiCalibrateGpuClock;
}

void put_memory_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateAllocation = DxgkDdiCreateAllocation;
  data.DxgkDdiDestroyAllocation = DxgkDdiDestroyAllocation;
  data.DxgkDdiOpenAllocation = DxgkDdiOpenAllocation;
  data.DxgkDdiCloseAllocation = DxgkDdiCloseAllocation;
  data.DxgkDdiMapCpuHostAperture = DxgkDdiMapCpuHostAperture;
  data.DxgkDdiUnmapCpuHostAperture = DxgkDdiUnmapCpuHostAperture;
  data.DxgkDdiGetStandardAllocationDriverData = DxgkDdiGetStandardAllocationDriverData;
  data.DxgkDdiBuildPagingBuffer = DxgkDdiBuildPagingBuffer;
  data.DxgkDdiSetRootPageTable = DxgkDdiSetRootPageTable;
  data.DxgkDdiGetRootPageTableSize = DxgkDdiGetRootPageTableSize;
}

void put_context_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateProcess = DxgkDdiCreateProcess;
  data.DxgkDdiDestroyProcess = DxgkDdiDestroyProcess;
  data.DxgkDdiCreateDevice = DxgkDdiCreateDevice;
  data.DxgkDdiDestroyDevice = DxgkDdiDestroyDevice;
  data.DxgkDdiCreateContext = DxgkDdiCreateContext;
  data.DxgkDdiDestroyContext = DxgkDdiDestroyContext;
  data.DxgkDdiCreateHwContext = DxgkDdiCreateHwContext;
  data.DxgkDdiDestroyHwContext = DxgkDdiDestroyHwContext;
  data.DxgkDdiCreateHwQueue = DxgkDdiCreateHwQueue;
  data.DxgkDdiDestroyHwQueue = DxgkDdiDestroyHwQueue;
}

void put_preemption_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiPreemptCommand = DxgkDdiPreemptCommand;
  data.DxgkDdiQueryDependentEngineGroup = DxgkDdiQueryDependentEngineGroup;
  data.DxgkDdiQueryEngineStatus = DxgkDdiQueryEngineStatus;
  data.DxgkDdiQueryCurrentFence = DxgkDdiQueryCurrentFence;
  data.DxgkDdiResetEngine = DxgkDdiResetEngine;
  data.DxgkDdiResetFromTimeout = DxgkDdiResetFromTimeout;
  data.DxgkDdiRestartFromTimeout = DxgkDdiRestartFromTimeout;
}

void put_scheduling_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiSuspendContext = DxgkDdiSuspendContext;
  data.DxgkDdiResumeContext = DxgkDdiResumeContext;
  data.DxgkDdiSetContextSchedulingProperties = DxgkDdiSetContextSchedulingProperties;
  data.DxgkDdiSetupPriorityBands = DxgkDdiSetupPriorityBands;
  data.DxgkDdiResetHwEngine = DxgkDdiResetHwEngine;
  data.DxgkDdiResumeHwEngine = DxgkDdiResumeHwEngine;
}

void put_display_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiSetVidPnSourceAddress = DxgkDdiSetVidPnSourceAddress;
  data.DxgkDdiPresent = DxgkDdiPresent;
  data.DxgkDdiControlInterrupt = DxgkDdiControlInterrupt;
}

/// New in WDDM 3.1.
void put_doorbell_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateDoorbell = DxgkDdiCreateDoorbell;
  data.DxgkDdiConnectDoorbell = DxgkDdiConnectDoorbell;
  data.DxgkDdiDisconnectDoorbell = DxgkDdiDisconnectDoorbell;
  data.DxgkDdiDestroyDoorbell = DxgkDdiDestroyDoorbell;
  data.DxgkDdiNotifyWorkSubmission = DxgkDdiNotifyWorkSubmission;
}

void put_native_fence_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateNativeFence = DxgkDdiCreateNativeFence;
  data.DxgkDdiDestroyNativeFence = DxgkDdiDestroyNativeFence;
  data.DxgkDdiUpdateMonitoredValues = DxgkDdiUpdateMonitoredValues;
  data.DxgkDdiUpdateCurrentValuesFromCpu = DxgkDdiUpdateCurrentValuesFromCpu;
}

/// New in WDDM 3.2.
void put_opening_and_log_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiOpenNativeFence = DxgkDdiOpenNativeFence;
  data.DxgkDdiCloseNativeFence = DxgkDdiCloseNativeFence;
  data.DxgkDdiSetNativeFenceLogBuffer = DxgkDdiSetNativeFenceLogBuffer;
  data.DxgkDdiUpdateNativeFenceLogs = DxgkDdiUpdateNativeFenceLogs;
}

void put_submission_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiSubmitCommandVirtual = DxgkDdiSubmitCommandVirtual;
  data.DxgkDdiRender = DxgkDdiRender;
  data.DxgkDdiPatch = DxgkDdiPatch;
  data.DxgkDdiSubmitCommand = DxgkDdiSubmitCommand;
  data.DxgkDdiEscape = DxgkDdiEscape;
  data.DxgkDdiSetPowerState = DxgkDdiSetPowerState;
}

/// New in WDDM 3.0.
void put_event_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateCpuEvent = DxgkDdiCreateCpuEvent;
  data.DxgkDdiDestroyCpuEvent = DxgkDdiDestroyCpuEvent;
}

}  // namespace

void fill_initialization_data(DRIVER_INITIALIZATION_DATA& data) {
  constexpr ULONG kNewest = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
  if (data.Version == 0 || data.Version > kNewest) data.Version = kNewest;
  put_adapter_entries(data);
  put_memory_entries(data);
  put_context_entries(data);
  put_submission_entries(data);
  put_preemption_entries(data);
  put_scheduling_entries(data);
  put_display_entries(data);
  if (data.Version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0) put_event_entries(data);
  if (data.Version < DXGKDDI_INTERFACE_VERSION_WDDM3_1) return;
  put_doorbell_entries(data);
  put_native_fence_entries(data);
  if (data.Version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2) put_opening_and_log_entries(data);
}

}  // namespace fenceline::kmd::ddi
