// Interrupts that no comparison decides: a monitored fence was written, a buffer is complete,
// buffers were preempted, or the display has begun a frame.
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
  Told& told = told_[notice.engine];
  const bool first = !told.any();
  if (notice.kind == Kind::kFenceWritten) {
    told.written = true;
    simulation_.emit(event::MonitoredFenceTold{identity_.adapter, notice.engine});
  }
  if (notice.kind == Kind::kBufferCompleted) told.completed = notice.value;
  if (notice.kind == Kind::kBufferFaulted) {
    told.faults.push_back({notice.fence_slot, notice.queue_slot, notice.value, told.completed});
    told.completed.reset();
  }
  if (notice.kind == Kind::kPreempted) told.preempted = notice.value;
  if (notice.kind == Kind::kVerticalSync) told.synced = notice.value;
  if (notice.kind == Kind::kTimedOut) told.timed_out = notice.queue_slot;
  if (notice.kind == Kind::kLogUnmapped && !told.unmapped) {
    told.unmapped = UnmappedLog{notice.queue_slot, notice.value};
    simulation_.emit(event::GpuFault{identity_.adapter, notice.value, abi::kSystemVmid,
                                     notice.queue_slot, true});
  }
  if (first) return push({InputKind::kEngine, notice.engine});
  simulation_.emit(event::MessageCoalesced{identity_.adapter, abi::kInterruptVector});
}

/// What is known of several is put in one report. What finds no room in the ring is told again when
/// the ISR has acknowledged; a newer completion, frame or preemption covers it.
void Cmp::take_engine(std::uint32_t engine) {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.decision);
  inputs_.pop_front();
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  Told& told = told_[engine];
  Told taken;
  std::swap(taken, told);
  observe(taken);
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  if (taken.written && one_fence_cause_) {
    raise({engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
    taken.written = false;
  }
  if (taken.written && report(abi::InterruptCause::kFenceWritten, engine, 0)) taken.written = false;
  // A preemption stands behind the completions that it speaks of, and those behind earlier faults.
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
  told.waits = true;
  told.written = told.written || taken.written;
  // Before what the engine has told since.
  auto& completed = told.faults.empty() ? told.completed : told.faults.front().completed;
  if (!completed) completed = taken.completed;
  told.faults.insert(told.faults.begin(), taken.faults.begin(), taken.faults.end());
  if (!told.preempted) told.preempted = taken.preempted;
  if (!told.synced) told.synced = taken.synced;
  if (!told.timed_out) told.timed_out = taken.timed_out;
  if (!told.unmapped) told.unmapped = taken.unmapped;
}

void Cmp::observe(const Told& taken) {
  common::Steps& steps = simulation_.steps;
  steps.observe(taken.completed.value_or(0) << 2 | (taken.written ? 2U : 0U) |
                (taken.completed ? 1U : 0U));
  if (taken.preempted) steps.observe(*taken.preempted);
  if (taken.synced) steps.observe(*taken.synced);
  if (taken.timed_out) steps.observe(*taken.timed_out);
  if (taken.unmapped) steps.observe(taken.unmapped->address);
  for (const Fault& fault : taken.faults) steps.observe(fault.submission_id);
}

/// Behind the interrupts for all that the context has signalled: it has an input of its own.
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

/// Each behind the completions that came before it; those that found no room are left.
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

/// Nothing to report once it is done. False if there is no room in the ring.
bool Cmp::report(abi::InterruptCause cause, std::uint32_t engine,
                 std::optional<std::uint64_t>& value) {
  if (!value) return true;
  if (!report(cause, engine, *value)) return false;
  value.reset();
  return true;
}

/// False if there is no room in the ring.
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
  for (std::uint32_t engine = 0; engine < told_.size(); ++engine) {
    if (!told_[engine].waits) continue;
    told_[engine].waits = false;
    push({InputKind::kEngine, engine});
  }
}

std::uint64_t Cmp::told_hash() const {
  common::Hasher hasher;
  for (const Suspension& one : suspensions_)
    hasher.add(one.fence).add(std::uint64_t{one.engine} << 32 | one.slot);
  for (const Told& told : told_) {
    if (told.preempted) hasher.add(*told.preempted);
    if (told.synced) hasher.add(*told.synced);
    if (told.timed_out) hasher.add(*told.timed_out);
    if (told.unmapped) hasher.add(told.unmapped->address).add(told.unmapped->queue_slot);
    for (const Fault& fault : told.faults)
      hasher.add(fault.submission_id).add(fault.completed.value_or(0));
    hasher.add(told.completed.value_or(0) << 3 | (told.waits ? 4U : 0U) | (told.written ? 2U : 0U) |
               (told.completed ? 1U : 0U));
  }
  return hasher.value();
}

}  // namespace fenceline::cmp
