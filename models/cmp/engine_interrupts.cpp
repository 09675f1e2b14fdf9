// Interrupts without a comparison: monitored fence written, buffer complete, buffers preempted,
// vertical sync.
#include "models/cmp/cmp.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;
using Kind = common::SignalNotice::Kind;

void Cmp::note_engine(const common::SignalNotice& notice) {
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  if (notice.kind == Kind::kSuspended) {
    suspensions_.push_back({notice.engine, notice.fence_slot, notice.value});
    return push({InputKind::kSuspension, notice.engine});
  }
  Unreported& unreported = unreported_[notice.engine];
  const bool first = !unreported.any();
  if (notice.kind == Kind::kFenceWritten) {
    unreported.written = true;
    simulation_.emit(event::MonitoredFenceTold{identity_.adapter, notice.engine});
  }
  if (notice.kind == Kind::kBufferCompleted) unreported.completed = notice.value;
  if (notice.kind == Kind::kBufferFaulted) {
    unreported.faults.push_back(
        {notice.fence_slot, notice.queue_slot, notice.value, unreported.completed});
    unreported.completed.reset();
  }
  if (notice.kind == Kind::kPreempted) unreported.preempted = notice.value;
  if (notice.kind == Kind::kVerticalSync) unreported.synced = notice.value;
  if (notice.kind == Kind::kTimedOut) unreported.timed_out = notice.queue_slot;
  if (notice.kind == Kind::kLogUnmapped && !unreported.unmapped) {
    unreported.unmapped = UnmappedLog{notice.queue_slot, notice.value};
    simulation_.emit(event::GpuFault{identity_.adapter, notice.value, abi::kSystemVmid,
                                     notice.queue_slot, true});
  }
  if (first) return push({InputKind::kEngine, notice.engine});
  simulation_.emit(event::MessageCoalesced{identity_.adapter, abi::kInterruptVector});
}

/// Reports all pending notices of the engine together. A report that finds no room in the ring is
/// repeated after the ISR acknowledges. A newer completion, frame or preemption replaces an older
/// one.
void Cmp::take_engine(std::uint32_t engine) {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.decision);
  inputs_.pop_front();
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  Unreported& unreported = unreported_[engine];
  Unreported taken;
  std::swap(taken, unreported);
  observe(taken);
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  if (taken.written && one_fence_cause_) {
    raise({engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
    taken.written = false;
  }
  if (taken.written && report(abi::InterruptCause::kFenceWritten, engine, 0)) taken.written = false;
  // A preemption comes after the completions that it includes. Completions come after earlier
  // faults.
  if (report_faults(engine, taken.faults) &&
      report(abi::InterruptCause::kBufferCompleted, engine, taken.completed))
    report(abi::InterruptCause::kPreempted, engine, taken.preempted);
  report(abi::InterruptCause::kVerticalSync, engine, taken.synced);
  if (taken.timed_out &&
      report(abi::InterruptCause::kEngineTimeout, engine, 0, abi::kUnknownSlot, *taken.timed_out))
    taken.timed_out.reset();
  if (taken.unmapped && report(abi::InterruptCause::kPageFault, engine, taken.unmapped->address,
                               abi::kUnknownSlot, taken.unmapped->queue_slot))
    taken.unmapped.reset();
  if (!taken.any()) return;
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  unreported.waits = true;
  unreported.written = unreported.written || taken.written;
  // Put them before the notices that arrived since.
  auto& completed =
      unreported.faults.empty() ? unreported.completed : unreported.faults.front().completed;
  if (!completed) completed = taken.completed;
  unreported.faults.insert(unreported.faults.begin(), taken.faults.begin(), taken.faults.end());
  if (!unreported.preempted) unreported.preempted = taken.preempted;
  if (!unreported.synced) unreported.synced = taken.synced;
  if (!unreported.timed_out) unreported.timed_out = taken.timed_out;
  if (!unreported.unmapped) unreported.unmapped = taken.unmapped;
}

void Cmp::observe(const Unreported& taken) {
  common::Steps& steps = simulation_.steps;
  steps.observe(taken.completed.value_or(0) << 2 | (taken.written ? 2U : 0U) |
                (taken.completed ? 1U : 0U));
  if (taken.preempted) steps.observe(*taken.preempted);
  if (taken.synced) steps.observe(*taken.synced);
  if (taken.timed_out) steps.observe(*taken.timed_out);
  if (taken.unmapped) steps.observe(taken.unmapped->address);
  for (const Fault& fault : taken.faults) steps.observe(fault.submission_id);
}

/// A suspension has its own input, so that it comes after the interrupts for all signals of the
/// context.
void Cmp::take_suspension() {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.decision);
  inputs_.pop_front();
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  const Suspension taken = suspensions_.front();
  simulation_.steps.observe(taken.fence);
  simulation_.steps.observe(std::uint64_t{taken.engine} << 32 | taken.slot);
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  if (report(abi::InterruptCause::kContextSuspended, taken.engine, taken.fence, abi::kUnknownSlot,
             taken.slot))
    suspensions_.pop_front();
  else
    ++suspensions_waiting_;
}

