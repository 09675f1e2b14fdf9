#include "models/cmp/cmp.h"

#include <algorithm>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/common/stores.h"

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
         const common::GpuClock& clock, common::FenceNames& fences, const WatchMap& watches,
         common::PeerTable& peers)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      identity_(identity),
      clock_(clock),
      fences_by_slot_(fences),
      watches_(watches),
      peers_(peers),
      fences_(abi::kFenceSlots),
      inbox_(simulation.steps.new_place()),
      counters_(simulation.steps.new_place()),
      ring_(simulation.steps.new_place()),
      work_(simulation.steps),
      retires_(simulation.steps),
      done_(simulation.steps) {
  registers.register_b_transport(this, &Cmp::access_register);
  notices.register_b_transport(this, &Cmp::receive_notice);
  log_writes.register_b_transport(this, &Cmp::forward_log);
  simulation_.steps.add_agent(agent_name, [this] { run(); });
  if (config.engines_hang)
    simulation_.steps.add_agent(agent_name + ".retire", [this] { run_retires(); });
  simulation_.steps.add_state(*this);
}

std::uint64_t Cmp::state_hash() const {
  common::Hasher hasher;
  for (const Input& input : inputs_)
    hasher.add(static_cast<std::uint64_t>(input.kind) << 32 | input.index);
  for (const std::uint32_t slot : retiring_) hasher.add(~std::uint64_t{slot});
  for (const Pending& pending : pending_)
    if (pending.set)
      hasher.add(pending.several ? 2 : 1)
          .add(pending.notice.value)
          .add(std::uint64_t{pending.notice.engine} << 32 | pending.notice.fence_slot)
          .add(pending.notice.queue_slot);
  for (std::size_t slot = 0; slot < slots_used_; ++slot)
    if (fences_[slot].valid)
      hasher.add(fences_[slot].newest).add(std::uint64_t{fences_[slot].at.space} << 32 | slot);
  return hasher.add(updates_done_)
      .add(kicks_done_)
      .add(flushes_done_)
      .add(retires_done_)
      .add(interrupts_.hash())
      .add(unreported_hash())
      .value();
}

void Cmp::push(Input input) {
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  inputs_.push_back(input);
  work_.open();
}

