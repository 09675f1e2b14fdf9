#include "tb/test/support/driver_double.h"

namespace fenceline::support {

namespace {

DriverDouble* the_double = nullptr;

void replace_contexts(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSubmitCommandVirtual = [](HANDLE, const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
    the_double->submits.push_back(*args);
    return the_double->submit_status;
  };
  table.DxgkDdiPatch = [](HANDLE, const DXGKARG_PATCH* args) {
    the_double->patches.push_back(*args);
    return the_double->patch_status;
  };
  table.DxgkDdiSubmitCommand = [](HANDLE, const DXGKARG_SUBMITCOMMAND* args) {
    the_double->parts.push_back(*args);
    return the_double->part_status;
  };
  table.DxgkDdiPreemptCommand = [](HANDLE, const DXGKARG_PREEMPTCOMMAND* args) {
    the_double->preemptions.push_back(*args);
    return the_double->preempt_status;
  };
  table.DxgkDdiSetVidPnSourceAddress = [](HANDLE, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
    the_double->shown.push_back(*args);
    if (the_double->on_show) the_double->on_show();
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

void replace_scheduling(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCreateHwContext = [](HANDLE, DXGKARG_CREATEHWCONTEXT* args) {
    the_double->hw_contexts.push_back(*args);
    args->hHwContext = &the_double->hw_contexts;
    return the_double->hw_context_status;
  };
  table.DxgkDdiDestroyHwContext = [](HANDLE context) {
    the_double->destroyed_hw_contexts.push_back(context);
    return STATUS_SUCCESS;
  };
  table.DxgkDdiSetupPriorityBands = [](HANDLE, const DXGKARG_SETUPPRIORITYBANDS* args) {
    the_double->bands.push_back(*args);
    return STATUS_SUCCESS;
  };
  table.DxgkDdiSetContextSchedulingProperties =
      [](HANDLE, const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES* args) {
        the_double->properties.push_back(*args);
        return the_double->properties_status;
      };
}

void replace_hw_contexts(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSuspendContext = [](HANDLE, DXGKARG_SUSPENDCONTEXT* args) {
    the_double->suspensions.push_back(*args);
    if (the_double->on_suspend) the_double->on_suspend();
    return the_double->suspend_status;
  };
  table.DxgkDdiResumeContext = [](HANDLE, DXGKARG_RESUMECONTEXT* args) {
    the_double->resumed.push_back(args->hContext);
    return STATUS_SUCCESS;
  };
  table.DxgkDdiResetHwEngine = [](HANDLE, const DXGKARG_RESETHWENGINE* args) {
    the_double->hw_engine_resets.push_back(args->NodeOrdinal);
    if (the_double->on_hw_reset) the_double->on_hw_reset();
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

/// The fences themselves are the stub's.
void replace_fence_objects(DRIVER_INITIALIZATION_DATA& table) {
  static DRIVER_INITIALIZATION_DATA stub;
  stub = table;
  table.DxgkDdiCreateNativeFence = [](HANDLE adapter, DXGKARG_CREATENATIVEFENCE* args) {
    the_double->fence_calls.emplace_back("create");
    the_double->created_fences.push_back(*args);
    if (the_double->create_status < 0) return the_double->create_status;
    return stub.DxgkDdiCreateNativeFence(adapter, args);
  };
  table.DxgkDdiOpenNativeFence = [](HANDLE adapter, DXGKARG_OPENNATIVEFENCE* args) {
    the_double->fence_calls.emplace_back("open");
    the_double->opened_fences.push_back(*args);
    if (the_double->open_status < 0) return the_double->open_status;
    return stub.DxgkDdiOpenNativeFence(adapter, args);
  };
  table.DxgkDdiCloseNativeFence = [](HANDLE adapter, DXGKARG_CLOSENATIVEFENCE* args) {
    the_double->fence_calls.emplace_back("close");
    return stub.DxgkDdiCloseNativeFence(adapter, args);
  };
  table.DxgkDdiDestroyNativeFence = [](DXGKARG_DESTROYNATIVEFENCE* args) {
    the_double->fence_calls.emplace_back("destroy");
    return stub.DxgkDdiDestroyNativeFence(args);
  };
}

void replace_events(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCreateCpuEvent = [](HANDLE, DXGKARG_CREATECPUEVENT* args) {
    the_double->cpu_events.push_back(*args);
    args->hKmdCpuEvent = the_double;
    return the_double->event_status;
  };
  table.DxgkDdiDestroyCpuEvent = [](HANDLE, HANDLE event) {
    the_double->destroyed_events.push_back(event);
    return STATUS_SUCCESS;
  };
}

void replace_doorbells(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiEscape = [](HANDLE, const DXGKARG_ESCAPE* args) {
    auto& data = *static_cast<abi::PeerDoorbellEscape*>(args->pPrivateDriverData);
    the_double->escapes.push_back(data);
    data.fence_slot = 3;
    data.queue_mask = 5;
    return the_double->escape_status;
  };
  if (table.DxgkDdiConnectDoorbell == nullptr) return;
  table.DxgkDdiConnectDoorbell = [](DXGKARG_CONNECTDOORBELL* args) {
    the_double->connected_doorbells.push_back(args->hDoorbell);
    args->KernelCpuVirtualAddress = the_double->doorbell_address;
    args->Status = the_double->doorbell_status;
    return the_double->connect_status;
  };
  table.DxgkDdiDisconnectDoorbell = [](DXGKARG_DISCONNECTDOORBELL* args) {
    the_double->disconnected_doorbells.push_back(args->hDoorbell);
    if (the_double->on_disconnect) the_double->on_disconnect();
    return STATUS_SUCCESS;
  };
  table.DxgkDdiNotifyWorkSubmission = [](DXGKARG_NOTIFYWORKSUBMISSION* args) {
    the_double->work_notices.push_back(args->hHwQueue);
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
  replace_scheduling(*table);
  replace_hw_contexts(*table);
  replace_fences(*table);
  replace_fence_objects(*table);
  replace_events(*table);
  replace_doorbells(*table);
  return status;
}

}  // namespace fenceline::support
