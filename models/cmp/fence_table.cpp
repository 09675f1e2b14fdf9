#include "models/cmp/fence_table.h"

#include <algorithm>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/common/stores.h"

namespace fenceline::cmp {

using common::Operation;

FenceTable::FenceTable(common::Simulation& simulation, const Uses& uses,
                       common::RegisterFile& registers)
    : simulation_(simulation), uses_(uses), fences_(abi::kFenceSlots) {
  const auto add = [this, &registers](std::uint64_t field, auto write) {
    registers.add_write_only({abi::kFenceTable + field, abi::kFenceSlots, abi::kFenceEntryBytes},
                             [this, write](std::uint64_t slot, std::uint64_t value) {
                               write(fences_[slot].next, value);
                             });
  };
  add(abi::kFenceCurrentValue,
      [](Addresses& next, std::uint64_t address) { next.current_value = address; });
  add(abi::kFenceMonitoredValue,
      [](Addresses& next, std::uint64_t address) { next.monitored_value = address; });
  add(abi::kFenceSpace,
      [](Addresses& next, std::uint64_t space) { next.space = static_cast<std::uint32_t>(space); });
  registers.add_write_only({abi::kFenceTable + std::uint64_t{abi::kFenceControl}, abi::kFenceSlots,
                            abi::kFenceEntryBytes},
                           [this](std::uint64_t slot, std::uint64_t value) {
                             write_control(static_cast<std::uint32_t>(slot), value);
                           });
}

void FenceTable::write_control(std::uint32_t slot, std::uint64_t value) {
  Fence& fence = fences_[slot];
  if ((value & abi::kFenceValid) == 0) {
    fence.valid = false;
    return;
  }
  fence.at = fence.next;
  fence.tag = static_cast<std::uint32_t>(value >> abi::kFenceTagShift);
  if (!fence.valid) make_valid(slot);
}

/// A new fence has no waiters. A signal that reads its shadow before this write is there silences
/// nothing that a waiter needs: the update of the first waiter comes behind the write, and the CMP
/// looks at CurrentValue then.
void FenceTable::make_valid(std::uint32_t slot) {
  Fence& fence = fences_[slot];
  fence.valid = true;
  slots_used_ = std::max<std::size_t>(slots_used_, slot + 1);
  fence.newest = ~0ULL;
  if (fence.tag != 0)
    rescan(slot, abi::kKickNamed | std::uint64_t{fence.tag} << abi::kKickTagShift);
  const std::uint64_t shadow = shadow_base_ + 8ULL * slot;
  const std::uint32_t object = object_at(fence.at);
  uses_.names.set(slot, object);
  uses_.watches.shadows->remove(shadow);
  uses_.watches.shadows->add({shadow, 8, common::WatchKind::kShadow, object, uses_.adapter});
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, shadow, &fence.newest,
                                             sizeof fence.newest);
  write->attributes.posted = true;
  common::deliver(uses_.memory, write->payload);
}

void FenceTable::store_shadow(std::uint32_t slot) {
  std::uint64_t value = fences_[slot].newest;
  const std::uint32_t wrong_bit = abi::mutant(abi::Mutant::kShadowOfNeighbour) ? 1 : 0;
  const common::Stores stores =
      common::stores_of(simulation_.ordering.mem.mv64, uses_.whole_stores);
  for (const common::Piece piece : common::Pieces(stores)) {
    auto shadow = simulation_.transactions.lend(
        tlm::TLM_WRITE_COMMAND, shadow_base_ + 8ULL * (slot ^ wrong_bit) + piece.offset,
        reinterpret_cast<unsigned char*>(&value) + piece.offset, piece.bytes);
    shadow->attributes.posted = true;
    shadow->attributes.partial = piece.more;
    shadow->attributes.operation = Operation::kIssue;
    common::send(simulation_.steps, uses_.memory, shadow);
  }
}

void FenceTable::retire(std::uint32_t slot) {
  const Addresses next = fences_[slot].next;
  fences_[slot] = Fence();
  fences_[slot].next = next;
  uses_.names.set(slot, 0);
}

void FenceTable::rescan(std::uint32_t slot, std::uint64_t request) {
  auto kick = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, slot, &request, sizeof request);
  common::deliver(uses_.rescans, kick->payload);
}

std::uint64_t FenceTable::read_current(std::uint32_t slot) {
  return read(slot, Operation::kReadValue).value_or(0);
}

void FenceTable::read_monitored(std::uint32_t slot) {
  const std::uint64_t newest = read(slot, Operation::kReadMonitored).value_or(~0ULL);
  fences_[slot].newest = newest;
}

/// Returns none after a page fault and reports the fault.
std::optional<std::uint64_t> FenceTable::read(std::uint32_t slot, Operation operation) {
  const Addresses& at = fences_[slot].at;
  const bool monitored = operation == Operation::kReadMonitored;
  const std::uint64_t address = monitored ? at.monitored_value : at.current_value;
  std::uint64_t value = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
  read->attributes.address_space = at.space;
  read->attributes.operation = operation;
  read->attributes.reader = event::Reader::kCmp;
  if (common::send(simulation_.steps, uses_.memory, read) == tlm::TLM_OK_RESPONSE) return value;
  uses_.interrupts.step();
  uses_.interrupts.raise_fault(slot, at.space, address);
  return std::nullopt;
}

std::uint32_t FenceTable::object_at(const Addresses& fence) {
  return uses_.watches.object_at(uses_.memory, simulation_.transactions, fence.current_value,
                                 fence.space);
}

void FenceTable::add_to(common::Hasher& hasher) const {
  for (std::size_t slot = 0; slot < slots_used_; ++slot)
    if (fences_[slot].valid)
      hasher.add(fences_[slot].newest).add(std::uint64_t{fences_[slot].at.space} << 32 | slot);
}

}  // namespace fenceline::cmp
