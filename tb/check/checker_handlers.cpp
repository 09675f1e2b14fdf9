// Which checker takes which kind of event.
#include "tb/check/checkers_impl.h"

namespace fenceline::check {

using common::EventKind;

void Checkers::Impl::add_value_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kCurrentValueIssued, &Impl::issued);
  set(EventKind::kCurrentValueVisible, &Impl::visible);
  set(EventKind::kCurrentValueRead, &Impl::read);
  set(EventKind::kMonitoredValueVisible, &Impl::monitored_visible);
  set(EventKind::kMonitoredValueStored, &Impl::monitored_stored);
  set(EventKind::kCurrentValueStored, &Impl::current_stored);
  set(EventKind::kWorkIssued, &Impl::work_issued);
  set(EventKind::kWorkVisible, &Impl::work_visible);
  set(EventKind::kShadowIssued, &Impl::shadow_issued);
  set(EventKind::kShadowVisible, &Impl::shadow_visible);
  set(EventKind::kShadowRead, &Impl::shadow_read);
  set(EventKind::kSignalBegin, &Impl::signal_begin);
  set(EventKind::kDecision, &Impl::decision);
  set(EventKind::kCmpDecision, &Impl::cmp_decision);
  set(EventKind::kSignalEnd, &Impl::signal_end);
  set(EventKind::kCpuSignal, &Impl::cpu_signal);
  set(EventKind::kUpdateMonitoredCall, &Impl::update_call);
  set(EventKind::kUpdateMonitoredReturn, &Impl::update_return);
}

void Checkers::Impl::add_interrupt_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kInterruptRaised, &Impl::raised);
  set(EventKind::kMessageSent, &Impl::message_sent);
  set(EventKind::kMessageCoalesced, &Impl::message_coalesced);
  set(EventKind::kMessageDelivered, &Impl::message_delivered);
  set(EventKind::kIsrBegin, &Impl::isr_begin);
  set(EventKind::kIsrAcknowledge, &Impl::acknowledge);
  set(EventKind::kIsrEnd, &Impl::isr_end);
  set(EventKind::kEngineInterrupt, &Impl::engine_interrupt);
  set(EventKind::kMonitoredFenceTold, &Impl::monitored_fence_told);
  set(EventKind::kNotifyCall, &Impl::notify_call);
  set(EventKind::kNotifyQueue, &Impl::notify_queue);
  set(EventKind::kNotify, &Impl::notify);
  set(EventKind::kNotifyAll, &Impl::notify_all);
  set(EventKind::kDpcBegin, &Impl::dpc_begin);
  set(EventKind::kDpcEnd, &Impl::dpc_end);
  set(EventKind::kSpuriousInterrupt, &Impl::spurious);
}

void Checkers::Impl::add_wait_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kWaitAdd, &Impl::wait_add);
  set(EventKind::kWaitRelease, &Impl::wait_release);
  set(EventKind::kWaitDone, &Impl::wait_done);
  set(EventKind::kWaitTimeout, &Impl::wait_timeout);
  set(EventKind::kWaitLetGo, &Impl::wait_let_go);
  set(EventKind::kGpuWaitBegin, &Impl::gpu_wait_begin);
  set(EventKind::kGpuWaitUnblock, &Impl::gpu_wait_unblock);
}

void Checkers::Impl::add_log_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kLogEntryIssued, &Impl::entry_issued);
  set(EventKind::kLogEntryVisible, &Impl::entry_visible);
  set(EventKind::kLogHeaderIssued, &Impl::header_issued);
  set(EventKind::kLogHeaderVisible, &Impl::header_visible);
  set(EventKind::kLogHeaderRead, &Impl::header_read);
  set(EventKind::kLogEntryRead, &Impl::entry_read);
  set(EventKind::kLogEntryTorn, &Impl::entry_torn);
  set(EventKind::kLogOverrun, &Impl::overrun);
  set(EventKind::kLogRetired, &Impl::log_retired);
  set(EventKind::kLogReadDone, &Impl::log_read_done);
  set(EventKind::kLogEntryTimes, &Impl::entry_times);
  set(EventKind::kLogMade, &Impl::log_made);
  set(EventKind::kLogSet, &Impl::log_set);
  set(EventKind::kLogLevel, &Impl::log_level);
  set(EventKind::kFenceTraced, &Impl::fence_traced);
  set(EventKind::kDoorbell, &Impl::doorbell);
  set(EventKind::kSignalQueued, &Impl::queued);
  set(EventKind::kWaitQueued, &Impl::queued);
  set(EventKind::kClockCalibrated, &Impl::calibrated);
}

