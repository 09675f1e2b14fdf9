// Interrupts that no comparison decides: a monitored fence was written, a buffer is complete,
// buffers were preempted, or the display has begun a frame.
#include "models/cmp/cmp.h"

namespace fenceline::cmp {

using common::EventKind;
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
  if (notice.kind == Kind::kFenceWritten) told.written = true;
  if (notice.kind == Kind::kBufferCompleted) {
    told.completed = true;
    told.submission_id = notice.value;
  }
  if (notice.kind == Kind::kBufferFaulted) {
    told.faults.push_back(
        {notice.fence_slot, notice.queue_slot, notice.value, told.completed, told.submission_id});
    told.completed = false;
  }
  if (notice.kind == Kind::kPreempted) {
    told.preempted = true;
    told.preemption = notice.value;
  }
  if (notice.kind == Kind::kVerticalSync) {
    told.synced = true;
    told.primary = notice.value;
  }
  if (first) return push({InputKind::kEngine, notice.engine});
  simulation_.events.emit(EventKind::kMessageCoalesced, simulation_.steps.current(),
                          identity_.adapter, abi::kInterruptVector);
}

void Cmp::take_engine(std::uint32_t engine) {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.decision);
  inputs_.pop_front();
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  Told& told = told_[engine];
  Told taken = told;
  simulation_.steps.observe(taken.submission_id << 2 | (taken.written ? 2U : 0U) |
                            (taken.completed ? 1U : 0U));
  if (taken.preempted) simulation_.steps.observe(taken.preemption);
  if (taken.synced) simulation_.steps.observe(taken.primary);
  for (const Fault& fault : taken.faults) simulation_.steps.observe(fault.submission_id);
  told.faults.clear();
  told.written = told.completed = told.preempted = told.synced = false;
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  const bool written = !taken.written || report(abi::InterruptCause::kFenceWritten, engine, 0);
  const bool faulted = report_faults(engine, taken.faults);
  const bool completed =
      !taken.completed ||
      (faulted && report(abi::InterruptCause::kBufferCompleted, engine, taken.submission_id));
  // Behind the completions that it speaks of.
  const bool preempted =
      !taken.preempted ||
      (faulted && completed && report(abi::InterruptCause::kPreempted, engine, taken.preemption));
  const bool synced =
      !taken.synced || report(abi::InterruptCause::kVerticalSync, engine, taken.primary);
  if (written && faulted && completed && preempted && synced) return;
  // What found no room is told again when the ISR has acknowledged; a newer completion covers it.
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  told.waits = true;
  told.written = told.written || !written;
  told.faults.insert(told.faults.begin(), taken.faults.begin(), taken.faults.end());
  if (!synced && !told.synced) told.primary = taken.primary;
  told.synced = told.synced || !synced;
  if (!preempted) {
    told.preempted = true;
    told.preemption = taken.preemption;
  }
  if (completed) return;
  if (!told.completed) told.submission_id = taken.submission_id;
  told.completed = true;
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
    if (fault.completed &&
        !report(abi::InterruptCause::kBufferCompleted, engine, fault.completed_id))
      return false;
    fault.completed = false;
    if (!report(abi::InterruptCause::kBufferFaulted, engine, fault.address, fault.submission_id,
                fault.code))
      return false;
    faults.erase(faults.begin());
  }
  return true;
}

/// False if there is no room in the ring.
bool Cmp::report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
                 std::uint32_t fence_slot, std::uint32_t queue_slot) {
  if (!interrupts_.ready()) return true;
  simulation_.steps.touch(Place::kRegister, ring_, true);
  if (interrupts_.full()) return false;
  simulation_.events.emit(EventKind::kEngineInterrupt, simulation_.steps.current(),
                          identity_.adapter, static_cast<std::uint64_t>(cause), value, engine);
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
    if (told.preempted) hasher.add(told.preemption);
    if (told.synced) hasher.add(told.primary);
    for (const Fault& fault : told.faults) hasher.add(fault.submission_id);
    hasher.add(told.submission_id << 3 | (told.waits ? 4U : 0U) | (told.written ? 2U : 0U) |
               (told.completed ? 1U : 0U));
  }
  return hasher.value();
}

}  // namespace fenceline::cmp
