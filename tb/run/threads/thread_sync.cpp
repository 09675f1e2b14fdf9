// Steps for contexts, CPU events, presents and power.
#include <cstring>

#include "tb/run/threads/thread_program.h"

namespace fenceline::run {

void ThreadProgram::perform(const scenario::GpuWaitStep& step) {
  const D3DKMT_HANDLE handle = fence(step.point.fence).handle;
  const UINT64 wanted = value(step.point);
  if (step.context) {
    user::ContextWriter& target = context(*step.context);
    const user::Submission alone(target);
    return check_status("D3DKMTWaitForSynchronizationObjectFromGpu",
                        target.software_wait(fence(step.point.fence), wanted), step.status);
  }
  if (packet_of_queue(step, false)) return;
  D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE args{};
  args.hHwQueue = queue(*step.queue).handle();
  args.ObjectCount = 1;
  args.ObjectHandleArray = &handle;
  args.FenceValueArray = &wanted;
  check_status("D3DKMTSubmitWaitForSyncObjectsToHwQueue",
               kernel_.queues.D3DKMTSubmitWaitForSyncObjectsToHwQueue(*state_.process, args),
               step.status);
}

void ThreadProgram::perform(const scenario::GpuSignalStep& step) {
  const D3DKMT_HANDLE handle = fence(step.point.fence).handle;
  const UINT64 wanted = value(step.point);
  if (step.context) {
    user::ContextWriter& target = context(*step.context);
    const user::Submission alone(target);
    return check_status("D3DKMTSignalSynchronizationObjectFromGpu",
                        target.software_signal(fence(step.point.fence), wanted), step.status);
  }
  if (packet_of_queue(step, true)) return;
  const D3DKMT_HANDLE target = queue(*step.queue).handle();
  D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE args{};
  args.BroadcastHwQueueCount = 1;
  args.BroadcastHwQueueArray = &target;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &handle;
  args.FenceValueArray = &wanted;
  check_status("D3DKMTSubmitSignalSyncObjectsToHwQueue",
               kernel_.queues.D3DKMTSubmitSignalSyncObjectsToHwQueue(*state_.process, args),
               step.status);
}

/// The user-mode driver feeds the queue itself: it writes a packet for a wait or signal of a native
/// fence, as in a submission. False for other fences.
bool ThreadProgram::packet_of_queue(const scenario::GpuPointStep& step, bool signals) {
  if (fence(step.point.fence).monitored) return false;
  user::QueueWriter& target = queue(*step.queue);
  user::Submission submission(target);
  const user::UserFence& named = usable(step.point.fence, target);
  const UINT64 wanted = value(step.point);
  if (signals)
    target.signal(named, wanted);
  else
    target.wait(named, wanted);
  check_submission("the submission to the queue", submission.submit(), step.status);
  return true;
}

void ThreadProgram::perform(const scenario::CreateCpuEventStep& step) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = state_.process->device();
  args.Info.Type = D3DDDI_CPU_NOTIFICATION;
  args.Info.Flags.Value = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kSignalByKmd;
  args.Info.CPUNotification.Event = &machine_.objects.event(state_, step.event);
  const os::WithOptions named(kernel_.system.threads, {step.name});
  const NTSTATUS status =
      kernel_.sync_objects.D3DKMTCreateSynchronizationObject2(*state_.process, args);
  check_status("D3DKMTCreateSynchronizationObject2", status, step.status);
  if (!NT_SUCCESS(status)) return;
  machine_.objects.names().alter();
  user::UserFence made;  // nothing is left of a fence that had the name
  made.handle = args.hSyncObject;
  made.monitored = true;
  state_.fences[step.name] = made;
}

void ThreadProgram::perform(const scenario::UseCpuEventStep& step) {
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
  usage.hSyncObject = fence(step.name).handle;
  usage.Usage[0] = static_cast<UINT>(step.use);
  if (step.engine) usage.Usage[1] = machine_.objects.node(state_, *step.engine);
  D3DKMT_ESCAPE args{};
  args.Flags.Value = D3DDDI_ESCAPEFLAGS::kDriverKnownEscape;
  if (!step.wakes) args.Flags.Value |= D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization;
  args.pPrivateDriverData = &usage;
  args.PrivateDriverDataSize = sizeof usage;
  check_status("D3DKMTEscape", kernel_.adapters.D3DKMTEscape(*state_.process, args), step.status);
}

void ThreadProgram::perform(const scenario::PassHandleStep& step) {
  abi::SignalByHandle data{};
  data.magic = abi::kSignalByHandle;
  const HANDLE handle = &machine_.objects.event(state_, step.event);
  static_assert(sizeof handle == sizeof data.nt_handle);
  std::memcpy(&data.nt_handle, &handle, sizeof handle);
  D3DKMT_ESCAPE args{};
  args.Flags.Value = D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization;
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof data;
  check_status("D3DKMTEscape", kernel_.adapters.D3DKMTEscape(*state_.process, args), step.status);
}

void ThreadProgram::perform(const scenario::SetPowerStep& step) {
  kernel_.system.of(*state_.process).power->set(step.state == "D0");
}

void ThreadProgram::perform(const scenario::PresentStep& step) {
  D3DKMT_PRESENT args{};
  args.hContext = context(step.context).handle();
  args.FlipInterval = step.immediate ? 0 : 1;
  args.PresentLimit = step.queued;
  args.PrimaryAddress.QuadPart =
      static_cast<LONGLONG>(allocation(step.primary).backing.gpu_physical());
  const NTSTATUS status = blocked("flips to " + step.primary, [&] {
    return kernel_.presents.D3DKMTPresent(*state_.process, args);
  });
  check_status("D3DKMTPresent", status, step.status);
}

void ThreadProgram::perform(const scenario::SuspendContextStep& step) {
  os::HwContext& target = hw_context(step.context);
  const NTSTATUS status = blocked("suspension of " + step.context,
                                  [&] { return hardware().suspend(target, step.wait); });
  check_status("DxgkDdiSuspendContext", status, step.status);
}

void ThreadProgram::perform(const scenario::ResumeContextStep& step) {
  hardware().resume(hw_context(step.context));
}

void ThreadProgram::perform(const scenario::SetSchedulingStep& step) {
  check_status("DxgkDdiSetContextSchedulingProperties",
               hardware().set_properties(hw_context(step.context), step.properties), {});
}

void ThreadProgram::perform(const scenario::ResetEngineStep& step) {
  hardware().reset_engine(kernel_.adapter(state_.process->adapter),
                          machine_.objects.node(state_, step.engine));
}

void ThreadProgram::perform(const scenario::DestroyDeviceStep& step) {
  check_status("D3DKMTDestroyDevice",
               kernel_.devices.D3DKMTDestroyDevice(*state_.process, {state_.process->device()}),
               step.status);
}

void ThreadProgram::perform(const scenario::CreateDeviceStep& step) {
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = os::adapter_handle(state_.process->adapter);
  const NTSTATUS status = kernel_.devices.D3DKMTCreateDevice(*state_.process, args);
  check_status("D3DKMTCreateDevice", status, step.status);
  if (NT_SUCCESS(status)) machine_.objects.create_contexts(state_);
}

}  // namespace fenceline::run
