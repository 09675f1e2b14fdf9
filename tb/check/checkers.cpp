#include "tb/check/checkers.h"

#include "tb/check/checkers_impl.h"

namespace fenceline::check {

using common::Event;

void Checkers::Impl::issued(const Event& e) {
  monitored_fences.on_value(e.object, e.a, "the signal of the GPU");
  Signal* signal = world.issued(e);
  if (signal != nullptr) shared.on_visible(e.object, signal);
  signal_visible(signal, e.agent);
}

void Checkers::Impl::visible(const Event& word) {
  Event e = word;
  e.a = world.whole_write(word);
  const std::uint64_t before = world.fences[e.object].home;
  Signal* signal = world.visible(e);
  payloads.on_visible(e, signal);
  told.on_visible(e, signal);
  waiters.on_visible(e.object, e.a, before);
  shared.on_visible(e.object, signal);
  signal_visible(signal, e.agent);
}

void Checkers::Impl::signal_visible(Signal* signal, common::AgentId writer) {
  if (signal == nullptr) return;
  updates.on_visible(*signal);
  interrupts.on_visible(*signal, writer);
  world.retire(*signal);
}

void Checkers::Impl::monitored_visible(const Event& e) {
  updates.on_monitored_visible(e);
  monitored.on_visible(e);
  shared.on_monitored(e.object, e.b, e.a);
}

void Checkers::Impl::read(const Event& word) {
  Event e = word;
  e.a = world.whole_read(word);
  reads.on_read(e);
  switch (static_cast<common::Reader>(e.b)) {
    case common::Reader::kCmp:
      lifetimes.on_use(e.object, 0, "a CMP read");
      storage.on_cmp_read();
      updates.on_cmp_read(e);
      interrupts.on_cmp_read(e);
      break;
    case common::Reader::kOsDpcScan:
      interrupts.on_os_read(e, true);
      logs.on_os_scan(e);
      break;
    case common::Reader::kOsResample:
      interrupts.on_os_read(e, false);
      break;
    default:
      break;
  }
}

void Checkers::Impl::shadow_issued(const Event& e) {
  lifetimes.on_use(e.object, e.b, "a shadow write of the CMP");
  updates.on_shadow_issued(e);
}

void Checkers::Impl::signal_begin(const Event& e) {
  world.signal_begin(e);
  payloads.on_signal_begin(e);
  told.on_signal_begin(e);
  logs.on_signal_begin(e);
  log_levels.on_signal_begin(e);
}

void Checkers::Impl::signal_end(const Event& e) {
  shared.on_end(world.signals.find(e.b));
  world.signal_end(e);
  log_levels.on_signal_end(e);
}

void Checkers::Impl::entry_issued(const Event& e) {
  logs.on_entry_issued(e);
  log_levels.on_entry_issued(e);
}

void Checkers::Impl::entry_read(const Event& e) {
  logs.on_entry_read(e, false);
  timeline.on_entry_read(e);
}

void Checkers::Impl::queued(const Event& e) {
  log_levels.on_queued(e);
  timeline.on_queued(e);
}

void Checkers::Impl::decision(const Event& e) {
  const bool above = e.a > updates.monitored_read(e.agent, e.object);
  updates.on_decision(e);
  interrupts.on_decision(e, above);
  logs.on_decision(e);
  shared.on_decision(e, world.signals.find(e.b));
}

void Checkers::Impl::cross_adapter_fence(const Event& e) {
  world.fences[e.object].cross_adapter = true;
  shared.on_shared(e);
  monitored.on_shared(e);
}

void Checkers::Impl::cpu_signal(const Event& e) {
  constexpr std::uint64_t kNoValue = 3;  // flags with which none is stored
  if ((e.b & kNoValue) == 0) monitored_fences.on_value(e.object, e.a, "the signal of the CPU");
  world.cpu_signal(e);
  shared.on_cpu_signal(e);
  notices.on_cpu_signal(e);
  device_errors.on_cpu_signal(e);
}

void Checkers::Impl::wait_add(const Event& e) {
  monitored_fences.on_value(e.object, e.a, "a wait");
  waiters.on_add(e);
}

void Checkers::Impl::gpu_wait_begin(const Event& e) {
  monitored_fences.on_value(e.object, e.a, "a wait of the GPU");
  monitored_fences.on_gpu_wait(e);
  queue_waits.on_begin(e);
  log_levels.on_next(e);
}

void Checkers::Impl::cmp_decision(const Event& e) {
  lifetimes.on_use(e.object, 0, "a comparison of the CMP");
  updates.on_cmp_decision(e);
  interrupts.on_cmp_decision(e);
  notices.on_cmp_decision(e);
}

void Checkers::Impl::raised(const Event& e) {
  if (e.a != 0) lifetimes.on_use(static_cast<std::uint32_t>(e.a), e.object, "an interrupt");
  logs.on_raised(e, interrupts.on_raised(e));
  notices.on_raised(e);
}

void Checkers::Impl::acknowledge(const Event& e) {
  interrupts.on_acknowledge(e);
  irql.on_acknowledge(e);
  notices.on_acknowledge(e);
}

void Checkers::Impl::isr_end(const Event& e) {
  interrupts.on_isr_end(e);
  irql.on_isr_end(e);
  notices.on_isr_end(e);
}

void Checkers::Impl::notify(const Event& e) {
  if (e.object != 0) lifetimes.on_use(e.object, e.b, "DxgkCbNotifyInterrupt");
  irql.on_notify(e.b);
  logs.on_notify(interrupts.on_notify(e));
}

void Checkers::Impl::notify_all(const Event& e) {
  irql.on_notify(e.object);
  interrupts.on_notify_all(e);
  notices.on_notify_all(e);
}

void Checkers::Impl::dpc_begin(const Event& e) {
  interrupts.on_dpc_begin(e);
  logs.on_dpc_begin(e);
}

void Checkers::Impl::update_call(const Event& e) {
  updates.on_call(e);
  interrupts.on_update_call(e);
  monitored.on_call(e);
  shared.on_monitored(e.object, e.c, e.a);
  scopes.on_update_call(e);
  irql.on_update_call(e);
  notices.on_update_call(e);
}

void Checkers::Impl::update_return(const Event& e) {
  updates.on_return(e);
  scopes.on_update_return(e);
  irql.on_update_return(e);
  notices.on_update_return(e);
}

void Checkers::Impl::wait_release(const Event& e) {
  waiters.on_release(e);
  payloads.on_release(e);
}

void Checkers::Impl::entry_visible(const Event& e) {
  logs.on_entry_visible(e);
  scopes.on_log_visible(e);
}

void Checkers::Impl::header_visible(const Event& e) {
  logs.on_header_visible(e);
  scopes.on_log_visible(e);
}

void Checkers::Impl::gpu_wait_unblock(const Event& e) {
  monitored_fences.on_unblock(e);
  payloads.on_unblock(e);
  queue_waits.on_unblock(e);
  logs.on_wait_unblock(e);
  log_levels.on_wait_unblock(e);
}

void Checkers::Impl::adapter_started(const Event& e) {
  preemption.on_started(e);
  starts.on_started(e);
  storage.on_started(e);
  notices.on_started(e);
}

void Checkers::Impl::fence_create(const Event& e) {
  world.fence_create(e);
  starts.on_create(e);
  storage.on_create(e);
  payloads.on_create(e);
  waiters.on_create(e);
  lifetimes.on_create(e);
  monitored.on_fence_adapter(e);
  preemption.on_fence_create(e);
  device_errors.on_create(e);
}

void Checkers::Impl::fence_open(const Event& e) {
  lifetimes.on_open(e);
  waiters.on_open(e);
  preemption.on_fence_open(e);
  monitored.on_fence_adapter(e);
}

void Checkers::Impl::fence_destroy(const Event& e) {
  if (!lifetimes.on_destroy(e)) return;
  updates.on_destroy(e.object);
  interrupts.on_destroy(e.object);
  waiters.on_destroy(e.object);
  queue_waits.on_destroy(e.object);
  reads.on_destroy(e.object);
  payloads.on_destroy(e.object);
  told.on_destroy(e.object);
  monitored.on_destroy(e.object);
  shared.on_destroy(e.object);
  world.fences[e.object].created = false;
  world.fences[e.object].ended = true;
}

/// Nothing is kept of a fence whose memory others may get.
void Checkers::Impl::fence_storage_free(const Event& e) {
  if (!storage.on_storage_free(e)) return;
  lifetimes.forget(e.object);
  log_levels.forget(e.object);
  scopes.forget(e.object);
  preemption.forget(e.object);
  world.fences.forget(e.object);
}

void Checkers::Impl::packet_begin(const Event& e) {
  interrupts.on_packet_begin(e);
  logs.on_packet_begin(e);
  log_levels.on_next(e);
  memory.on_packet(e);
}

void Checkers::Impl::queue_state(const Event& e) {
  queue_waits.on_queue_state(e);
  logs.on_queue_state(e);
  log_levels.on_next(e);
}

void Checkers::Impl::finish() {
  if (finished_) return;
  finished_ = true;
  if (!quiescent_) return;
  waiters.finish_quiescent();
  queue_waits.finish_quiescent();
  interrupts.finish_quiescent();
  monitored.finish_quiescent();
  shared.finish_quiescent();
  preemption.finish_quiescent();
  scheduling.finish_quiescent();
  hangs.finish_quiescent();
  device_errors.finish_quiescent();
  displays.finish_quiescent();
  doorbells.finish_quiescent();
  submissions.finish_quiescent();
  notices.finish_quiescent();
  logs.finish_quiescent();
}

void Checkers::Impl::reset() {
  report.clear();
  world.clear();
  updates.clear();
  interrupts.clear();
  waiters.clear();
  queue_waits.clear();
  reads.clear();
  monitored.clear();
  lifetimes.clear();
  irql.clear();
  payloads.clear();
  scopes.clear();
  starts.clear();
  storage.clear();
  told.clear();
  monitored_fences.clear();
  cpu_events.clear();
  shared.clear();
  logs.clear();
  log_levels.clear();
  timeline.clear();
  memory.clear();
  preemption.clear();
  blocked.clear();
  hangs.clear();
  device_errors.clear();
  scheduling.clear();
  driver_rules.clear();
  displays.clear();
  doorbells.clear();
  submissions.clear();
  split_buffers.clear();
  notices.clear();
  quiescent_ = finished_ = false;
}

/// Signals are named and positions marked before anybody adds what refers to them.
std::uint64_t Checkers::Impl::state_hash() const {
  Canonical hash(world, stale_reads);
  world.name_signals(hash);
  updates.mark(hash);
  interrupts.mark(hash);
  logs.mark(hash);
  world.add_to(hash);
  updates.add_to(hash);
  interrupts.add_to(hash);
  waiters.add_to(hash);
  queue_waits.add_to(hash);
  reads.add_to(hash);
  monitored.add_to(hash);
  lifetimes.add_to(hash);
  irql.add_to(hash);
  payloads.add_to(hash);
  scopes.add_to(hash);
  storage.add_to(hash);
  told.add_to(hash);
  monitored_fences.add_to(hash);
  cpu_events.add_to(hash);
  shared.add_to(hash);
  logs.add_to(hash);
  log_levels.add_to(hash);
  memory.add_to(hash);
  preemption.add_to(hash);
  blocked.add_to(hash);
  hangs.add_to(hash);
  device_errors.add_to(hash);
  scheduling.add_to(hash);
  driver_rules.add_to(hash);
  displays.add_to(hash);
  doorbells.add_to(hash);
  submissions.add_to(hash);
  split_buffers.add_to(hash);
  notices.add_to(hash);
  return hash.value();
}

Checkers::Checkers(common::EventStream& stream, const CheckOptions& options)
    : impl_(std::make_unique<Impl>(stream, options)) {
  stream.subscribe(*impl_, Impl::kinds());
}

Checkers::~Checkers() = default;

void Checkers::finish() { impl_->finish(); }
void Checkers::reset() { impl_->reset(); }
std::uint64_t Checkers::state_hash() const { return impl_->state_hash(); }

const std::vector<Violation>& Checkers::violations() const { return impl_->report.violations(); }
std::vector<Exercise> Checkers::exercised() const { return impl_->report.exercised(); }
std::array<std::uint64_t, kInvariantCount> Checkers::tested() const {
  return impl_->report.tested();
}
std::uint64_t Checkers::max_release() const { return impl_->waiters.max_release(); }
std::uint64_t Checkers::spurious() const { return impl_->interrupts.spurious(); }
std::uint64_t Checkers::unjudged() const { return impl_->waiters.unjudged(); }

}  // namespace fenceline::check