void Cmp::receive_notice(int /*id*/, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& /*delay*/) {
  common::SignalNotice notice;
  std::memcpy(&notice, payload.get_data_ptr(), sizeof notice);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (notice.kind != common::SignalNotice::Kind::kFenceSignaled) return note_engine(notice);
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  Pending& pending = pending_[notice.engine];
  if (!pending.set) {
    pending = {true, false, notice};
    return push({InputKind::kNotice, notice.engine});
  }
  // Each engine has one pending bit: a further notice is merged.
  simulation_.emit(event::MessageCoalesced{identity_.adapter, abi::kInterruptVector});
  if (pending.notice.fence_slot == notice.fence_slot) {
    pending.notice.value = std::max(pending.notice.value, notice.value);
    if (pending.notice.queue_slot != notice.queue_slot) {
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
    simulation_.steps.wait_until(work_, [this] { return !inputs_.empty(); });
    const Input input = inputs_.front();
    simulation_.steps.observe(static_cast<std::uint64_t>(input.kind) << 32 | input.index);
    switch (input.kind) {
      case InputKind::kNotice:
        take_notice(input.index);
        break;
      case InputKind::kUpdate:
        take_update(input.index);
        break;
      case InputKind::kFlush:
        take_flush(input.index);
        break;
      case InputKind::kRetire:
        take_retire(input.index);
        break;
      case InputKind::kEngine:
        take_engine(input.index);
        break;
      case InputKind::kSuspension:
        take_suspension();
        break;
    }
    simulation_.steps.touch(Place::kRegister, counters_, true);
    done_.open();
  }
}

void Cmp::take_notice(std::uint32_t engine) {
  simulation_.steps.step(Operation::kTakeNotice,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.decision);
  inputs_.pop_front();
  simulation_.steps.touch(Place::kRegister, inbox_, true);
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
  const Fence& fence = fences_[slot];
  if (!fence.valid) {
    pending.set = false;
    return;
  }
  std::uint64_t value = taken.notice.value;
  if (simulation_.ordering.cmp.value == CmpValue::kReread)
    value = read_value(slot, Operation::kReadValue).value_or(0);
  if (!early) {
    clear_late();
    pending.set = false;
  }
  const bool above = value > fence.newest;
  simulation_.emit(event::CmpDecision{fences_by_slot_.of(slot), value, fence.newest, above,
                                      Decider::kSignalNotice});
  if (above) decide_to_raise({engine, slot, taken.notice.queue_slot, taken.notice.queue, value});
}

void Cmp::take_update(std::uint32_t slot) {
  simulation_.steps.step(Operation::kTakeUpdate,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.update);
  inputs_.pop_front();
  Fence& fence = fences_[slot];
  if (fence.valid) {
    fence.newest = read_value(slot, Operation::kReadMonitored).value_or(~0ULL);
    simulation_.emit(
        event::ShadowIssued{fences_by_slot_.of(slot), fence.newest, identity_.adapter});
    store_shadow(slot, fence.newest);
    update_barrier();
    // What the CMP waited for has no more effect, and what it read is in the fence table.
    simulation_.steps.forget();
    simulation_.steps.observe(static_cast<std::uint64_t>(InputKind::kUpdate) << 32 | slot);
  }
  // The driver need not wait for the compare below. CurrentValue was either written by a signal
  // that saw the new MonitoredValue, or the compare finds it.
  ++updates_done_;
  simulation_.steps.touch(Place::kRegister, counters_, true);
  done_.open();
  if (fence.valid && simulation_.ordering.cmp.recheck != common::Recheck::kOff) recheck(slot);
}

/// Issues the write of the new MonitoredValue to the shadow.
void Cmp::store_shadow(std::uint32_t slot, std::uint64_t value) {
  const common::Stores stores =
      common::stores_of(simulation_.ordering.mem.mv64, identity_.whole_stores);
  for (const common::Piece piece : common::Pieces(stores)) {
    auto shadow = simulation_.transactions.lend(
        tlm::TLM_WRITE_COMMAND, shadow_base_ + 8ULL * slot + piece.offset,
        reinterpret_cast<unsigned char*>(&value) + piece.offset, piece.bytes);
    shadow->attributes.posted = true;
    shadow->attributes.partial = piece.more;
    shadow->attributes.operation = Operation::kIssue;
    common::send(simulation_.steps, memory, shadow);
  }
}

/// Compares CurrentValue after an update. When notices carry no value, this read also serves the
/// pending notices of the same fence. They are cleared before or after the read.
void Cmp::recheck(std::uint32_t slot) {
  const bool rereads = simulation_.ordering.cmp.value == CmpValue::kReread;
  const bool early = simulation_.ordering.cmp.clear_first;
  if (rereads && early) take_back(slot);
  const Fence& fence = fences_[slot];
  const std::uint64_t value = read_value(slot, Operation::kReadValue).value_or(0);
  if (rereads && !early) {
    clear_late();
    take_back(slot);
  }
  const common::Recheck compare = simulation_.ordering.cmp.recheck;
  bool above = value > fence.newest;
  if (compare == common::Recheck::kBelow) above = value < fence.newest;
  if (compare == common::Recheck::kAtLeast) above = value >= fence.newest;
  simulation_.emit(event::CmpDecision{fences_by_slot_.of(slot), value, fence.newest, above,
                                      Decider::kMonitoredUpdate});
  if (above) decide_to_raise({abi::kUnknownSlot, slot, abi::kUnknownSlot, 0, value});
}

/// Clearing after the read is a step of its own: engines may notify in between.
void Cmp::clear_late() {
  simulation_.steps.step(Operation::kTakeNotice, Footprint().writes(Place::kRegister, inbox_),
                         config_.decision);
  simulation_.steps.touch(Place::kRegister, inbox_, true);
}

/// Clears the pending bits of engines whose notices name this fence only.
void Cmp::take_back(std::uint32_t slot) {
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  for (std::uint32_t engine = 0; engine < pending_.size(); ++engine) {
    Pending& pending = pending_[engine];
    if (!pending.set || pending.several || pending.notice.fence_slot != slot) continue;
    pending.set = false;
    inputs_.erase(std::remove_if(inputs_.begin(), inputs_.end(),
                                 [engine](const Input& input) {
                                   return input.kind == InputKind::kNotice && input.index == engine;
                                 }),
                  inputs_.end());
  }
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
  simulation_.steps.step(Operation::kTakeRequest,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.update);
  inputs_.pop_front();
  auto logs = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  logs->attributes.barrier =
      simulation_.ordering.cmp.flush_covers_cv ? Barrier::kDrain : Barrier::kLogs;
  logs->attributes.log_queue = queue_slot + 1;
  logs->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, memory, logs);
  ++flushes_done_;
}

