#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// The GPU's address spaces: VMIDs in use and their page-table roots.
class AddressSpaces {
 public:
  static constexpr std::uint32_t kSystemVmid = abi::kSystemVmid;

  explicit AddressSpaces(kmd_host::HostPort& port) : port_(port), lock_(port) {}

  /// Reserves the VMID of the system process, or the lowest free one of the others. None if there
  /// is none. IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve(bool system);
  /// Removes the page-table root and frees the VMID. IRQL: up to DISPATCH_LEVEL.
  void release(std::uint32_t vmid);

  /// @param root GPU physical address of the root table, see models/abi/page_table.h. Any IRQL.
  void set_root(std::uint32_t vmid, std::uint64_t root);
  /// Drops translations from before the last page-table writes. Any IRQL.
  void invalidate(std::uint32_t vmid);

 private:
  kmd_host::HostPort& port_;
  SpinLock lock_;  ///< guards taken_
  std::array<bool, abi::kAddressSpaces> taken_{};
};

}  // namespace fenceline::kmd
