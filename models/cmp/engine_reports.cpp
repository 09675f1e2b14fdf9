#include "models/cmp/engine_reports.h"

#include <utility>

#include "models/abi/mutant.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;
using Kind = common::SignalNotice::Kind;

namespace {

template <typename T>
void add_optional(common::Hasher& hasher, const std::optional<T>& value) {
  hasher.add(value.has_value()).add(value.value_or(0));
}

}  // namespace

std::uint64_t EngineReports::Unreported::hash() const {
  common::Hasher hasher;
  hasher.add(written).add(faults.size());
  for (const Fault& fault : faults) {
    hasher.add(std::uint64_t{fault.submission_id} << 32 | fault.code).add(fault.address);
    add_optional(hasher, fault.completed);
  }
  for (const auto& value : {completed, preempted, synced}) add_optional(hasher, value);
  add_optional(hasher, timed_out);
  hasher.add(unmapped.has_value());
  if (unmapped) hasher.add(unmapped->address).add(unmapped->queue_slot);
  return hasher.value();
}

void EngineReports::note(const common::SignalNotice& notice) {
  inbox_.touch(true);
  if (notice.kind == Kind::kSuspended) {
    suspensions_.push_back({notice.engine, notice.fence_slot, notice.value});
    return inbox_.push({Input::Kind::kSuspension, notice.engine});
  }
  Unreported& unreported = unreported_[notice.engine];
  const bool first = !unreported.any();
  add(unreported, notice);
  if (first) return inbox_.push({Input::Kind::kEngine, notice.engine});
  interrupts_.note_coalesced();
}

void EngineReports::add(Unreported& unreported, const common::SignalNotice& notice) {
  if (notice.kind == Kind::kFenceWritten) {
    unreported.written = true;
    simulation_.emit(event::MonitoredFenceTold{adapter_, notice.engine});
  }
  const bool keeps = unreported.completed && abi::mutant(abi::Mutant::kCompletionKeepsFirst);
  if (notice.kind == Kind::kBufferCompleted && !keeps) unreported.completed = notice.value;
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
    simulation_.emit(
        event::GpuFault{adapter_, notice.value, abi::kSystemVmid, notice.queue_slot, true});
  }
}

/// Takes the oldest input.
void EngineReports::begin() {
  simulation_.steps.step(Operation::kTakeNotice, Footprint().writes(Place::kRegister, adapter_),
                         decision_);
  inbox_.pop();
  inbox_.touch(true);
}

void EngineReports::take(std::uint32_t engine) {
  begin();
  Unreported& unreported = unreported_[engine];
  Unreported taken;
  std::swap(taken, unreported);
  simulation_.steps.observe(taken.hash());
  interrupts_.step();
  report_all(engine, taken);
  if (taken.any()) put_back(unreported, taken);
}

/// Reports what finds room in the ring. The rest stays in `taken`.
void EngineReports::report_all(std::uint32_t engine, Unreported& taken) {
  if (taken.written && interrupts_.one_fence_cause()) {
    interrupts_.raise({engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
    taken.written = false;
  }
  if (taken.written && interrupts_.report(abi::InterruptCause::kFenceWritten, engine, 0))
    taken.written = false;
  // A preemption comes after the completions that it includes. Completions come after earlier
  // faults.
  if (report_faults(engine, taken.faults) &&
      report(abi::InterruptCause::kBufferCompleted, engine, taken.completed))
    report(abi::InterruptCause::kPreempted, engine, taken.preempted);
  report(abi::InterruptCause::kVerticalSync, engine, taken.synced);
  if (taken.timed_out && interrupts_.report(abi::InterruptCause::kEngineTimeout, engine, 0,
                                            abi::kUnknownSlot, *taken.timed_out))
    taken.timed_out.reset();
  if (taken.unmapped &&
      interrupts_.report(abi::InterruptCause::kPageFault, engine, taken.unmapped->address,
                         abi::kUnknownSlot, taken.unmapped->queue_slot))
    taken.unmapped.reset();
}

/// Puts what found no room before the notices that arrived since.
void EngineReports::put_back(Unreported& unreported, const Unreported& taken) {
  inbox_.touch(true);
  unreported.waits = true;
  unreported.written = unreported.written || taken.written;
  auto& completed =
      unreported.faults.empty() ? unreported.completed : unreported.faults.front().completed;
  if (!completed) completed = taken.completed;
  unreported.faults.insert(unreported.faults.begin(), taken.faults.begin(), taken.faults.end());
  if (!unreported.preempted) unreported.preempted = taken.preempted;
  if (!unreported.synced) unreported.synced = taken.synced;
  if (!unreported.timed_out) unreported.timed_out = taken.timed_out;
  if (!unreported.unmapped) unreported.unmapped = taken.unmapped;
}

void EngineReports::take_suspension() {
  begin();
  const Suspension taken = suspensions_.front();
  simulation_.steps.observe(taken.fence);
  simulation_.steps.observe(std::uint64_t{taken.engine} << 32 | taken.slot);
  interrupts_.step();
  inbox_.touch(true);
  if (interrupts_.report(abi::InterruptCause::kContextSuspended, taken.engine, taken.fence,
                         abi::kUnknownSlot, taken.slot))
    suspensions_.pop_front();
  else
    ++suspensions_waiting_;
}

/// Reports each fault after the completions before it. Faults that found no room stay in `faults`.
bool EngineReports::report_faults(std::uint32_t engine, std::vector<Fault>& faults) {
  while (!faults.empty()) {
    Fault& fault = faults.front();
    if (!report(abi::InterruptCause::kBufferCompleted, engine, fault.completed)) return false;
    if (!interrupts_.report(abi::InterruptCause::kBufferFaulted, engine, fault.address,
                            fault.submission_id, fault.code))
      return false;
    faults.erase(faults.begin());
  }
  return true;
}

/// Reports `value` if present and clears it. False if there is no room in the ring.
bool EngineReports::report(abi::InterruptCause cause, std::uint32_t engine,
                           std::optional<std::uint64_t>& value) {
  if (!value) return true;
  if (!interrupts_.report(cause, engine, *value)) return false;
  value.reset();
  return true;
}

void EngineReports::retry() {
  for (; suspensions_waiting_ != 0; --suspensions_waiting_)
    inbox_.push({Input::Kind::kSuspension, suspensions_.front().engine});
  for (std::uint32_t engine = 0; engine < unreported_.size(); ++engine) {
    if (!unreported_[engine].waits) continue;
    unreported_[engine].waits = false;
    inbox_.push({Input::Kind::kEngine, engine});
  }
}

std::uint64_t EngineReports::hash() const {
  common::Hasher hasher;
  for (const Suspension& one : suspensions_)
    hasher.add(one.fence).add(std::uint64_t{one.engine} << 32 | one.slot);
  for (const Unreported& unreported : unreported_)
    hasher.add(unreported.hash()).add(unreported.waits);
  return hasher.value();
}

}  // namespace fenceline::cmp
