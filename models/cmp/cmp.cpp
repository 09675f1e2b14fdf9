#include "models/cmp/cmp.h"

#include <algorithm>
#include <cstring>

#include "models/abi/mutant.h"

namespace fenceline::cmp {

using common::Barrier;
using common::CmpValue;
using common::Footprint;
using common::MonitoredBarrier;
using common::Operation;
using common::Place;
using event::Decider;

Cmp::Cmp(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const std::string& agent_name, const CmpConfig& config, const Identity& identity,
         const common::GpuClock& clock, common::FenceNames& fences, const WatchMap& watches)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      identity_(identity),
      inbox_(simulation.steps),
      counters_place_(simulation.steps.new_place()),
      interrupts_(simulation, host, fences, identity.adapter, register_file_),
      reports_(simulation, inbox_, interrupts_, identity.adapter, config.decision),
      fences_(
          simulation,
          {memory, rescans, interrupts_, fences, watches, identity.adapter, identity.whole_stores},
          register_file_),
      retires_(simulation.steps),
      done_(simulation.steps) {
  registers.register_b_transport(this, &Cmp::access_register);
  notices.register_b_transport(this, &Cmp::receive_notice);
  log_writes.register_b_transport(this, &Cmp::forward_log);
  identity_.add_to(register_file_, clock);
  add_registers();
  simulation_.steps.add_agent(agent_name, [this] { run(); });
  if (config.engines_hang)
    simulation_.steps.add_agent(agent_name + ".retire", [this] { run_retires(); });
  simulation_.steps.add_state(*this);
}

std::uint64_t Cmp::state_hash() const {
  common::Hasher hasher;
  inbox_.add_to(hasher);
  for (const std::uint32_t slot : retiring_) hasher.add(~std::uint64_t{slot});
  for (const Pending& pending : pending_)
    if (pending.set)
      hasher.add(pending.several ? 2 : 1)
          .add(pending.notice.value)
          .add(std::uint64_t{pending.notice.engine} << 32 | pending.notice.fence_slot)
          .add(pending.notice.queue_slot);
  fences_.add_to(hasher);
  return hasher.add(completed_.updates)
      .add(completed_.kicks)
      .add(completed_.flushes)
      .add(completed_.retires)
      .add(interrupts_.hash())
      .add(reports_.hash())
      .value();
}

void Cmp::receive_notice(int /*id*/, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& /*delay*/) {
  common::SignalNotice notice;
  std::memcpy(&notice, payload.get_data_ptr(), sizeof notice);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (notice.kind != common::SignalNotice::Kind::kFenceSignaled) return reports_.note(notice);
  inbox_.touch(true);
  Pending& pending = pending_[notice.engine];
  if (!pending.set) {
    pending = {true, false, notice};
    return inbox_.push({Input::Kind::kNotice, notice.engine});
  }
  // Each engine has one pending bit: a further notice is merged.
  interrupts_.note_coalesced();
  if (pending.notice.fence_slot == notice.fence_slot) {
    if (!abi::mutant(abi::Mutant::kMergeKeepsFirst))
      pending.notice.value = std::max(pending.notice.value, notice.value);
    if (pending.notice.queue_slot != notice.queue_slot &&
        !abi::mutant(abi::Mutant::kMergeKeepsQueue)) {
      pending.notice.queue_slot = abi::kUnknownSlot;
      pending.notice.queue = 0;
    }
  } else {
    pending.several = !abi::mutant(abi::Mutant::kMergedIsDropped);
  }
}

void Cmp::forward_log(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  memory->b_transport(payload, delay);
}

void Cmp::run() {
  for (;;) {
    simulation_.steps.forget();
    const Input input = inbox_.wait();
    simulation_.steps.observe(input.word());
    serve(input);
    note_completed();
  }
}

void Cmp::serve(const Input& input) {
  switch (input.kind) {
    case Input::Kind::kNotice:
      return take_notice(input.index);
    case Input::Kind::kUpdate:
      return take_update(input.index);
    case Input::Kind::kFlush:
      return take_flush(input.index);
    case Input::Kind::kRetire:
      return take_retire(input.index);
    case Input::Kind::kEngine:
      return reports_.take(input.index);
    case Input::Kind::kSuspension:
      return reports_.take_suspension();
  }
}

/// One of the counters may have increased.
void Cmp::note_completed() {
  simulation_.steps.touch(Place::kRegister, counters_place_, true);
  done_.open();
}

/// The step that takes the oldest input.
void Cmp::take(Operation operation, common::Time duration) {
  simulation_.steps.step(operation, Footprint().writes(Place::kRegister, identity_.adapter),
                         duration);
  inbox_.pop();
}

void Cmp::take_notice(std::uint32_t engine) {
  take(Operation::kTakeNotice, config_.decision);
  inbox_.touch(true);
  Pending& pending = pending_[engine];
  const Pending taken = pending;
  simulation_.steps.observe(taken.notice.value << 1 | (taken.several ? 1U : 0U));
  simulation_.steps.observe(std::uint64_t{taken.notice.queue_slot} << 32 | taken.notice.fence_slot);
  const bool early = simulation_.ordering.cmp.clear_first;
  if (early) pending.set = false;
  if (taken.several) {
    pending.set = false;
    return decide_to_raise({engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
  }
  const std::uint32_t slot = taken.notice.fence_slot;
  if (!fences_.valid(slot)) {
    pending.set = false;
    return;
  }
  std::uint64_t value = taken.notice.value;
  if (simulation_.ordering.cmp.value == CmpValue::kReread) value = fences_.read_current(slot);
  if (!early) {
    clear_late();
    pending.set = false;
  }
  const std::uint64_t newest = fences_.newest(slot);
  const std::uint64_t compared =
      abi::mutant(abi::Mutant::kComparesLowHalf) ? UINT32_MAX : UINT64_MAX;
  const bool above = (value & compared) > (newest & compared);
  simulation_.emit(
      event::CmpDecision{fences_.name_of(slot), value, newest, above, Decider::kSignalNotice});
  if (above) decide_to_raise({engine, slot, taken.notice.queue_slot, taken.notice.queue, value});
}

void Cmp::take_update(std::uint32_t slot) {
  take(Operation::kTakeUpdate, config_.update);
  const bool valid = fences_.valid(slot);
  if (valid) {
    fences_.read_monitored(slot);
    simulation_.emit(
        event::ShadowIssued{fences_.name_of(slot), fences_.newest(slot), identity_.adapter});
    fences_.store_shadow(slot);
    update_barrier();
    // The wait has no further effect, and the fence table holds the value read.
    simulation_.steps.forget();
    simulation_.steps.observe(Input{Input::Kind::kUpdate, slot}.word());
  }
  // The driver need not wait for the compare below. CurrentValue was either written by a signal
  // that saw the new MonitoredValue, or the compare finds it.
  ++completed_.updates;
  note_completed();
  if (fences_.valid(slot) && simulation_.ordering.cmp.recheck != common::Recheck::kOff)
    recheck(slot);
}

/// Compares CurrentValue after an update. When notices carry no value, this read also serves the
/// pending notices of the same fence. They are cleared before or after the read.
void Cmp::recheck(std::uint32_t slot) {
  const bool rereads = simulation_.ordering.cmp.value == CmpValue::kReread;
  const bool early = simulation_.ordering.cmp.clear_first;
  if (rereads && early) take_back(slot);
  const std::uint64_t value = fences_.read_current(slot);
  if (rereads && !early) {
    clear_late();
    take_back(slot);
  }
  const common::Recheck compare = simulation_.ordering.cmp.recheck;
  const std::uint64_t newest = fences_.newest(slot);
  bool above = value > newest;
  if (compare == common::Recheck::kBelow) above = value < newest;
  if (compare == common::Recheck::kAtLeast) above = value >= newest;
  simulation_.emit(
      event::CmpDecision{fences_.name_of(slot), value, newest, above, Decider::kMonitoredUpdate});
  if (above) decide_to_raise({abi::kUnknownSlot, slot, abi::kUnknownSlot, 0, value});
}

/// Clearing after the read is a step of its own: engines may notify in between.
void Cmp::clear_late() {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, inbox_.place()), config_.decision);
  inbox_.touch(true);
}

/// Clears the pending bits of engines whose notices name this fence only.
void Cmp::take_back(std::uint32_t slot) {
  inbox_.touch(true);
  for (std::uint32_t engine = 0; engine < pending_.size(); ++engine) {
    Pending& pending = pending_[engine];
    if (!pending.set || pending.several || pending.notice.fence_slot != slot) continue;
    pending.set = false;
    inbox_.remove_notice(engine);
  }
}

void Cmp::decide_to_raise(const common::SignalNotice& cause) {
  interrupts_.step();
  interrupts_.raise(cause);
}

void Cmp::update_barrier() {
  Barrier kind = Barrier::kNone;
  switch (simulation_.ordering.cmp.mv_barrier) {
    case MonitoredBarrier::kNone:
      return;
    case MonitoredBarrier::kSelf:
      kind = Barrier::kSelf;
      break;
    case MonitoredBarrier::kDrain:
      kind = Barrier::kDrain;
      break;
    case MonitoredBarrier::kSync:
      kind = Barrier::kSync;
      break;
  }
  auto transaction = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  transaction->attributes.barrier = kind;
  transaction->attributes.reach = simulation_.ordering.gpu.barrier_reach;
  common::send(simulation_.steps, memory, transaction, 0, config_.barrier);
}

void Cmp::take_flush(std::uint32_t queue_slot) {
  take(Operation::kTakeRequest, config_.update);
  auto logs = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  logs->attributes.barrier =
      simulation_.ordering.cmp.flush_covers_cv ? Barrier::kDrain : Barrier::kLogs;
  logs->attributes.log_queue = queue_slot + 1;
  logs->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, memory, logs);
  ++completed_.flushes;
}

