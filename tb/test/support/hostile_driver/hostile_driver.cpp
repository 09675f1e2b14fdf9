// The driver stub with a mistake that FENCELINE_HOSTILE names: see the tables of mistakes. It is
// made once, but for answers to queries and with FENCELINE_HOSTILE_AGAIN; the rest is right.
#include <cstdlib>
#include <cstring>

#include "kmd_stub/ddi/entries.h"
#include "tb/test/support/hostile_driver/mistakes.h"

namespace ddi = fenceline::kmd::ddi;

namespace {

fenceline::kmd_host::HostPort* port = nullptr;
DXGKRNL_INTERFACE functions{};

constexpr Mistakes (*kFamilies[])() = {
    register_mistakes, address_mistakes, memory_mistakes, lock_mistakes,   notification_mistakes,
    callback_mistakes, return_mistakes,  answer_mistakes, device_mistakes, fatal_mistakes};

const Mistake* wanted() {
  const char* name = std::getenv("FENCELINE_HOSTILE");
  if (name == nullptr) return nullptr;
  for (std::size_t i = 0; const Mistake* mistake = hostile_mistake(i); ++i)
    if (std::strcmp(mistake->name, name) == 0) return mistake;
  return nullptr;
}

/// Makes the mistake if it belongs here and was not made yet. @return the status of the DDI.
NTSTATUS after(Moment moment, NTSTATUS status, Scene scene) {
  static const Mistake* pending = wanted();
  if (pending == nullptr || pending->moment != moment) return status;
  const Mistake* mistake = pending;
  static const bool again = std::getenv("FENCELINE_HOSTILE_AGAIN") != nullptr;
  // What an answer is wrong in depends on the question.
  if (!again && moment != Moment::kQueryAdapterInfo) pending = nullptr;
  scene.status = status;
  mistake->make(scene);
  return scene.status;
}

Scene scene() { return {*port, functions, nullptr, nullptr, nullptr}; }

NTSTATUS add_device(PVOID device, PVOID* context) {
  port = static_cast<fenceline::kmd_host::HostPort*>(device);
  return after(Moment::kAddDevice, ddi::DxgkDdiAddDevice(device, context), scene());
}

NTSTATUS start_device(PVOID context, DXGK_START_INFO* info, DXGKRNL_INTERFACE* given,
                      ULONG* sources, ULONG* children) {
  functions = *given;
  const NTSTATUS status = ddi::DxgkDdiStartDevice(context, info, given, sources, children);
  return after(Moment::kStartDevice, status, scene());
}

NTSTATUS query_adapter_info(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* args) {
  const NTSTATUS status = ddi::DxgkDdiQueryAdapterInfo(adapter, args);
  Scene here = scene();
  here.query = args;
  return after(Moment::kQueryAdapterInfo, status, here);
}

NTSTATUS create_fence(HANDLE adapter, DXGKARG_CREATENATIVEFENCE* args) {
  return after(Moment::kCreateFence, ddi::DxgkDdiCreateNativeFence(adapter, args), scene());
}

NTSTATUS destroy_fence(DXGKARG_DESTROYNATIVEFENCE* args) {
  return after(Moment::kDestroyFence, ddi::DxgkDdiDestroyNativeFence(args), scene());
}

NTSTATUS update_monitored(DXGKARG_UPDATEMONITOREDVALUES* args) {
  return after(Moment::kUpdateMonitored, ddi::DxgkDdiUpdateMonitoredValues(args), scene());
}

NTSTATUS update_current(DXGKARG_UPDATECURRENTVALUESFROMCPU* args) {
  return after(Moment::kUpdateCurrent, ddi::DxgkDdiUpdateCurrentValuesFromCpu(args), scene());
}

NTSTATUS connect_doorbell(DXGKARG_CONNECTDOORBELL* args) {
  const NTSTATUS status = ddi::DxgkDdiConnectDoorbell(args);
  Scene here = scene();
  here.doorbell = args;
  return after(Moment::kConnectDoorbell, status, here);
}

BOOLEAN interrupt_routine(PVOID context, ULONG message) {
  const BOOLEAN ours = ddi::DxgkDdiInterruptRoutine(context, message);
  after(Moment::kInterrupt, STATUS_SUCCESS, scene());
  return ours;
}

void dpc_routine(PVOID context) {
  ddi::DxgkDdiDpcRoutine(context);
  after(Moment::kDpc, STATUS_SUCCESS, scene());
}

const NTSTATUS kLoaded = after(Moment::kLoad, STATUS_SUCCESS, scene());

}  // namespace

const Mistake* hostile_mistake(std::size_t index) {
  for (const auto family : kFamilies) {
    const Mistakes mistakes = family();
    if (index < mistakes.count) return mistakes.first + index;
    index -= mistakes.count;
  }
  return nullptr;
}

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  ddi::fill_initialization_data(*data);
  data->DxgkDdiAddDevice = add_device;
  data->DxgkDdiStartDevice = start_device;
  data->DxgkDdiQueryAdapterInfo = query_adapter_info;
  data->DxgkDdiCreateNativeFence = create_fence;
  data->DxgkDdiDestroyNativeFence = destroy_fence;
  data->DxgkDdiUpdateMonitoredValues = update_monitored;
  data->DxgkDdiUpdateCurrentValuesFromCpu = update_current;
  data->DxgkDdiConnectDoorbell = connect_doorbell;
  data->DxgkDdiInterruptRoutine = interrupt_routine;
  data->DxgkDdiDpcRoutine = dpc_routine;
  Scene here = scene();
  here.table = data;
  return after(Moment::kEntry, kLoaded, here);
}
