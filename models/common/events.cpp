#include "models/common/events.h"

namespace fenceline::common {

namespace {

struct EventInfo {
  const char* name;
  ObjectKind object;
};

constexpr ObjectKind kFence = ObjectKind::kFence;
constexpr ObjectKind kQueue = ObjectKind::kQueue;
constexpr ObjectKind kLog = ObjectKind::kLog;
constexpr ObjectKind kAdapter = ObjectKind::kAdapter;
constexpr ObjectKind kThread = ObjectKind::kThread;
constexpr ObjectKind kCore = ObjectKind::kCore;
constexpr ObjectKind kAllocation = ObjectKind::kAllocation;

/// In the order of EventKind.
constexpr std::array<EventInfo, static_cast<std::size_t>(EventKind::kCount)> kEvents{{
    {"current_value_issued", kFence},
    {"current_value_visible", kFence},
    {"current_value_read", kFence},
    {"monitored_value_visible", kFence},
    {"monitored_value_stored", kFence},
    {"current_value_stored", kFence},
    {"shadow_visible", kFence},
    {"shadow_read", kFence},
    {"work_issued", kQueue},
    {"work_visible", kQueue},
    {"signal_begin", kFence},
    {"decision", kFence},
    {"cmp_decision", kFence},
    {"signal_end", kFence},
    {"cpu_signal", kFence},
    {"interrupt_raised", kAdapter},
    {"message_sent", kAdapter},
    {"message_coalesced", kAdapter},
    {"message_lost", kCore},
    {"message_delivered", kAdapter},
    {"isr_begin", kAdapter},
    {"isr_acknowledge", kAdapter},
    {"isr_end", kAdapter},
    {"notify", kFence},
    {"notify_all", kAdapter},
    {"dpc_begin", kAdapter},
    {"dpc_end", kAdapter},
    {"spurious_interrupt", kAdapter},
    {"fallback", kAdapter},
    {"update_monitored_call", kFence},
    {"update_monitored_return", kFence},
    {"shadow_issued", kFence},
    {"wait_add", kFence},
    {"wait_release", kFence},
    {"wait_done", kFence},
    {"wait_timeout", kFence},
    {"wait_let_go", kFence},
    {"gpu_wait_begin", kFence},
    {"gpu_wait_park", kFence},
    {"gpu_wait_unblock", kFence},
    {"log_entry_issued", kLog},
    {"log_entry_visible", kLog},
    {"log_header_issued", kLog},
    {"log_header_visible", kLog},
    {"log_header_read", kLog},
    {"log_entry_read", kLog},
    {"log_entry_torn", kLog},
    {"log_flush_call", kLog},
    {"log_flush_return", kLog},
    {"log_overrun", kLog},
    {"log_entry_times", kLog},
    {"log_retired", kLog},
    {"log_read_done", kLog},
    {"signal_queued", kFence},
    {"wait_queued", kFence},
    {"clock_calibrated", kAdapter},
    {"fence_create", kFence},
    {"fence_open", kFence},
    {"fence_close", kFence},
    {"fence_destroy", kFence},
    {"packet_begin", kQueue},
    {"packet_end", kQueue},
    {"doorbell", kQueue},
    {"queue_state", kQueue},
    {"pcie_transfer", ObjectKind::kLink},
    {"link_fault", ObjectKind::kLink},
    {"engine_fault", kQueue},
    {"power_state", kCore},
    {"thread_state", kThread},
    {"thread_step", kThread},
    {"ddi_call", kAdapter},
    {"ddi_return", kAdapter},
    {"bug_check", kAdapter},
    {"irql_violation", kAdapter},
    {"driver_misuse", kAdapter},
    {"handle_violation", kFence},
    {"feature_answer", kAdapter},
    {"feature_table", kAdapter},
    {"adapter_started", kAdapter},
    {"fence_storage", kFence},
    {"fence_storage_free", kFence},
    {"user_access", kFence},
    {"user_log_access", kLog},
    {"gpu_fault", kAdapter},
    {"notify_call", kAdapter},
    {"notify_queue", kQueue},
    {"progress_fence", kQueue},
    {"batch_bad", kFence},
    {"log_made", kLog},
    {"log_set", kLog},
    {"log_level", kAdapter},
    {"fence_traced", kFence},
    {"stale_packet", kQueue},
    {"fence_kind", kFence},
    {"fence_mapped", kFence},
    {"engine_interrupt", kAdapter},
    {"monitored_fence_told", kAdapter},
    {"context_submit", kQueue},
    {"buffer_complete", kAdapter},
    {"interrupt_type", kAdapter},
    {"buffer_begin", kAdapter},
    {"buffer_end", kAdapter},
    {"buffer_stopped", kAdapter},
    {"buffer_faulted", kAdapter},
    {"fault_told", kAdapter},
    {"context_saved", kAdapter},
    {"context_restored", kAdapter},
    {"preempt_call", kAdapter},
    {"preempted", kAdapter},
    {"context_packet", kQueue},
    {"context_given", kQueue},
    {"context_ended", kQueue},
    {"context_memory", kQueue},
    {"patch_location", kAdapter},
    {"bound_use", kAdapter},
    {"packet_read", kAdapter},
    {"part_given", kAdapter},
    {"recovery", kAdapter},
    {"recovery_limits", ObjectKind::kNone},
    {"device_created", ObjectKind::kProcess},
    {"device_error", ObjectKind::kProcess},
    {"scheduled_queue", kQueue},
    {"context_rank", kAdapter},
    {"band_grace", kAdapter},
    {"suspend_call", kAdapter},
    {"suspend_return", kAdapter},
    {"context_suspended", kAdapter},
    {"resume_call", kAdapter},
    {"ring_fetched", kQueue},
    {"hw_engine_reset", kAdapter},
    {"engine_notify", kAdapter},
    {"context_lost", kAdapter},
    {"queue_guarded", kQueue},
    {"engine_timed_out", kQueue},
    {"work_dropped", kQueue},
    {"present", kAdapter},
    {"flip_call", kAdapter},
    {"flip_effective", kAdapter},
    {"vertical_sync", kAdapter},
    {"scan_top", kAdapter},
    {"scan_bottom", kAdapter},
    {"flip_done", kAdapter},
    {"cross_adapter_fence", kFence},
    {"peer_doorbell", kAdapter},
    {"doorbell_mapped", kQueue},
    {"doorbell_status", kQueue},
    {"doorbell_status_visible", kQueue},
    {"doorbell_rung", kQueue},
    {"doorbell_answer", kQueue},
    {"doorbell_connect", kQueue},
    {"doorbell_taken", kQueue},
    {"ring_scan", kQueue},
    {"submission", kQueue},
    {"command_recorded", kQueue},
    {"command_done", kQueue},
    {"commands_dropped", kQueue},
    {"cpu_event_create", kAdapter},
    {"cpu_event_use", kAdapter},
    {"cpu_event_signal", kAdapter},
    {"cpu_event_destroy", kAdapter},
    {"adapter_power", kAdapter},
    {"allocation_created", kAllocation},
    {"allocation_placed", kAllocation},
    {"allocation_locked", kAllocation},
    {"allocation_unlocked", kAllocation},
    {"allocation_destroyed", kAllocation},
    {"allocation_mapped", kAllocation},
    {"cpu_store", kAllocation},
    {"cpu_load", kAllocation},
    {"cache_maintained", kAllocation},
    {"combining_sent", kCore},
    {"combining_drained", kCore},
    {"gpu_store", kAdapter},
    {"gpu_copy", kAdapter},
    {"gpu_load", kAdapter},
    {"gpu_traffic", kAdapter},
    {"address_space", kAdapter},
    {"host_aperture", kAdapter},
    {"mark", kThread},
    {"quiescent", ObjectKind::kNone},
    {"end_of_run", ObjectKind::kNone},
}};
static_assert(kEvents.back().name != nullptr, "every kind of event has a name");

}  // namespace

void EventStream::subscribe(EventSink& sink, const std::vector<EventKind>& kinds) {
  if (kinds.empty()) {
    for (auto& sinks : sinks_) sinks.push_back(&sink);
    return;
  }
  for (const EventKind kind : kinds) sinks_[static_cast<std::size_t>(kind)].push_back(&sink);
}

void EventStream::dispatch(EventKind kind, AgentId agent, std::uint32_t object, std::uint64_t a,
                           std::uint64_t b, std::uint64_t c) {
  const Event event{now(), kind, agent, object, a, b, c};
  for (EventSink* sink : sinks_[static_cast<std::size_t>(kind)]) sink->on_event(event);
}

std::uint32_t EventStream::add_object(ObjectKind kind, std::string name) {
  auto& names = names_[static_cast<std::size_t>(kind)];
  names.push_back(std::move(name));
  return static_cast<std::uint32_t>(names.size());
}

const std::string& EventStream::name(ObjectKind kind, std::uint32_t object) const {
  static const std::string none = "none";
  return object == 0 ? none : names_[static_cast<std::size_t>(kind)].at(object - 1);
}

std::uint32_t EventStream::object_count(ObjectKind kind) const {
  return static_cast<std::uint32_t>(names_[static_cast<std::size_t>(kind)].size());
}

ObjectKind object_kind(EventKind kind) { return kEvents[static_cast<std::size_t>(kind)].object; }

const char* event_name(EventKind kind) { return kEvents[static_cast<std::size_t>(kind)].name; }

}  // namespace fenceline::common
