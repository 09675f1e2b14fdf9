#include "kmd_stub/core/fences/fence_table.h"

#include "models/abi/mutant.h"

namespace fenceline::kmd {

namespace {

std::uint64_t entry(std::uint32_t slot) { return abi::kFenceTable + abi::kFenceEntryBytes * slot; }

}  // namespace

std::optional<std::uint32_t> FenceTable::reserve() {
  const SpinLock::Guard guard(lock_);
  return free_.take();
}

void FenceTable::release(std::uint32_t slot) {
  const SpinLock::Guard guard(lock_);
  ++releases_;
  tags_[slot] = (tags_[slot] + 1) % abi::kFenceTags;
  free_.release(slot);
}

void FenceTable::publish(std::uint32_t slot, HANDLE os_handle, const ValueAddresses& addresses) {
  auto& owner = owners_[slot];
  if (!owner.has_value()) owner.emplace(port_);
  owner->store({os_handle, true});  // before the device can name the slot
  readdress(slot, addresses);
}

/// The write of the control word makes all addresses take effect together.
void FenceTable::readdress(std::uint32_t slot, const ValueAddresses& addresses) {
  port_.write_register(entry(slot) + abi::kFenceCurrentValue, addresses.current_value);
  port_.write_register(entry(slot) + abi::kFenceMonitoredValue, addresses.monitored_value);
  const bool keeps = spaces_[slot] != 0 && abi::mutant(abi::Mutant::kSpaceKept);
  if (spaces_[slot] != addresses.vmid && !keeps)
    port_.write_register(entry(slot) + abi::kFenceSpace, addresses.vmid);
  spaces_[slot] = addresses.vmid;
  port_.write_register(entry(slot) + abi::kFenceControl,
                       abi::kFenceValid | std::uint64_t{tags_[slot]} << abi::kFenceTagShift);
}

bool FenceTable::withdraw(std::uint32_t slot, bool drain) {
  port_.write_register(entry(slot) + abi::kFenceControl, 0);
  if (!drain) return true;
  std::uint64_t target = 0;
  {
    const SpinLock::Guard guard(
        lock_);  // requests must reach the device in the order of their numbers
    target = ++retires_;
    port_.write_register(abi::kFenceRetire, slot);
  }
  return port_.poll_register(abi::kFenceRetiresDone, target);
}

void FenceTable::mark_dead(std::uint32_t slot) {
  auto& owner = *owners_[slot];
  owner.store({owner.load().os_handle, false});
}

FenceOwner FenceTable::owner(std::uint32_t slot) const {
  if (slot >= owners_.size() || !owners_[slot].has_value()) return {};
  return owners_[slot]->load();
}

void FenceTable::post_monitored_update(std::uint32_t slot) {
  ++updates_;
  port_.write_register(abi::kMonitoredUpdate, slot);
}

bool FenceTable::wait_monitored_updates() {
  const std::uint64_t before = abi::mutant(abi::Mutant::kWaitsForUpdateBefore) ? 1 : 0;
  return port_.poll_register(abi::kMonitoredUpdatesDone, updates_ - before);
}

void FenceTable::kick(std::uint32_t slot, std::uint64_t flags) {
  port_.write_register(abi::kFenceKick, slot | flags);
}

}  // namespace fenceline::kmd