void Cmp::take_retire(std::uint32_t slot) {
  take(Operation::kTakeRequest, config_.update);
  if (!config_.engines_hang) return retire(slot);
  inbox_.touch(true);
  retiring_.push_back(slot);
  retires_.open();
}

/// An engine may hang on a signal of the fence. The CMP's own agent must not wait for it, because
/// it could not report the hang then.
void Cmp::run_retires() {
  for (;;) {
    simulation_.steps.forget();
    simulation_.steps.wait_until(retires_, [this] {
      inbox_.touch(false);
      return !retiring_.empty();
    });
    simulation_.steps.observe(retiring_.front());
    retire(retiring_.front());
    simulation_.steps.touch(Place::kRegister, identity_.adapter, true);
    inbox_.touch(true);
    retiring_.pop_front();
    note_completed();
  }
}

void Cmp::retire(std::uint32_t slot) {
  finish_signals(slot);
  fences_.retire(slot);
  pass_on(abi::kFenceRetire, slot);
  for (Pending& pending : pending_)
    if (pending.set && pending.notice.fence_slot == slot &&
        !abi::mutant(abi::Mutant::kNoticeOutlivesFence))
      pending.several = true;
  ++completed_.retires;
}

/// Makes packets of the fence stale. On return no engine executes such a packet and all its stores
/// have arrived. The memory of the fence values may then be reused.
void Cmp::finish_signals(std::uint32_t slot) {
  fences_.rescan(slot, abi::kKickRetired);
  // If every signal includes a barrier, no store of a signal is in flight.
  if (simulation_.ordering.gpu.signal_barrier == common::SignalBarrier::kBeforeCheck) return;
  auto stores = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  stores->attributes.barrier = Barrier::kDrain;
  stores->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, memory, stores);
}

}  // namespace fenceline::cmp
