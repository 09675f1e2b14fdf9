// Interrupts to the driver: entries of the interrupt ring, and messages.
#include "models/abi/bus.h"
#include "models/cmp/cmp.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;

void Cmp::decide_to_raise(const common::SignalNotice& cause) {
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  raise(cause);
}

void Cmp::raise(const common::SignalNotice& notice) {
  if (!interrupts_.ready()) return;
  const common::SignalNotice cause =
      one_fence_cause_
          ? common::SignalNotice{notice.engine, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0}
          : notice;
  simulation_.steps.touch(Place::kRegister, ring_, true);
  const common::AgentId agent = simulation_.steps.current();
  const std::uint32_t fence =
      cause.fence_slot == abi::kUnknownSlot ? 0 : fences_by_slot_.of(cause.fence_slot);
  if (interrupts_.full()) {
    // Merge with the entry that is written when the ring has room. That entry names no fence.
    interrupts_.owe();
    return simulation_.events.emit(
        agent, event::MessageCoalesced{identity_.adapter, abi::kInterruptVector});
  }
  simulation_.events.emit(agent, event::InterruptRaised{identity_.adapter, fence, cause.value,
                                                        cause.queue, one_fence_cause_});
  abi::InterruptEntry entry{interrupts_.next_sequence(),
                            abi::InterruptCause::kFenceSignaled,
                            cause.engine,
                            cause.fence_slot,
                            cause.queue_slot,
                            cause.value};
  write_entry(entry);
}

/// The CMP cannot read the values of a fence and cannot decide. It reports the fault to the driver
/// and continues as if the fence had no waiter.
void Cmp::raise_fault(std::uint32_t slot, std::uint64_t address) {
  simulation_.steps.step(Operation::kRaise, Footprint().writes(Place::kRegister, ring_));
  simulation_.emit(
      event::GpuFault{identity_.adapter, address, fences_[slot].at.space, slot, false});
  if (!interrupts_.ready() || interrupts_.full()) return;
  simulation_.steps.touch(Place::kRegister, ring_, true);
  write_entry({interrupts_.next_sequence(), abi::InterruptCause::kPageFault, abi::kUnknownSlot,
               slot, abi::kUnknownSlot, address});
}

/// Writes the next entry of the ring and sends a message if none is pending.
void Cmp::write_entry(const abi::InterruptEntry& entry) {
  const common::AgentId agent = simulation_.steps.current();
  abi::InterruptEntry written = entry;
  const bool relaxed = !simulation_.ordering.pcie.msi_ordered;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, interrupts_.next_address(),
                                             &written, sizeof written);
  write->attributes.posted = true;
  write->attributes.relaxed = relaxed;
  host->b_transport(write->payload, delay);
  if (!interrupts_.written())
    return simulation_.events.emit(
        agent, event::MessageCoalesced{identity_.adapter, abi::kInterruptVector});
  send_message();
}

void Cmp::send_message() {
  std::uint32_t vector = abi::kInterruptVector;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  auto message = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, abi::kVectorWindow, &vector,
                                               sizeof vector);
  message->attributes.posted = true;
  host->b_transport(message->payload, delay);
}

}  // namespace fenceline::cmp
