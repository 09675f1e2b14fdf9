#include "models/cmp/interrupts.h"

#include "models/abi/bus.h"
#include "models/abi/mutant.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;

Interrupts::Interrupts(common::Simulation& simulation, Socket& host,
                       const common::FenceNames& fences, std::uint32_t adapter,
                       common::RegisterFile& registers)
    : simulation_(simulation),
      host_(host),
      fences_(fences),
      adapter_(adapter),
      place_(simulation.steps.new_place()),
      free_(simulation.steps) {
  registers.add_write_only(abi::kInterruptRingBase,
                           [this](std::uint64_t, std::uint64_t base) { ring_.set_base(base); });
  registers.add_write_only(
      abi::kInterruptRingEntries,
      [this](std::uint64_t, std::uint64_t entries) { ring_.set_entries(entries); });
  registers.add_write_only(abi::kInterruptEnable,
                           [this](std::uint64_t, std::uint64_t on) { ring_.enable(on != 0); });
  registers.add_write_only(abi::kOneFenceCause,
                           [this](std::uint64_t, std::uint64_t on) { one_fence_cause_ = on != 0; });
}

void Interrupts::acknowledge(std::uint64_t value) {
  begin_turn();
  if (ring_.acknowledge(value)) send_message();
  if (ring_.owes() && ring_.ready())
    request({abi::kUnknownSlot, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
  end_turn();
}

void Interrupts::begin_turn() {
  simulation_.steps.wait_until(free_, [this] {
    touch(false);
    return !writing_;
  });
  touch(true);
  writing_ = true;
}

void Interrupts::end_turn() {
  touch(true);
  writing_ = false;
  free_.open();
}

void Interrupts::step() {
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, place_));
}

void Interrupts::note_coalesced() {
  simulation_.emit(event::MessageCoalesced{adapter_, abi::kInterruptVector});
}

void Interrupts::raise(const common::SignalNotice& notice) {
  if (!ring_.ready()) return;
  begin_turn();
  request(notice);
  end_turn();
}

/// Writes an entry for the signal in this turn. @pre the ring is ready.
void Interrupts::request(const common::SignalNotice& notice) {
  const common::SignalNotice cause =
      one_fence_cause_
          ? common::SignalNotice{notice.engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0}
          : notice;
  const std::uint32_t fence =
      cause.fence_slot == abi::kUnknownSlot ? 0 : fences_.of(cause.fence_slot);
  if (ring_.full()) {
    // Merge with the entry that is written when the ring has room. That entry names no fence.
    ring_.owe();
    return note_coalesced();
  }
  simulation_.emit(
      event::InterruptRaised{adapter_, fence, cause.value, cause.queue, one_fence_cause_});
  write_entry({ring_.next_sequence(), abi::InterruptCause::kFenceSignaled, cause.engine,
               cause.fence_slot, cause.queue_slot, cause.value});
}

void Interrupts::raise_fault(std::uint32_t slot, std::uint32_t space, std::uint64_t address) {
  simulation_.emit(event::GpuFault{adapter_, address, space, slot, false});
  if (!ring_.ready()) return;
  begin_turn();
  if (!ring_.full())
    write_entry({ring_.next_sequence(), abi::InterruptCause::kPageFault, abi::kUnknownSlot, slot,
                 abi::kUnknownSlot, address});
  end_turn();
}

bool Interrupts::report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
                        std::uint32_t fence_slot, std::uint32_t queue_slot) {
  if (!ring_.ready()) return true;
  begin_turn();
  const bool room = !ring_.full();
  if (room) {
    simulation_.emit(
        event::EngineInterrupt{adapter_, static_cast<std::uint64_t>(cause), value, engine});
    write_entry({ring_.next_sequence(), cause, engine, fence_slot, queue_slot, value});
  }
  end_turn();
  return room;
}

/// Writes the next entry of the ring and sends a message if none is pending.
void Interrupts::write_entry(const abi::InterruptEntry& entry) {
  abi::InterruptEntry written = entry;
  const bool early = abi::mutant(abi::Mutant::kMessageFirst);
  if (early && !ring_.pending()) send_message();
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, ring_.next_address(), &written,
                                             sizeof written);
  write->attributes.posted = true;
  write->attributes.relaxed = !simulation_.ordering.pcie.msi_ordered;
  common::deliver(host_, write->payload);
  if (ring_.written()) {
    if (!early) send_message();
    return;
  }
  simulation_.emit(event::MessageCoalesced{adapter_, abi::kInterruptVector});
}

void Interrupts::send_message() {
  std::uint32_t vector = abi::kInterruptVector;
  auto message = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, abi::kVectorWindow, &vector,
                                               sizeof vector);
  message->attributes.posted = true;
  common::deliver(host_, message->payload);
}

}  // namespace fenceline::cmp
