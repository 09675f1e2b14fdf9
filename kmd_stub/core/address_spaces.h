#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// The GPU's address spaces: who has which VMID, and where its page tables begin.
class AddressSpaces {
 public:
  static constexpr std::uint32_t kSystemVmid = abi::kSystemVmid;

  explicit AddressSpaces(kmd_host::HostPort& port) : port_(port), lock_(port) {}

  /// Takes the system process' VMID or the lowest free one of the others; none when taken.
  /// IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve(bool system);
  /// Takes the page tables away and gives the VMID back. IRQL: up to DISPATCH_LEVEL.
  void release(std::uint32_t vmid);

  /// @param root GPU physical address of the root table, see models/abi/page_table.h. Any IRQL.
  void set_root(std::uint32_t vmid, std::uint64_t root);
  /// Translations made before the last page-table writes are dropped. Any IRQL.
  void invalidate(std::uint32_t vmid);

 private:
  kmd_host::HostPort& port_;
  SpinLock lock_;  ///< guards taken_
  std::array<bool, abi::kAddressSpaces> taken_{};
};

}  // namespace fenceline::kmd