void Checkers::Impl::add_other_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kFenceCreate, &Impl::fence_create);
  set(EventKind::kFenceOpen, &Impl::fence_open);
  set(EventKind::kFenceClose, &Impl::fence_close);
  set(EventKind::kFenceDestroy, &Impl::fence_destroy);
  set(EventKind::kStalePacket, &Impl::stale_packet);
  set(EventKind::kPacketBegin, &Impl::packet_begin);
  set(EventKind::kQueueState, &Impl::queue_state);
  set(EventKind::kFenceKind, &Impl::fence_kind);
  set(EventKind::kFenceMapped, &Impl::fence_mapped);
  set(EventKind::kCrossAdapterFence, &Impl::cross_adapter_fence);
  set(EventKind::kPeerDoorbell, &Impl::peer_doorbell);
  set(EventKind::kContextSubmit, &Impl::context_submit);
  set(EventKind::kCpuEventCreate, &Impl::cpu_event_create);
  set(EventKind::kCpuEventUse, &Impl::cpu_event_use);
  set(EventKind::kCpuEventSignal, &Impl::cpu_event_signal);
  set(EventKind::kCpuEventDestroy, &Impl::cpu_event_destroy);
  set(EventKind::kIrqlViolation, &Impl::irql_violation);
  set(EventKind::kDriverMisuse, &Impl::driver_misuse);
  set(EventKind::kHandleViolation, &Impl::handle_violation);
  set(EventKind::kQuiescent, &Impl::quiescent);
  set(EventKind::kEndOfRun, &Impl::end_of_run);
}

void Checkers::Impl::add_system_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kFeatureAnswer, &Impl::feature_answer);
  set(EventKind::kFeatureTable, &Impl::feature_table);
  set(EventKind::kAdapterStarted, &Impl::adapter_started);
  set(EventKind::kFenceStorage, &Impl::fence_storage);
  set(EventKind::kFenceStorageFree, &Impl::fence_storage_free);
  set(EventKind::kUserAccess, &Impl::user_access);
  set(EventKind::kUserLogAccess, &Impl::user_log_access);
  set(EventKind::kGpuFault, &Impl::gpu_fault);
  set(EventKind::kBatchBad, &Impl::batch_bad);
  set(EventKind::kProgressFence, &Impl::progress_fence);
}

void Checkers::Impl::add_memory_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kAddressSpace, &Impl::address_space);
  set(EventKind::kAllocationCreated, &Impl::allocation_created);
  set(EventKind::kAllocationPlaced, &Impl::allocation_placed);
  set(EventKind::kAllocationLocked, &Impl::allocation_locked);
  set(EventKind::kAllocationUnlocked, &Impl::allocation_unlocked);
  set(EventKind::kAllocationDestroyed, &Impl::allocation_destroyed);
  set(EventKind::kAllocationMapped, &Impl::allocation_mapped);
  set(EventKind::kCpuStore, &Impl::cpu_store);
  set(EventKind::kCpuLoad, &Impl::cpu_load);
  set(EventKind::kGpuStore, &Impl::gpu_store);
  set(EventKind::kGpuCopy, &Impl::gpu_copy);
  set(EventKind::kGpuLoad, &Impl::gpu_load);
  set(EventKind::kCacheMaintained, &Impl::cache_maintained);
  set(EventKind::kCombiningDrained, &Impl::combining_drained);
  set(EventKind::kGpuTraffic, &Impl::gpu_traffic);
  set(EventKind::kHostAperture, &Impl::host_aperture);
  set(EventKind::kAdapterPower, &Impl::adapter_power);
}

