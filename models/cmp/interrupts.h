#pragma once

#include <cstdint>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/abi/registers.h"
#include "models/cmp/interrupt_ring.h"
#include "models/common/engine_command.h"
#include "models/common/fence_names.h"
#include "models/common/register_file.h"
#include "models/common/simulation.h"

namespace fenceline::cmp {

class Cmp;

/// Interrupts to the driver: writes entries of the interrupt ring and sends messages.
class Interrupts {
 public:
  using Socket = tlm_utils::simple_initiator_socket<Cmp>;

  /// @param host to the endpoint. @param adapter ObjectKind::kAdapter, for events.
  Interrupts(common::Simulation& simulation, Socket& host, const common::FenceNames& fences,
             std::uint32_t adapter, common::RegisterFile& registers);

  /// The next entry and the message are a step of their own.
  void step();
  /// Writes an entry for the ISR: a signal that the driver must look at. @param notice unknown
  /// parts, also `engine`, are abi::kUnknownSlot.
  void raise(const common::SignalNotice& notice);
  /// The CMP cannot read the values of a fence and cannot decide. It reports the fault to the
  /// driver and continues as if the fence had no waiter.
  void raise_fault(std::uint32_t slot, std::uint32_t space, std::uint64_t address);
  /// Writes an entry. False if there is no room in the ring.
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
              std::uint32_t fence_slot = abi::kUnknownSlot,
              std::uint32_t queue_slot = abi::kUnknownSlot);
  /// The ISR has acknowledged: abi::kInterruptAcknowledge.
  void acknowledge(std::uint64_t value);

  /// See abi::kOneFenceCause.
  bool one_fence_cause() const { return one_fence_cause_; }
  /// Event: a request was merged with an earlier one.
  void note_coalesced();
  const InterruptRing& ring() const { return ring_; }
  std::uint64_t hash() const { return common::hash_values(ring_.hash(), writing_ ? 1 : 0); }

 private:
  /// The CMP and a write to its registers take turns: a write to the host may take time, and an
  /// entry, the number of entries and their message belong together.
  void begin_turn();
  void end_turn();
  void request(const common::SignalNotice& notice);
  void write_entry(const abi::InterruptEntry& entry);
  void send_message();
  void touch(bool write) { simulation_.steps.touch(common::Place::kRegister, place_, write); }

  common::Simulation& simulation_;
  Socket& host_;
  const common::FenceNames& fences_;
  const std::uint32_t adapter_;
  const std::uint64_t place_;  ///< for footprints
  InterruptRing ring_;
  bool one_fence_cause_ = false;
  bool writing_ = false;  ///< somebody has the turn
  common::Gate free_;
};

}  // namespace fenceline::cmp
