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
  data.DxgkDdiCreateDoorbell = DxgkDdiCreateDoorbell;
  data.DxgkDdiConnectDoorbell = DxgkDdiConnectDoorbell;
  data.DxgkDdiDisconnectDoorbell = DxgkDdiDisconnectDoorbell;
  data.DxgkDdiDestroyDoorbell = DxgkDdiDestroyDoorbell;
  data.DxgkDdiNotifyWorkSubmission = DxgkDdiNotifyWorkSubmission;
}

void put_native_fence_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateNativeFence = DxgkDdiCreateNativeFence;
  data.DxgkDdiOpenNativeFence = DxgkDdiOpenNativeFence;
  data.DxgkDdiCloseNativeFence = DxgkDdiCloseNativeFence;
  data.DxgkDdiDestroyNativeFence = DxgkDdiDestroyNativeFence;
  data.DxgkDdiUpdateMonitoredValues = DxgkDdiUpdateMonitoredValues;
  data.DxgkDdiUpdateCurrentValuesFromCpu = DxgkDdiUpdateCurrentValuesFromCpu;
  data.DxgkDdiSetNativeFenceLogBuffer = DxgkDdiSetNativeFenceLogBuffer;
  data.DxgkDdiUpdateNativeFenceLogs = DxgkDdiUpdateNativeFenceLogs;
}

void put_event_entries(DRIVER_INITIALIZATION_DATA& data) {
  data.DxgkDdiCreateCpuEvent = DxgkDdiCreateCpuEvent;
  data.DxgkDdiDestroyCpuEvent = DxgkDdiDestroyCpuEvent;
  data.DxgkDdiEscape = DxgkDdiEscape;
  data.DxgkDdiSubmitCommandVirtual = DxgkDdiSubmitCommandVirtual;
  data.DxgkDdiSetPowerState = DxgkDdiSetPowerState;
}

}  // namespace

void fill_initialization_data(DRIVER_INITIALIZATION_DATA& data) {
  data.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
  put_adapter_entries(data);
  put_memory_entries(data);
  put_context_entries(data);
  put_native_fence_entries(data);
  put_event_entries(data);
}

}  // namespace fenceline::kmd::ddi
