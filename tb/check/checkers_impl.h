#pragma once

#include <array>
#include <vector>

#include "tb/check/checkers.h"
#include "tb/check/cross_adapter.h"
#include "tb/check/device_errors.h"
#include "tb/check/display.h"
#include "tb/check/doorbell.h"
#include "tb/check/driver_misuse.h"
#include "tb/check/driver_rules.h"
#include "tb/check/engine_hangs.h"
#include "tb/check/interrupt.h"
#include "tb/check/lifetime.h"
#include "tb/check/log.h"
#include "tb/check/log_level.h"
#include "tb/check/lost.h"
#include "tb/check/memory.h"
#include "tb/check/monitored_fence.h"
#include "tb/check/notices.h"
#include "tb/check/payload.h"
#include "tb/check/preemption.h"
#include "tb/check/scheduling.h"
#include "tb/check/scope.h"
#include "tb/check/split_buffers.h"
#include "tb/check/start.h"
#include "tb/check/storage.h"
#include "tb/check/submission.h"
#include "tb/check/timeline.h"
#include "tb/check/update.h"
#include "tb/check/value.h"
#include "tb/check/values_told.h"

namespace fenceline::check {

/// Routes each kind of event to the checkers that need it, shared state first.
class Checkers::Impl final : public common::EventSink {
 public:
  Impl(const common::EventStream& stream, const CheckOptions& options)
      : report(stream),
        waiters(world, options.release_bound),
        logs(world, waiters, options.log_entries),
        stale_reads(options.stale_reads) {}

  void on_event(const common::Event& event) override {
    report.tick(event);
    if (scheduling.active()) scheduling.on_event(event);
    (this->*table_[static_cast<std::size_t>(event.kind)])(event);  // only kinds() are subscribed
  }

  /// The kinds that have a handler.
  static std::vector<common::EventKind> kinds();
  void finish();
  void reset();
  std::uint64_t state_hash() const;

  Reporter report;
  World world{report};
  UpdateChecks updates{world};
  InterruptChecks interrupts{world, updates};
  WaiterChecks waiters;
  QueueWaitChecks queue_waits{world};
  ReadChecks reads{world};
  MonitoredChecks monitored{world, waiters};
  LifetimeChecks lifetimes{world};
  IrqlChecks irql{world};
  PayloadChecks payloads{world};
  ScopeChecks scopes{world};
  StartChecks starts{world};
  StorageChecks storage{world};
  ToldValueChecks told{world};
  MonitoredFenceChecks monitored_fences{world};
  CpuEventChecks cpu_events{world};
  LogLevelChecks log_levels{world};
  NoticeChecks notices{world};
  TimelineChecks timeline{world};
  CrossAdapterChecks shared{world};
  MemoryChecks memory{world};
  BlockedChecks blocked{world};
  EngineHangChecks hangs{world, blocked};
  DeviceErrorChecks device_errors{world};
  PreemptionChecks preemption{world, waiters, blocked};
  SchedulingChecks scheduling{world};
  DriverRuleChecks driver_rules{world};
  MisuseChecks misuses{world};
  DisplayChecks displays{world};
  SplitBufferChecks split_buffers{world};
  DoorbellChecks doorbells{world};
  SubmissionChecks submissions{world};
  LogChecks logs;
  const bool stale_reads;

 private:
  using Handler = void (Impl::*)(const common::Event&);
  using Handlers = std::array<Handler, static_cast<std::size_t>(common::EventKind::kCount)>;

  static const Handlers& handlers();
  static void add_value_handlers(Handlers& to);
  static void add_interrupt_handlers(Handlers& to);
  static void add_wait_handlers(Handlers& to);
  static void add_log_handlers(Handlers& to);
  static void add_other_handlers(Handlers& to);
  static void add_system_handlers(Handlers& to);
  static void add_memory_handlers(Handlers& to);
  static void add_preemption_handlers(Handlers& to);
  static void add_scheduling_handlers(Handlers& to);
  static void add_display_handlers(Handlers& to);
  static void add_doorbell_handlers(Handlers& to);

