#include "kmd_stub/core/memory/address_spaces.h"

#include "models/abi/page_table.h"

namespace fenceline::kmd {

std::optional<std::uint32_t> AddressSpaces::reserve(bool system) {
  const SpinLock::Guard guard(lock_);
  const std::uint32_t first = system ? kSystemVmid : kSystemVmid + 1;
  const std::uint32_t end = system ? kSystemVmid + 1 : abi::kAddressSpaces;
  for (std::uint32_t vmid = first; vmid < end; ++vmid) {
    if (taken_[vmid]) continue;
    taken_[vmid] = true;
    return vmid;
  }
  return std::nullopt;
}

void AddressSpaces::release(std::uint32_t vmid) {
  port_.write_register(abi::kMmuRoot + 8 * vmid, 0);
  invalidate(vmid);
  const SpinLock::Guard guard(lock_);
  taken_[vmid] = false;
}

void AddressSpaces::set_root(std::uint32_t vmid, std::uint64_t root) {
  port_.write_register(abi::kMmuRoot + 8 * vmid, root | abi::kEntryValid);
  invalidate(vmid);
}

void AddressSpaces::invalidate(std::uint32_t vmid) {
  port_.memory_barrier();
  port_.write_register(abi::kMmuInvalidate, vmid);
}

}  // namespace fenceline::kmd
