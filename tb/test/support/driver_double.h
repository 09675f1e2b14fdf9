#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/driver.h"
#include "models/abi/private_data.h"

namespace fenceline::support {

/// A driver that starts as the stub does, and then only records the work that it gets: nothing runs
/// on the device, and nothing is reported unless the test does it. One exists at a time.
class DriverDouble {
 public:
  DriverDouble();
  ~DriverDouble();
  DriverDouble(const DriverDouble&) = delete;
  DriverDouble& operator=(const DriverDouble&) = delete;

  /// Its entry point.
  static NTSTATUS entry(DRIVER_INITIALIZATION_DATA* table);

  /// A call that gives values of native fences.
  struct FenceValues {
    std::vector<HANDLE> fences;
    std::vector<UINT64> values;  ///< empty: the call has none
    UINT flags = 0;
  };

  // Calls, in order.
  std::vector<DXGKARG_SUBMITCOMMANDVIRTUAL> submits;
  std::vector<DXGKARG_PATCH> patches;
  std::vector<DXGKARG_SUBMITCOMMAND> parts;  ///< DxgkDdiSubmitCommand
  std::vector<DXGKARG_PREEMPTCOMMAND> preemptions;
  std::vector<UINT> engine_resets;  ///< nodes
  std::vector<DXGKARG_SUSPENDCONTEXT> suspensions;
  std::vector<HANDLE> resumed;
  std::vector<DXGKARG_CREATEHWCONTEXT> hw_contexts;  ///< as the OS has called
  std::vector<HANDLE> destroyed_hw_contexts;
  std::vector<DXGKARG_SETUPPRIORITYBANDS> bands;
  std::vector<DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES> properties;
  std::vector<UINT> hw_engine_resets;   ///< nodes
  std::vector<UINT> hw_engine_resumes;  ///< nodes
  std::vector<DEVICE_POWER_STATE> power;
  std::vector<DXGKARG_SETVIDPNSOURCEADDRESS> shown;
  std::vector<FenceValues> monitored;  ///< DxgkDdiUpdateMonitoredValues
  std::vector<FenceValues> signals;    ///< DxgkDdiUpdateCurrentValuesFromCpu
  std::vector<DXGKARG_SETNATIVEFENCELOGBUFFER> log_buffers;
  std::vector<std::vector<HANDLE>> log_flushes;  ///< queues of DxgkDdiUpdateNativeFenceLogs
  std::vector<std::string> fence_calls;          ///< "create", "open", "close", "destroy"
  std::vector<DXGKARG_CREATENATIVEFENCE> created_fences;  ///< as the OS has called
  std::vector<DXGKARG_OPENNATIVEFENCE> opened_fences;     ///< likewise
  std::vector<DXGKARG_CREATECPUEVENT> cpu_events;
  std::vector<HANDLE> destroyed_events;
  std::vector<HANDLE> connected_doorbells;
  std::vector<HANDLE> disconnected_doorbells;
  std::vector<HANDLE> work_notices;  ///< queues of DxgkDdiNotifyWorkSubmission
  std::vector<abi::PeerDoorbellEscape> escapes;
  UINT resets = 0;    ///< DxgkDdiResetFromTimeout
  UINT restarts = 0;  ///< DxgkDdiRestartFromTimeout

  std::function<void()> on_dependents;  ///< runs in DxgkDdiQueryDependentEngineGroup
  std::function<void()> on_reset;       ///< runs in DxgkDdiResetFromTimeout
  std::function<void()> on_suspend;     ///< runs in DxgkDdiSuspendContext
  std::function<void()> on_hw_reset;    ///< runs in DxgkDdiResetHwEngine
  std::function<void()> on_monitored;   ///< runs in DxgkDdiUpdateMonitoredValues
  std::function<void()> on_signal;      ///< runs in DxgkDdiUpdateCurrentValuesFromCpu
  std::function<void()> on_disconnect;  ///< runs in DxgkDdiDisconnectDoorbell
  std::function<void()> on_log_flush;   ///< runs in DxgkDdiUpdateNativeFenceLogs
  std::function<void()> on_show;        ///< runs in DxgkDdiSetVidPnSourceAddress

  // Answers.
  NTSTATUS submit_status = STATUS_SUCCESS;
  NTSTATUS patch_status = STATUS_SUCCESS;
  NTSTATUS part_status = STATUS_SUCCESS;
  NTSTATUS preempt_status = STATUS_SUCCESS;
  NTSTATUS engine_status = STATUS_SUCCESS;  ///< of DxgkDdiResetEngine
  NTSTATUS reset_status = STATUS_SUCCESS;
  NTSTATUS suspend_status = STATUS_PENDING;
  NTSTATUS hw_engine_status = STATUS_SUCCESS;   ///< of DxgkDdiResetHwEngine
  NTSTATUS hw_context_status = STATUS_SUCCESS;  ///< of DxgkDdiCreateHwContext
  NTSTATUS properties_status = STATUS_SUCCESS;
  NTSTATUS show_status = STATUS_SUCCESS;
  NTSTATUS monitored_status = STATUS_SUCCESS;
  NTSTATUS signal_status = STATUS_SUCCESS;
  NTSTATUS create_status = STATUS_SUCCESS;  ///< of DxgkDdiCreateNativeFence
  NTSTATUS open_status = STATUS_SUCCESS;    ///< of DxgkDdiOpenNativeFence
  NTSTATUS event_status = STATUS_SUCCESS;   ///< of DxgkDdiCreateCpuEvent
  NTSTATUS escape_status = STATUS_SUCCESS;
  NTSTATUS connect_status = STATUS_SUCCESS;
  PVOID doorbell_address = nullptr;  ///< of DxgkDdiConnectDoorbell
  D3DDDI_DOORBELLSTATUS doorbell_status = D3DDDI_DOORBELLSTATUS_CONNECTED;
  NTSTATUS log_status = STATUS_SUCCESS;  ///< of DxgkDdiSetNativeFenceLogBuffer
  UINT last_aborted = 0;                 ///< of DxgkDdiResetEngine
  ULONGLONG dependent_nodes = ~0ULL;     ///< mask of DxgkDdiQueryDependentEngineGroup
};

}  // namespace fenceline::support