void Checkers::Impl::add_preemption_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kContextPacket, &Impl::context_packet);
  set(EventKind::kContextGiven, &Impl::context_given);
  set(EventKind::kContextEnded, &Impl::context_ended);
  set(EventKind::kContextMemory, &Impl::context_memory);
  set(EventKind::kBufferBegin, &Impl::buffer_begin);
  set(EventKind::kBufferEnd, &Impl::buffer_end);
  set(EventKind::kBufferStopped, &Impl::buffer_stopped);
  set(EventKind::kBufferComplete, &Impl::buffer_complete);
  set(EventKind::kDdiCall, &Impl::ddi_call);
  set(EventKind::kDdiReturn, &Impl::ddi_return);
  set(EventKind::kInterruptType, &Impl::interrupt_type);
  set(EventKind::kBufferFaulted, &Impl::buffer_faulted);
  set(EventKind::kFaultTold, &Impl::fault_told);
  set(EventKind::kContextSaved, &Impl::context_saved);
  set(EventKind::kContextRestored, &Impl::context_restored);
  set(EventKind::kPreemptCall, &Impl::preempt_call);
  set(EventKind::kPreempted, &Impl::preempted);
  set(EventKind::kRecovery, &Impl::recovery);
  set(EventKind::kRecoveryLimits, &Impl::recovery_limits);
  set(EventKind::kDeviceCreated, &Impl::device_created);
  set(EventKind::kDeviceError, &Impl::device_error);
  set(EventKind::kPartGiven, &Impl::part_given);
  set(EventKind::kPatchLocation, &Impl::patch_location);
  set(EventKind::kBoundUse, &Impl::bound_use);
  set(EventKind::kPacketRead, &Impl::packet_read);
}

void Checkers::Impl::add_scheduling_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kScheduledQueue, &Impl::scheduled_queue);
  set(EventKind::kContextRank, &Impl::context_rank);
  set(EventKind::kBandGrace, &Impl::band_grace);
  set(EventKind::kSuspendCall, &Impl::suspend_call);
  set(EventKind::kSuspendReturn, &Impl::suspend_return);
  set(EventKind::kContextSuspended, &Impl::context_suspended);
  set(EventKind::kResumeCall, &Impl::resume_call);
  set(EventKind::kRingFetched, &Impl::ring_fetched);
  set(EventKind::kHwEngineReset, &Impl::hw_engine_reset);
  set(EventKind::kEngineNotify, &Impl::engine_notify);
  set(EventKind::kContextLost, &Impl::context_lost);
  set(EventKind::kQueueGuarded, &Impl::queue_guarded);
  set(EventKind::kEngineFault, &Impl::engine_fault);
  set(EventKind::kWorkDropped, &Impl::work_dropped);
}

void Checkers::Impl::add_display_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kPresent, &Impl::present);
  set(EventKind::kFlipEffective, &Impl::flip_effective);
  set(EventKind::kScanTop, &Impl::scan_top);
  set(EventKind::kScanBottom, &Impl::scan_bottom);
  set(EventKind::kFlipDone, &Impl::flip_done);
}

void Checkers::Impl::add_doorbell_handlers(Handlers& to) {
  const auto set = [&to](EventKind kind, Handler h) { to[static_cast<std::size_t>(kind)] = h; };
  set(EventKind::kDoorbellMapped, &Impl::doorbell_mapped);
  set(EventKind::kDoorbellStatus, &Impl::doorbell_status);
  set(EventKind::kDoorbellStatusVisible, &Impl::status_visible);
  set(EventKind::kDoorbellRung, &Impl::doorbell_rung);
  set(EventKind::kRingScan, &Impl::ring_scan);
  set(EventKind::kSubmission, &Impl::submission);
  set(EventKind::kCommandRecorded, &Impl::command_recorded);
  set(EventKind::kCommandDone, &Impl::command_done);
  set(EventKind::kCommandsDropped, &Impl::commands_dropped);
}

const Checkers::Impl::Handlers& Checkers::Impl::handlers() {
  static const Handlers table = [] {
    Handlers all{};
    add_value_handlers(all);
    add_interrupt_handlers(all);
    add_wait_handlers(all);
    add_log_handlers(all);
    add_other_handlers(all);
    add_system_handlers(all);
    add_memory_handlers(all);
    add_preemption_handlers(all);
    add_scheduling_handlers(all);
    add_display_handlers(all);
    add_doorbell_handlers(all);
    return all;
  }();
  return table;
}

std::vector<EventKind> Checkers::Impl::kinds() {
  std::vector<EventKind> all;
  for (std::size_t kind = 0; kind < handlers().size(); ++kind) {
    if (handlers()[kind] != nullptr) all.push_back(static_cast<EventKind>(kind));
  }
  return all;
}

}  // namespace fenceline::check
