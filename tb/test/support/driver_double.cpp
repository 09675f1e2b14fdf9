#include "tb/test/support/driver_double.h"

namespace fenceline::support {

namespace {

DriverDouble* the_double = nullptr;

void replace_contexts(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSubmitCommandVirtual = [](HANDLE, const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
    the_double->submits.push_back(*args);
    return the_double->submit_status;
  };
  table.DxgkDdiPreemptCommand = [](HANDLE, const DXGKARG_PREEMPTCOMMAND* args) {
    the_double->preemptions.push_back(*args);
    return the_double->preempt_status;
  };
  table.DxgkDdiSetVidPnSourceAddress = [](HANDLE, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
    the_double->shown.push_back(*args);
    return the_double->show_status;
  };
}

void replace_resets(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryDependentEngineGroup = [](HANDLE, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
    if (the_double->on_dependents) the_double->on_dependents();
    args->DependentNodeOrdinalMask = the_double->dependent_nodes;
    return STATUS_SUCCESS;
  };
  table.DxgkDdiResetEngine = [](HANDLE, DXGKARG_RESETENGINE* args) {
    the_double->engine_resets.push_back(args->NodeOrdinal);
    args->LastAbortedFenceId = the_double->last_aborted;
    return the_double->engine_status;
  };
  table.DxgkDdiResetFromTimeout = [](HANDLE) {
    ++the_double->resets;
    if (the_double->on_reset) the_double->on_reset();
    return the_double->reset_status;
  };
  table.DxgkDdiRestartFromTimeout = [](HANDLE) {
    ++the_double->restarts;
    return STATUS_SUCCESS;
  };
}

void replace_hw_contexts(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSuspendContext = [](HANDLE, DXGKARG_SUSPENDCONTEXT* args) {
    the_double->suspensions.push_back(*args);
    return the_double->suspend_status;
  };
  table.DxgkDdiResumeContext = [](HANDLE, DXGKARG_RESUMECONTEXT* args) {
    the_double->resumed.push_back(args->hContext);
    return STATUS_SUCCESS;
  };
  table.DxgkDdiResetHwEngine = [](HANDLE, const DXGKARG_RESETHWENGINE* args) {
    the_double->hw_engine_resets.push_back(args->NodeOrdinal);
    return the_double->hw_engine_status;
  };
  table.DxgkDdiResumeHwEngine = [](HANDLE, const DXGKARG_RESUMEHWENGINE* args) {
    the_double->hw_engine_resumes.push_back(args->NodeOrdinal);
    return STATUS_SUCCESS;
  };
  table.DxgkDdiSetPowerState = [](PVOID, ULONG, DEVICE_POWER_STATE state, POWER_ACTION) {
    the_double->power.push_back(state);
    return STATUS_SUCCESS;
  };
}

/// The values of a call's arrays.
template <typename Args>
DriverDouble::FenceValues values_of(const Args& args) {
  DriverDouble::FenceValues call;
  call.fences.assign(args.NativeFenceArray, args.NativeFenceArray + args.NumFences);
  if (args.UpdatedValueArray != nullptr)
    call.values.assign(args.UpdatedValueArray, args.UpdatedValueArray + args.NumFences);
  call.flags = args.Flags.Value;
  return call;
}

void replace_fences(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiUpdateMonitoredValues = [](DXGKARG_UPDATEMONITOREDVALUES* args) {
    the_double->monitored.push_back(values_of(*args));
    if (the_double->on_monitored) the_double->on_monitored();
    return the_double->monitored_status;
  };
  table.DxgkDdiUpdateCurrentValuesFromCpu = [](DXGKARG_UPDATECURRENTVALUESFROMCPU* args) {
    the_double->signals.push_back(values_of(*args));
    if (the_double->on_signal) the_double->on_signal();
    return the_double->signal_status;
  };
  table.DxgkDdiSetNativeFenceLogBuffer = [](DXGKARG_SETNATIVEFENCELOGBUFFER* args) {
    the_double->log_buffers.push_back(*args);
    return the_double->log_status;
  };
  table.DxgkDdiUpdateNativeFenceLogs = [](DXGKARG_UPDATENATIVEFENCELOGS* args) {
    the_double->log_flushes.emplace_back(args->hHWQueue, args->hHWQueue + args->NumberOfQueues);
    if (the_double->on_log_flush) the_double->on_log_flush();
    return STATUS_SUCCESS;
  };
}

}  // namespace

DriverDouble::DriverDouble() { the_double = this; }
DriverDouble::~DriverDouble() { the_double = nullptr; }

NTSTATUS DriverDouble::entry(DRIVER_INITIALIZATION_DATA* table) {
  const NTSTATUS status = DriverEntry(table);
  replace_contexts(*table);
  replace_resets(*table);
  replace_hw_contexts(*table);
  replace_fences(*table);
  return status;
}

}  // namespace fenceline::support