void Cmp::take_retire(std::uint32_t slot) {
  simulation_.steps.step(Operation::kTakeRequest,
                         Footprint().writes(Place::kRegister, identity_.adapter), config_.update);
  inputs_.pop_front();
  if (!config_.engines_hang) return retire(slot);
  simulation_.steps.touch(Place::kRegister, inbox_, true);
  retiring_.push_back(slot);
  retires_.open();
}

/// An engine may hang on a signal of the fence. The CMP's own agent must not wait for it, because
/// it could not report the hang then.
void Cmp::run_retires() {
  for (;;) {
    simulation_.steps.forget();
    simulation_.steps.wait_until(retires_, [this] {
      simulation_.steps.touch(Place::kRegister, inbox_, false);
      return !retiring_.empty();
    });
    simulation_.steps.observe(retiring_.front());
    retire(retiring_.front());
    simulation_.steps.touch(Place::kRegister, identity_.adapter, true);
    simulation_.steps.touch(Place::kRegister, inbox_, true);
    retiring_.pop_front();
    simulation_.steps.touch(Place::kRegister, counters_, true);
    done_.open();
  }
}

void Cmp::retire(std::uint32_t slot) {
  finish_signals(slot);
  const Addresses next = fences_[slot].next;  // the table keeps what was written to it
  fences_[slot] = Fence();
  fences_[slot].next = next;
  fences_by_slot_.set(slot, 0);
  peers_.clear(slot);
  for (Pending& pending : pending_)
    if (pending.set && pending.notice.fence_slot == slot) pending.several = true;
  ++retires_done_;
}

/// Makes packets of the fence stale. On return no engine executes such a packet and all its stores
/// have arrived. The memory of the fence values may then be reused.
void Cmp::finish_signals(std::uint32_t slot) {
  rescan(slot, abi::kKickRetired);
  // If every signal includes a barrier, no store of a signal is in flight.
  if (simulation_.ordering.gpu.signal_barrier == common::SignalBarrier::kBeforeCheck) return;
  auto stores = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  stores->attributes.barrier = Barrier::kDrain;
  stores->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, memory, stores);
}

std::optional<std::uint64_t> Cmp::read_value(std::uint32_t slot, Operation operation) {
  const Addresses& at = fences_[slot].at;
  const bool monitored = operation == Operation::kReadMonitored;
  const std::uint64_t address = monitored ? at.monitored_value : at.current_value;
  std::uint64_t value = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
  read->attributes.address_space = at.space;
  read->attributes.operation = operation;
  read->attributes.reader = event::Reader::kCmp;
  if (common::send(simulation_.steps, memory, read) == tlm::TLM_OK_RESPONSE) return value;
  raise_fault(slot, address);
  return std::nullopt;
}

std::uint32_t Cmp::object_at(const Addresses& fence) {
  auto look = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, fence.current_value, nullptr, 0);
  look->attributes.address_space = fence.space;
  if (memory->transport_dbg(look->payload) == 0) return 0;
  const std::uint64_t physical = look->payload.get_address();
  const common::Watches& watches =
      (physical & abi::kSystemMemoryBit) != 0 ? *watches_.system : *watches_.vram;
  const common::Watch* watch = watches.find(physical);
  return watch != nullptr ? watch->object : 0;
}

}  // namespace fenceline::cmp
