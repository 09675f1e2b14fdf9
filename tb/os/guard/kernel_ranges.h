#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os {

/// Memory that a driver may use, by bus address: what it has allocated and mapped, to the byte, and
/// what the OS has given it addresses of, by page.
class KernelRanges {
 public:
  /// @param device_first bus addresses from there on are the device's: their pages are counted from
  /// it.
  explicit KernelRanges(std::uint64_t device_first) : device_first_(device_first) {}

  /// The driver has got a range of its own. What it has mapped already may overlap.
  void add(std::uint64_t first, std::uint64_t bytes);
  /// The OS gives it an address in those pages.
  void give(std::uint64_t first, std::uint64_t bytes);

  bool contains(std::uint64_t first, std::uint64_t bytes) const {
    return own(first, bytes) || given(first, bytes);
  }

 private:
  bool own(std::uint64_t first, std::uint64_t bytes) const;
  bool given(std::uint64_t first, std::uint64_t bytes) const;

  const std::uint64_t device_first_;
  std::map<std::uint64_t, std::uint64_t> own_;  ///< end of each, by its first address
  std::vector<bool> system_pages_;
  std::vector<bool> device_pages_;
};

}  // namespace fenceline::os
