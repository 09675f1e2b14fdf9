// Register interface of the CMP. It runs in the process of the agent that delivers the access.
#include <algorithm>

#include "models/abi/page_table.h"
#include "models/cmp/cmp.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;

void Cmp::access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t offset = payload.get_address();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.is_write()) {
    std::uint64_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    return write_register(offset, value);
  }
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  const Operation operation = common::attributes_of(payload).operation;
  if (operation != Operation::kIdle) {
    // While exploring, a poll looks again only when the counter has increased.
    const std::uint64_t at_least = common::attributes_of(payload).at_least;
    simulation_.steps.step_when(
        done_, [&] { return !simulation_.steps.exploring() || read_register(offset) >= at_least; },
        operation, Footprint().reads(Place::kRegister, identity_.adapter));
  }
  // While exploring, a poll only learns that the counter has reached its value, not how far it is
  // beyond it. Then the order of the answer and later increments does not matter.
  const std::uint64_t asked =
      simulation_.steps.exploring() ? common::attributes_of(payload).at_least : 0;
  if (asked == 0) simulation_.steps.touch(Place::kRegister, counters_, false);
  const std::uint64_t value = asked != 0 ? asked : read_register(offset);
  simulation_.steps.observe(value);
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
}

std::uint64_t Cmp::read_register(std::uint64_t offset) const {
  switch (offset) {
    case abi::kId:
      return abi::kDeviceId;
    case abi::kEngineCount:
      return identity_.engines;
    case abi::kVramBytes:
      return identity_.vram_bytes;
    case abi::kAtomicBits:
      return identity_.whole_stores ? 64 : 32;
    case abi::kHardwareCaps:
      return (identity_.native_fences ? 0 : abi::kNoNativeFences) |
             (identity_.iommu ? abi::kHasIommu : 0) | (identity_.display ? abi::kHasDisplay : 0) |
             identity_.paging_node << abi::kPagingNodeShift |
             identity_.doorbells << abi::kDoorbellsShift;
    case abi::kGranularity:
      return identity_.granularity;
    case abi::kStateBytes:
      return identity_.state_bytes;
    case abi::kResetGroup:
      return identity_.reset_group;
    case abi::kFenceWriters:
      return identity_.fence_writers;
    case abi::kFenceNotifiers:
      return identity_.fence_notifiers;
    case abi::kTimestamp:
      return clock_.ticks();
    case abi::kClockHz:
      return clock_.hertz();
    case abi::kMonitoredUpdatesDone:
      return updates_done_;
    case abi::kFenceKicksDone:
      return kicks_done_;
    case abi::kLogFlushesDone:
      return flushes_done_;
    case abi::kFenceRetiresDone:
      return retires_done_;
    default:
      return 0;
  }
}

void Cmp::write_register(std::uint64_t offset, std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value);
  if (offset >= abi::kPeerTable) {
    const std::uint64_t word = (offset - abi::kPeerTable) / 8;
    return peers_.set_word(static_cast<std::uint32_t>(word / abi::kPeers), word % abi::kPeers,
                           value);
  }
  if (offset - abi::kPeerDoorbell < 8ULL * abi::kPeers)
    return peers_.set_page(static_cast<std::uint32_t>((offset - abi::kPeerDoorbell) / 8), value);
  if (offset >= abi::kFenceTable) return write_fence_table(offset - abi::kFenceTable, value);
  switch (offset) {
    case abi::kInterruptRingBase:
      return interrupts_.set_base(value);
    case abi::kInterruptRingEntries:
      return interrupts_.set_entries(value);
    case abi::kInterruptEnable:
      return interrupts_.enable(value != 0);
    case abi::kInterruptAcknowledge:
      simulation_.steps.touch(Place::kRegister, ring_, true);
      if (interrupts_.acknowledge(value)) send_message();
      if (interrupts_.owes())
        raise({abi::kUnknownSlot, abi::kUnknownSlot, abi::kUnknownSlot, 0, 0});
      retry_engines();
      return;
    case abi::kShadowBase:
      shadow_base_ = value;
      return;
    case abi::kOneFenceCause:
      one_fence_cause_ = value != 0;
      return;
    case abi::kMonitoredUpdate:
      return push({InputKind::kUpdate, low % abi::kFenceSlots});
    case abi::kFenceKick:
      return kick(value);
    case abi::kLogFlush:
      return push({InputKind::kFlush, low % abi::kQueueSlots});
    case abi::kFenceRetire:
      return push({InputKind::kRetire, low % abi::kFenceSlots});
    default:
      return;  // writes to read-only registers are dropped, as on a bus
  }
}

void Cmp::kick(std::uint64_t value) {
  rescan(static_cast<std::uint32_t>(value) % abi::kFenceSlots, value | abi::kKickFromCpu);
  ++kicks_done_;
  simulation_.steps.touch(Place::kRegister, counters_, true);
  done_.open();
}

void Cmp::rescan(std::uint32_t slot, std::uint64_t request) {
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, slot, &request, sizeof request);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rescans->b_transport(transaction->payload, delay);
}

void Cmp::write_fence_table(std::uint64_t offset, std::uint64_t value) {
  const auto slot = static_cast<std::uint32_t>(offset / abi::kFenceEntryBytes);
  if (slot >= fences_.size()) return;
  Fence& fence = fences_[slot];
  switch (offset % abi::kFenceEntryBytes) {
    case abi::kFenceCurrentValue:
      fence.next.current_value = value;
      return;
    case abi::kFenceMonitoredValue:
      fence.next.monitored_value = value;
      return;
    case abi::kFenceSpace:
      fence.next.space = static_cast<std::uint32_t>(value);
      return;
    case abi::kFenceControl:
      if ((value & abi::kFenceValid) == 0) {
        fence.valid = false;
        return;
      }
      fence.at = fence.next;
      fence.tag = static_cast<std::uint32_t>(value >> abi::kFenceTagShift);
      if (!fence.valid) make_valid(slot);
      return;
    default:
      return;
  }
}

/// A new fence has no waiters: its shadow is set before any signal can read it.
void Cmp::make_valid(std::uint32_t slot) {
  Fence& fence = fences_[slot];
  fence.valid = true;
  slots_used_ = std::max<std::size_t>(slots_used_, slot + 1);
  fence.newest = ~0ULL;
  if (fence.tag != 0)
    rescan(slot, abi::kKickNamed | std::uint64_t{fence.tag} << abi::kKickTagShift);
  const std::uint64_t shadow = shadow_base_ + 8ULL * slot;
  const std::uint32_t object = object_at(fence.at);
  fences_by_slot_.set(slot, object);
  watches_.shadows->remove(shadow);
  watches_.shadows->add({shadow, 8, common::WatchKind::kShadow, object, identity_.adapter});
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, shadow, &fence.newest,
                                             sizeof fence.newest);
  write->attributes.posted = true;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory->b_transport(write->payload, delay);
}

}  // namespace fenceline::cmp
