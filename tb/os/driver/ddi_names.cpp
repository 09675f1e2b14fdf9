#include "tb/os/driver/ddi_names.h"

#include <cstddef>

#include "kmd_stub/wddm/driver.h"

namespace fenceline::os {

namespace {
constexpr KIRQL kPassive = PASSIVE_LEVEL;
constexpr KIRQL kDispatch = DISPATCH_LEVEL;
constexpr KIRQL kDevice = DEVICE_LEVEL;

/// A DDI with its entry in the table.
#define DDI(name, lowest, highest) \
  DdiInfo { #name, lowest, highest, offsetof(DRIVER_INITIALIZATION_DATA, name) }

/// In the order of Ddi.
constexpr std::array<DdiInfo, static_cast<std::size_t>(Ddi::kCount)> kDdis{{
    DDI(DxgkDdiAddDevice, kPassive, kPassive),
    DDI(DxgkDdiStartDevice, kPassive, kPassive),
    DDI(DxgkDdiStopDevice, kPassive, kPassive),
    DDI(DxgkDdiRemoveDevice, kPassive, kPassive),
    DDI(DxgkDdiQueryInterface, kPassive, kPassive),
    DDI(DxgkDdiQueryAdapterInfo, kPassive, kPassive),
    DDI(DxgkDdiGetStandardAllocationDriverData, kPassive, kPassive),
    DDI(DxgkDdiCreateDevice, kPassive, kPassive),
    DDI(DxgkDdiDestroyDevice, kPassive, kPassive),
    DDI(DxgkDdiCreateProcess, kPassive, kPassive),
    DDI(DxgkDdiDestroyProcess, kPassive, kPassive),
    DDI(DxgkDdiCreateContext, kPassive, kPassive),
    DDI(DxgkDdiSetRootPageTable, kPassive, kPassive),
    DDI(DxgkDdiBuildPagingBuffer, kPassive, kPassive),
    DDI(DxgkDdiCreateHwContext, kPassive, kPassive),
    DDI(DxgkDdiCreateHwQueue, kPassive, kPassive),
    DDI(DxgkDdiDestroyHwQueue, kPassive, kPassive),
    DDI(DxgkDdiCreateDoorbell, kPassive, kPassive),
    DDI(DxgkDdiConnectDoorbell, kPassive, kPassive),
    DDI(DxgkDdiCreateNativeFence, kPassive, kPassive),
    DDI(DxgkDdiOpenNativeFence, kPassive, kPassive),
    DDI(DxgkDdiCloseNativeFence, kPassive, kPassive),
    DDI(DxgkDdiDestroyNativeFence, kPassive, kPassive),
    DDI(DxgkDdiUpdateMonitoredValues, kDevice, kDevice),
    DDI(DxgkDdiUpdateCurrentValuesFromCpu, kDispatch, kDispatch),
    DDI(DxgkDdiSetNativeFenceLogBuffer, kDispatch, kDispatch),
    DDI(DxgkDdiUpdateNativeFenceLogs, kDispatch, kDispatch),
    DDI(DxgkDdiInterruptRoutine, kDevice, kDevice),
    DDI(DxgkDdiDpcRoutine, kDispatch, kDispatch),
    DDI(DxgkDdiCalibrateGpuClock, kDispatch, kDispatch),
    {"DxgkCbNotifyInterrupt", kDevice, kDevice},
    {"DxgkCbQueueDpc", kPassive, HIGH_LEVEL},
    {"DxgkCbNotifyDpc", kDispatch, kDispatch},
    {"DxgkCbSynchronizeExecution", kPassive, kDispatch},
    {"DxgkCbQueryServices", kPassive, kPassive},
    {"DXGKCB_ISFEATUREENABLED2", kPassive, kPassive},
    {"DXGKCB_QUERYFEATUREINTERFACE", kPassive, kPassive},
    DDI(DxgkDdiSubmitCommandVirtual, kPassive, kPassive),
    DDI(DxgkDdiCreateCpuEvent, kPassive, kPassive),
    DDI(DxgkDdiDestroyCpuEvent, kPassive, kPassive),
    DDI(DxgkDdiEscape, kPassive, kPassive),
    DDI(DxgkDdiSetPowerState, kPassive, kPassive),
    {"DxgkCbSignalEvent", kPassive, kDispatch},
    DDI(DxgkDdiDestroyHwContext, kPassive, kPassive),
    DDI(DxgkDdiDisconnectDoorbell, kPassive, kPassive),
    DDI(DxgkDdiDestroyDoorbell, kPassive, kPassive),
    DDI(DxgkDdiCreateAllocation, kPassive, kPassive),
    DDI(DxgkDdiDestroyAllocation, kPassive, kPassive),
    DDI(DxgkDdiOpenAllocation, kPassive, kPassive),
    DDI(DxgkDdiCloseAllocation, kPassive, kPassive),
    DDI(DxgkDdiMapCpuHostAperture, kPassive, kPassive),
    DDI(DxgkDdiUnmapCpuHostAperture, kPassive, kPassive),
    DDI(DxgkDdiPreemptCommand, kDispatch, kDispatch),
    DDI(DxgkDdiQueryDependentEngineGroup, kPassive, kPassive),
    DDI(DxgkDdiQueryEngineStatus, kPassive, kPassive),
    DDI(DxgkDdiQueryCurrentFence, kPassive, kPassive),
    DDI(DxgkDdiResetEngine, kPassive, kPassive),
    DDI(DxgkDdiResetFromTimeout, kPassive, kPassive),
    DDI(DxgkDdiRestartFromTimeout, kPassive, kPassive),
    {"DxgkCbCreateContextAllocation", kPassive, kPassive},
    {"DxgkCbDestroyContextAllocation", kPassive, kPassive},
    DDI(DxgkDdiDestroyContext, kPassive, kPassive),
    DDI(DxgkDdiSetVidPnSourceAddress, kDevice, kDevice),
    DDI(DxgkDdiPresent, kPassive, kPassive),
    DDI(DxgkDdiControlInterrupt, kPassive, kPassive),
    {"DxgkDdiRender", kPassive, kPassive},
    {"DxgkDdiPatch", kPassive, kPassive},
    DDI(DxgkDdiSubmitCommand, kDispatch, kDispatch),
    DDI(DxgkDdiSuspendContext, kPassive, kPassive),
    DDI(DxgkDdiResumeContext, kPassive, kPassive),
    DDI(DxgkDdiSetContextSchedulingProperties, kPassive, kPassive),
    DDI(DxgkDdiSetupPriorityBands, kPassive, kPassive),
    DDI(DxgkDdiResetHwEngine, kPassive, kPassive),
    DDI(DxgkDdiResumeHwEngine, kPassive, kPassive),
    {"DxgkCbInvalidateHwContext", kPassive, kPassive},
    DDI(DxgkDdiNotifyWorkSubmission, kPassive, kPassive),
    {"DxgkCbDisconnectDoorbell", kPassive, kPassive},
    {"DriverEntry", kPassive, kPassive},
}};
#undef DDI
}  // namespace

const DdiInfo& ddi_info(Ddi ddi) { return kDdis[static_cast<std::size_t>(ddi)]; }

}  // namespace fenceline::os