/// Reports each fault after the completions before it. Faults that found no room stay in `faults`.
bool Cmp::report_faults(std::uint32_t engine, std::vector<Fault>& faults) {
  while (!faults.empty()) {
    Fault& fault = faults.front();
    if (!report(abi::InterruptCause::kBufferCompleted, engine, fault.completed)) return false;
    if (!report(abi::InterruptCause::kBufferFaulted, engine, fault.address, fault.submission_id,
                fault.code))
      return false;
    faults.erase(faults.begin());
  }
  return true;
}

/// Reports `value` if present and clears it. False if there is no room in the ring.
bool Cmp::report(abi::InterruptCause cause, std::uint32_t engine,
                 std::optional<std::uint64_t>& value) {
  if (!value) return true;
  if (!report(cause, engine, *value)) return false;
  value.reset();
  return true;
}

/// Writes an entry. False if there is no room in the ring.
bool Cmp::report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
                 std::uint32_t fence_slot, std::uint32_t queue_slot) {
  if (!interrupts_.ready()) return true;
  simulation_.steps.touch(Place::kRegister, ring_, true);
  if (interrupts_.full()) return false;
  simulation_.emit(
      event::EngineInterrupt{identity_.adapter, static_cast<std::uint64_t>(cause), value, engine});
  write_entry({interrupts_.next_sequence(), cause, engine, fence_slot, queue_slot, value});
  return true;
}

void Cmp::retry_engines() {
  for (; suspensions_waiting_ != 0; --suspensions_waiting_)
    push({InputKind::kSuspension, suspensions_.front().engine});
  for (std::uint32_t engine = 0; engine < unreported_.size(); ++engine) {
    if (!unreported_[engine].waits) continue;
    unreported_[engine].waits = false;
    push({InputKind::kEngine, engine});
  }
}

std::uint64_t Cmp::unreported_hash() const {
  common::Hasher hasher;
  for (const Suspension& one : suspensions_)
    hasher.add(one.fence).add(std::uint64_t{one.engine} << 32 | one.slot);
  for (const Unreported& unreported : unreported_) {
    if (unreported.preempted) hasher.add(*unreported.preempted);
    if (unreported.synced) hasher.add(*unreported.synced);
    if (unreported.timed_out) hasher.add(*unreported.timed_out);
    if (unreported.unmapped)
      hasher.add(unreported.unmapped->address).add(unreported.unmapped->queue_slot);
    for (const Fault& fault : unreported.faults)
      hasher.add(fault.submission_id).add(fault.completed.value_or(0));
    hasher.add(unreported.completed.value_or(0) << 3 | (unreported.waits ? 4U : 0U) |
               (unreported.written ? 2U : 0U) | (unreported.completed ? 1U : 0U));
  }
  return hasher.value();
}

}  // namespace fenceline::cmp