  // Values.
  void issued(const common::Event& e);
  void visible(const common::Event& word);
  void read(const common::Event& word);
  void monitored_visible(const common::Event& e);
  void signal_visible(Signal* signal, common::AgentId writer);
  void monitored_stored(const common::Event& e) {
    scopes.on_monitored_stored(e);
    notices.on_monitored_stored(e);
  }
  void current_stored(const common::Event& e) { notices.on_current_stored(e); }
  void work_issued(const common::Event& e) { payloads.on_issued(e); }
  void work_visible(const common::Event& e) { payloads.on_work_visible(e); }
  void shadow_issued(const common::Event& e);
  void shadow_visible(const common::Event& e) { updates.on_shadow_visible(e); }
  void shadow_read(const common::Event& e) {
    if (!world.fences[e.object].ended) updates.on_shadow_read(e);
  }
  // Signals.
  void signal_begin(const common::Event& e);
  void decision(const common::Event& e);
  void cmp_decision(const common::Event& e);
  void signal_end(const common::Event& e);
  void cpu_signal(const common::Event& e);
  // Interrupts.
  void raised(const common::Event& e);
  void message_sent(const common::Event& e) { logs.on_message_sent(e); }
  void message_coalesced(const common::Event& e) { logs.on_message_coalesced(e); }
  void message_delivered(const common::Event& e) { logs.on_message_delivered(e); }
  void isr_begin(const common::Event& e) {
    irql.on_isr_begin(e);
    driver_rules.on_isr_begin(e);
    notices.on_isr_begin(e);
  }
  void monitored_fence_told(const common::Event& e) { notices.on_fence_told(e); }
  void notify_call(const common::Event& e) { notices.on_notify_call(e); }
  void notify_queue(const common::Event& e) { notices.on_notify_queue(e); }
  void acknowledge(const common::Event& e);
  void isr_end(const common::Event& e);
  void notify(const common::Event& e);
  void notify_all(const common::Event& e);
  void dpc_begin(const common::Event& e);
  void dpc_end(const common::Event& e) { logs.on_dpc_end(e); }
  void spurious(const common::Event&) { interrupts.on_spurious(); }
  // Updates.
  void update_call(const common::Event& e);
  void update_return(const common::Event& e);
  // Waits.
  void wait_add(const common::Event& e);
  void wait_release(const common::Event& e);
  void wait_done(const common::Event& e) { waiters.on_done(e); }
  void wait_let_go(const common::Event& e) { waiters.on_let_go(e); }
  void wait_timeout(const common::Event& e) { waiters.on_timeout(e); }
  void gpu_wait_begin(const common::Event& e);
  void gpu_wait_unblock(const common::Event& e);
  // Logs.
  void entry_issued(const common::Event& e);
  void entry_visible(const common::Event& e);
  void header_issued(const common::Event& e) { logs.on_header_issued(e); }
  void header_visible(const common::Event& e);
  void header_read(const common::Event& e) { logs.on_header_read(e); }
  void entry_read(const common::Event& e);
  void entry_torn(const common::Event& e) { logs.on_entry_read(e, true); }
  void overrun(const common::Event& e) { logs.on_overrun(e); }
  void log_read_done(const common::Event& e) { logs.on_read_done(e); }
  void log_retired(const common::Event& e) { scopes.on_log_retired(e); }
  void entry_times(const common::Event& e) { timeline.on_entry_times(e); }
  void log_made(const common::Event& e) { logs.on_made(e); }
  void log_set(const common::Event& e) { log_levels.on_log_set(e); }
  void log_level(const common::Event& e) { log_levels.on_level(e); }
  void fence_traced(const common::Event& e) { log_levels.on_fence_traced(e); }
  void doorbell(const common::Event& e) {
    log_levels.on_doorbell(e);
    doorbells.on_arrived(e);
  }
  void doorbell_mapped(const common::Event& e) { doorbells.on_mapped(e); }
  void doorbell_status(const common::Event& e) { doorbells.on_status(e); }
  void status_visible(const common::Event& e) { doorbells.on_status_visible(e); }
  void doorbell_rung(const common::Event& e) { doorbells.on_rung(e); }
  void ring_scan(const common::Event& e) { doorbells.on_scan(e); }
  void submission(const common::Event& e) { submissions.on_submission(e); }
  void command_recorded(const common::Event& e) { submissions.on_recorded(e); }
  void command_done(const common::Event& e) { submissions.on_done(e); }
  void commands_dropped(const common::Event& e) { submissions.on_dropped(e); }
  void queued(const common::Event& e);
  void calibrated(const common::Event& e) { timeline.on_calibrated(e); }
  // Lifetime and the rest.
  void fence_create(const common::Event& e);
  void fence_open(const common::Event& e);
  void fence_close(const common::Event& e) {
    if (lifetimes.on_close(e)) shared.on_left(e);
    waiters.on_close(e);
    preemption.on_fence_close(e);
  }
  void stale_packet(const common::Event& e) {
    queue_waits.on_stale(e);
    monitored_fences.on_stale(e);
    lifetimes.on_stale(e);
  }
  void fence_destroy(const common::Event& e);
  void feature_answer(const common::Event& e) { starts.on_feature_answer(e); }
  void feature_table(const common::Event& e) { starts.on_feature_table(e); }
  void adapter_started(const common::Event& e);
  void fence_storage(const common::Event& e) { storage.on_storage(e); }
  void user_log_access(const common::Event& e) { storage.on_user_log_access(e); }
  void fence_storage_free(const common::Event& e);
  void user_access(const common::Event& e) { storage.on_user_access(e); }
  void gpu_fault(const common::Event& e) { storage.on_fault(e); }
  void batch_bad(const common::Event& e) { told.on_batch_bad(e); }
  void progress_fence(const common::Event& e) { told.on_progress_fence(e); }
  void packet_begin(const common::Event& e);
  void queue_state(const common::Event& e);
  // Monitored fences and CPU events.
  void fence_kind(const common::Event& e) { world.fence_kind(e); }
  void fence_mapped(const common::Event& e) { monitored_fences.on_mapped(e); }
  void cross_adapter_fence(const common::Event& e);
  void peer_doorbell(const common::Event& e) { shared.on_doorbell(e); }
  void scheduled_queue(const common::Event& e) { scheduling.on_queue(e); }
  void context_rank(const common::Event& e) { scheduling.on_rank(e); }
  void band_grace(const common::Event& e) { scheduling.on_band_grace(e); }
  void suspend_call(const common::Event& e) {
    scheduling.on_suspend_call(e);
    device_errors.on_hardware_ended(e);
  }
  void suspend_return(const common::Event& e) { scheduling.on_suspend_return(e); }
  void context_suspended(const common::Event& e) { scheduling.on_suspended(e); }
  void resume_call(const common::Event& e) {
    scheduling.on_resume(e);
    device_errors.on_resumed(e);
  }
  void ring_fetched(const common::Event& e) { scheduling.on_fetched(e); }
  void hw_engine_reset(const common::Event& e) {
    scheduling.on_engine_reset(e);
    hangs.on_engine_reset(e);
    preemption.on_engine_reset(e);
  }
  void queue_guarded(const common::Event& e) {
    hangs.on_guarded(e);
    device_errors.on_guarded(e);
  }
  void engine_fault(const common::Event& e) {
    hangs.on_fault(e);
    preemption.on_hang(e);
    log_levels.on_hang(e.object);
  }
  void work_dropped(const common::Event& e) { hangs.on_dropped(e); }
  void engine_notify(const common::Event& e) { scheduling.on_engine_notify(e); }
  void context_lost(const common::Event& e) {
    scheduling.on_lost(e);
    hangs.on_lost(e);
    preemption.on_hardware_lost(e);
    device_errors.on_hardware_ended(e);
  }
  void context_packet(const common::Event& e) {
    preemption.on_packet(e);
    device_errors.on_packet(e);
    submissions.on_context_packet(e);
  }
  void context_given(const common::Event& e) {
    preemption.on_given(e);
    monitored_fences.on_context_given(e);
    submissions.on_context_given(e);
  }
  void context_ended(const common::Event& e) {
    preemption.on_ended(e);
    device_errors.on_context_ended(e);
    queue_waits.on_context_ended(e);
    displays.on_context_ended(e);
    submissions.on_context_ended(e);
  }
  void buffer_begin(const common::Event& e) {
    preemption.on_begin(e);
    submissions.on_buffer_begin(e);
  }
  void context_memory(const common::Event& e) { preemption.on_memory(e); }
  void buffer_end(const common::Event& e) {
    preemption.on_end(e);
    split_buffers.on_buffer_end(e);
    submissions.on_buffer_end(e);
  }
  void buffer_stopped(const common::Event& e) { preemption.on_stopped(e); }
  void buffer_complete(const common::Event& e) { preemption.on_told(e); }
  void ddi_call(const common::Event& e) {
    driver_rules.on_ddi_call(e);
    hangs.on_ddi_call(e);
    notices.on_ddi_call(e);
  }
  void ddi_return(const common::Event& e) {
    driver_rules.on_ddi_return(e);
    misuses.on_ddi_return(e);
    hangs.on_ddi_return(e);
    notices.on_ddi_return(e);
  }
  void interrupt_type(const common::Event& e) {
    driver_rules.on_interrupt_type(e);
    notices.on_interrupt_type(e);
  }
  void buffer_faulted(const common::Event& e) { preemption.on_faulted(e); }
  void fault_told(const common::Event& e) { preemption.on_fault_told(e); }
  void context_saved(const common::Event& e) { preemption.on_saved(e); }
  void context_restored(const common::Event& e) { preemption.on_restored(e); }
  void preempt_call(const common::Event& e) { preemption.on_call(e); }
  void preempted(const common::Event& e) {
    preemption.on_preempted(e);
    split_buffers.on_emptied(e);
  }
  void recovery_limits(const common::Event& e) { blocked.on_limits(e); }
  void device_created(const common::Event& e) { blocked.on_device_created(e); }
  void device_error(const common::Event& e) {
    preemption.on_device_error(e);
    device_errors.on_error(e);
  }
  void recovery(const common::Event& e) {
    preemption.on_recovery(e);
    hangs.on_recovery(e);
    split_buffers.on_emptied(e);
  }
  void part_given(const common::Event& e) {
    split_buffers.on_part(e);
    submissions.on_part(e);
  }
  void patch_location(const common::Event& e) { split_buffers.on_location(e); }
  void bound_use(const common::Event& e) { split_buffers.on_use(e); }
  void packet_read(const common::Event& e) { split_buffers.on_packet(e); }
  void present(const common::Event& e) { displays.on_present(e); }
  void flip_effective(const common::Event& e) { displays.on_effective(e); }
  void scan_top(const common::Event& e) { displays.on_top(e); }
  void scan_bottom(const common::Event& e) { displays.on_bottom(e); }
  void flip_done(const common::Event& e) { displays.on_done(e); }
  void context_submit(const common::Event& e) { monitored_fences.on_context_submit(e); }
  void cpu_event_create(const common::Event& e) { cpu_events.on_create(e); }
  void cpu_event_use(const common::Event& e) { cpu_events.on_use(e); }
  void engine_interrupt(const common::Event& e) {
    cpu_events.on_engine_interrupt(e);
    notices.on_raised(e);
  }
  void cpu_event_signal(const common::Event& e) { cpu_events.on_signal(e); }
  void cpu_event_destroy(const common::Event& e) { cpu_events.on_destroy(e); }
  // Memory.
  void address_space(const common::Event& e) { memory.on_address_space(e); }
  void allocation_created(const common::Event& e) { memory.on_created(e); }
  void allocation_placed(const common::Event& e) { memory.on_placed(e); }
  void allocation_locked(const common::Event& e) { memory.on_locked(e); }
  void allocation_unlocked(const common::Event& e) { memory.on_unlocked(e); }
  void allocation_destroyed(const common::Event& e) { memory.on_destroyed(e); }
  void allocation_mapped(const common::Event& e) { memory.on_mapped(e); }
  void cpu_store(const common::Event& e) { memory.on_cpu_store(e); }
  void cpu_load(const common::Event& e) { memory.on_cpu_load(e); }
  void gpu_store(const common::Event& e) { memory.on_gpu_store(e); }
  void gpu_copy(const common::Event& e) { memory.on_gpu_copy(e); }
  void gpu_load(const common::Event& e) { memory.on_gpu_load(e); }
  void cache_maintained(const common::Event& e) { memory.on_cache_maintained(e); }
  void combining_drained(const common::Event& e) { memory.on_combining_drained(e); }
  void gpu_traffic(const common::Event& e) { memory.on_gpu_traffic(e); }
  void host_aperture(const common::Event& e) { memory.on_host_aperture(e); }
  void adapter_power(const common::Event& e) { memory.on_power(e); }
  void driver_misuse(const common::Event& e) { misuses.on_misuse(e); }
  void irql_violation(const common::Event& e) { irql.on_irql_violation(e); }
  void handle_violation(const common::Event& e) { lifetimes.on_handle_violation(e); }
  void quiescent(const common::Event&) { quiescent_ = true; }
  void end_of_run(const common::Event&) { quiescent_ = false; }

  const Handlers& table_ = handlers();
  bool quiescent_ = false;
  bool finished_ = false;
};

}  // namespace fenceline::check
