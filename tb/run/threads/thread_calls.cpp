// Steps of a thread that make one call and demand something of it.
#include "tb/run/threads/thread_killed.h"
#include "tb/run/threads/thread_program.h"

namespace fenceline::run {

namespace {

/// As scenarios name the states of a feature.
std::string feature_state(NTSTATUS status, USHORT result) {
  using Result = DXGK_ISFEATUREENABLED_RESULT;
  if (!NT_SUCCESS(status)) return "no_services";
  if ((result & Result::kKnownFeature) == 0) return "unknown";
  if ((result & Result::kEnabled) != 0) return "enabled";
  if ((result & Result::kSupportedByDriver) == 0) return "unsupported";
  return (result & Result::kSupportedOnCurrentConfig) == 0 ? "not_configured" : "disabled";
}

event::UserTarget target_of(const scenario::AccessStep& step) {
  using event::UserTarget;
  if (step.monitored) return step.write ? UserTarget::kWriteMonitored : UserTarget::kReadMonitored;
  return step.write ? UserTarget::kWriteCurrent : UserTarget::kReadCurrent;
}

}  // namespace

const user::UserFence& ThreadProgram::fence(const std::string& name) const {
  static const user::UserFence kNone;
  const auto found = state_.fences.find(name);
  return found != state_.fences.end() ? found->second : kNone;
}

const user::UserFence& ThreadProgram::usable(const std::string& name,
                                             const user::CommandWriter& writer) {
  const user::UserFence& result = fence(name);
  if (result.handle == 0) never_made("fence", name);
  if (!result.monitored || dynamic_cast<const user::QueueWriter*>(&writer) == nullptr)
    return result;
  end_thread("the fence " + name + " is native, for a packet of a hardware queue",
             "it is monitored");
}

user::QueueWriter& ThreadProgram::queue(const std::string& name) {
  const auto found = state_.queues.find(name);
  if (found == state_.queues.end()) never_made("hardware queue", name);
  return *found->second;
}

user::ContextWriter& ThreadProgram::context(const std::string& name) {
  const auto found = state_.contexts.find(name);
  if (found == state_.contexts.end()) never_made("context", name);
  return *found->second;
}

os::HwContext& ThreadProgram::hw_context(const std::string& name) {
  os::HwContext* const found = kernel_.hw_contexts.find(*state_.process, name);
  if (found == nullptr) never_made("hardware context", name);
  return *found;
}

os::HardwareScheduler& ThreadProgram::hardware() {
  os::HardwareScheduler* const found =
      kernel_.system.suspends_contexts() ? kernel_.system.hardware.get() : nullptr;
  if (found != nullptr) return *found;
  end_thread("the operating system schedules hardware contexts",
             "/platform/os/context_scheduling is off");
}

void ThreadProgram::never_made(const char* kind, const std::string& name) {
  end_thread(std::string("the ") + kind + " " + name + " is there", "it was never made");
}

void ThreadProgram::end_thread(const std::string& expected, const std::string& found) {
  machine_.checks.check(*at_, expected, found, false);
  throw ThreadKilled();
}

void ThreadProgram::report_status(NTSTATUS status) {
  machine_.simulation().events.emit(
      thread_.agent, event::CallStatus{thread_.object, static_cast<std::uint32_t>(status)});
}

void ThreadProgram::check_status(const char* call, NTSTATUS status,
                                 const std::optional<std::string>& wanted) {
  report_status(status);
  machine_.checks.check_status(*at_, call, status, wanted);
}

void ThreadProgram::perform(const scenario::CreateFenceStep& step) {
  report_status(machine_.objects.create_fence(state_, step.fence));
}

void ThreadProgram::perform(const scenario::DestroyFenceStep& step) {
  check_status("D3DKMTDestroySynchronizationObject",
               kernel_.sync_objects.D3DKMTDestroySynchronizationObject(*state_.process,
                                                                       {fence(step.fence).handle}),
               step.status);
}

void ThreadProgram::perform(const scenario::AccessStep& step) {
  os::LocalFence* local = state_.process->fence(fence(step.fence).handle);
  if (local == nullptr) {
    machine_.checks.check(*at_, "the fence is there", "it is not open", false);
    return;
  }
  std::uint64_t value = step.write ? step.write->evaluate(counters_) : 0;
  check_access(kernel_.user_access.touch_value(*state_.process, *local, target_of(step), value),
               step.violates);
}

void ThreadProgram::check_access(NTSTATUS status, bool violates) {
  report_status(status);
  const bool violation = status == STATUS_ACCESS_VIOLATION;
  const char* const found = fenceline::wddm::status_name(status);
  machine_.checks.check(*at_, violates ? "the access is refused" : "the access goes through", found,
                        violation == violates);
  if (violation && !violates) throw ThreadKilled();
}

void ThreadProgram::perform(const scenario::TouchLogStep& step) {
  ProcessState& owner = step.process ? machine_.objects.process(*step.process) : state_;
  const auto found = owner.queues.find(step.queue);
  if (found == owner.queues.end()) never_made("hardware queue", step.queue);
  const D3DKMT_HANDLE handle = found->second->handle();
  if (!owner.process->queue(handle).has_logs) never_made("fence log of", step.queue);
  std::uint64_t value = step.write ? step.write->evaluate(counters_) : 0;
  check_access(kernel_.user_access.touch_log(*state_.process, *owner.process, handle, !step.waits,
                                             step.write.has_value(), value),
               step.violates);
}

void ThreadProgram::perform(const scenario::SignalElsewhereStep& step) {
  check_status(
      "the signal from elsewhere",
      kernel_.waits.signal_from_elsewhere(*state_.process, {fence(step.point.fence).handle},
                                          {value(step.point)}, step.notify),
      std::nullopt);
}

void ThreadProgram::perform(const scenario::FailDeviceStep& /*step*/) {
  kernel_.device_errors.fail(*state_.process, true);
}

void ThreadProgram::perform(const scenario::QueryAdapterStep& step) {
  const D3DKMT_HANDLE adapter = os::adapter_handle(state_.process->adapter);
  D3DKMT_WDDM_3_1_CAPS caps{};
  D3DKMT_QUERYADAPTERINFO query{};
  query.hAdapter = adapter;
  query.Type = KMTQAITYPE_WDDM_3_1_CAPS;
  query.pPrivateDriverData = &caps;
  query.PrivateDriverDataSize = sizeof caps;
  const NTSTATUS status = kernel_.adapters.D3DKMTQueryAdapterInfo(query);
  if (step.status || step.native_gpu_fence)
    check_status("D3DKMTQueryAdapterInfo", status, step.status);
  if (step.native_gpu_fence) {
    const bool found = (caps.Value & D3DKMT_WDDM_3_1_CAPS::kNativeGpuFenceSupported) != 0;
    machine_.checks.check(
        *at_ + "/query_adapter/native_gpu_fence",
        std::string("NativeGpuFenceSupported is ") + (*step.native_gpu_fence ? "1" : "0"),
        found ? "1" : "0", found == *step.native_gpu_fence);
  }
  if (!step.feature) return;
  D3DKMT_ISFEATUREENABLED ask{};
  ask.hAdapter = adapter;
  ask.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
  const NTSTATUS answered = kernel_.adapters.D3DKMTIsFeatureEnabled(ask);
  const std::string found = feature_state(answered, ask.Result.Value);
  machine_.checks.check(*at_ + "/query_adapter/feature",
                        "the native fence feature is " + *step.feature, found,
                        found == *step.feature);
}

}  // namespace fenceline::run
