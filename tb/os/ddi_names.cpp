#include "tb/os/ddi_names.h"

namespace fenceline::os {

namespace {
constexpr KIRQL kPassive = PASSIVE_LEVEL;
constexpr KIRQL kDispatch = DISPATCH_LEVEL;
constexpr KIRQL kDevice = DEVICE_LEVEL;

/// In the order of Ddi.
constexpr std::array<DdiInfo, static_cast<std::size_t>(Ddi::kCount)> kDdis{{
    {"DxgkDdiAddDevice", kPassive, kPassive},
    {"DxgkDdiStartDevice", kPassive, kPassive},
    {"DxgkDdiStopDevice", kPassive, kPassive},
    {"DxgkDdiRemoveDevice", kPassive, kPassive},
    {"DxgkDdiQueryInterface", kPassive, kPassive},
    {"DxgkDdiQueryAdapterInfo", kPassive, kPassive},
    {"DxgkDdiGetStandardAllocationDriverData", kPassive, kPassive},
    {"DxgkDdiCreateDevice", kPassive, kPassive},
    {"DxgkDdiDestroyDevice", kPassive, kPassive},
    {"DxgkDdiCreateProcess", kPassive, kPassive},
    {"DxgkDdiDestroyProcess", kPassive, kPassive},
    {"DxgkDdiCreateContext", kPassive, kPassive},
    {"DxgkDdiSetRootPageTable", kPassive, kPassive},
    {"DxgkDdiBuildPagingBuffer", kPassive, kPassive},
    {"DxgkDdiCreateHwContext", kPassive, kPassive},
    {"DxgkDdiCreateHwQueue", kPassive, kPassive},
    {"DxgkDdiDestroyHwQueue", kPassive, kPassive},
    {"DxgkDdiCreateDoorbell", kPassive, kPassive},
    {"DxgkDdiConnectDoorbell", kPassive, kPassive},
    {"DxgkDdiCreateNativeFence", kPassive, kPassive},
    {"DxgkDdiOpenNativeFence", kPassive, kPassive},
    {"DxgkDdiCloseNativeFence", kPassive, kPassive},
    {"DxgkDdiDestroyNativeFence", kPassive, kPassive},
    {"DxgkDdiUpdateMonitoredValues", kDevice, kDevice},
    {"DxgkDdiUpdateCurrentValuesFromCpu", kDispatch, kDispatch},
    {"DxgkDdiSetNativeFenceLogBuffer", kDispatch, kDispatch},
    {"DxgkDdiUpdateNativeFenceLogs", kDispatch, kDispatch},
    {"DxgkDdiInterruptRoutine", kDevice, kDevice},
    {"DxgkDdiDpcRoutine", kDispatch, kDispatch},
    {"DxgkDdiCalibrateGpuClock", kDispatch, kDispatch},
    {"DxgkCbNotifyInterrupt", kDevice, kDevice},
    {"DxgkCbQueueDpc", kPassive, HIGH_LEVEL},
    {"DxgkCbNotifyDpc", kDispatch, kDispatch},
    {"DxgkCbSynchronizeExecution", kPassive, kDispatch},
    {"DxgkCbQueryServices", kPassive, kPassive},
    {"DXGKCB_ISFEATUREENABLED2", kPassive, kPassive},
    {"DXGKCB_QUERYFEATUREINTERFACE", kPassive, kPassive},
    {"DxgkDdiSubmitCommandVirtual", kPassive, kPassive},
    {"DxgkDdiCreateCpuEvent", kPassive, kPassive},
    {"DxgkDdiDestroyCpuEvent", kPassive, kPassive},
    {"DxgkDdiEscape", kPassive, kPassive},
    {"DxgkDdiSetPowerState", kPassive, kPassive},
    {"DxgkCbSignalEvent", kPassive, kDispatch},
    {"DxgkDdiDestroyHwContext", kPassive, kPassive},
    {"DxgkDdiDisconnectDoorbell", kPassive, kPassive},
    {"DxgkDdiDestroyDoorbell", kPassive, kPassive},
    {"DxgkDdiCreateAllocation", kPassive, kPassive},
    {"DxgkDdiDestroyAllocation", kPassive, kPassive},
    {"DxgkDdiOpenAllocation", kPassive, kPassive},
    {"DxgkDdiCloseAllocation", kPassive, kPassive},
    {"DxgkDdiMapCpuHostAperture", kPassive, kPassive},
    {"DxgkDdiUnmapCpuHostAperture", kPassive, kPassive},
    {"DxgkDdiPreemptCommand", kDispatch, kDispatch},
    {"DxgkDdiQueryDependentEngineGroup", kPassive, kPassive},
    {"DxgkDdiQueryEngineStatus", kPassive, kPassive},
    {"DxgkDdiQueryCurrentFence", kPassive, kPassive},
    {"DxgkDdiResetEngine", kPassive, kPassive},
    {"DxgkDdiResetFromTimeout", kPassive, kPassive},
    {"DxgkDdiRestartFromTimeout", kPassive, kPassive},
    {"DxgkCbCreateContextAllocation", kPassive, kPassive},
    {"DxgkCbDestroyContextAllocation", kPassive, kPassive},
    {"DxgkDdiDestroyContext", kPassive, kPassive},
    {"DxgkDdiSetVidPnSourceAddress", kDevice, kDevice},
    {"DxgkDdiPresent", kPassive, kPassive},
    {"DxgkDdiControlInterrupt", kPassive, kPassive},
    {"DxgkDdiRender", kPassive, kPassive},
    {"DxgkDdiPatch", kPassive, kPassive},
    {"DxgkDdiSubmitCommand", kDispatch, kDispatch},
    {"DxgkDdiNotifyWorkSubmission", kPassive, kPassive},
    {"DxgkCbDisconnectDoorbell", kPassive, kPassive},
}};
}  // namespace

const DdiInfo& ddi_info(Ddi ddi) { return kDdis[static_cast<std::size_t>(ddi)]; }

}  // namespace fenceline::os
