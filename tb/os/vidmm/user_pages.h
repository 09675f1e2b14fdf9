#pragma once

#include <cstdint>
#include <map>

#include "models/abi/page_table.h"

namespace fenceline::os {

/// The part of a process's CPU page table that maps values of fences into user mode. What is not
/// mapped cannot be touched at all.
class UserPages {
 public:
  /// Maps the page of a bus address. A page that is mapped already keeps the wider right.
  void map(std::uint64_t bus_address, bool writable) {
    bool& right = pages_[bus_address >> abi::kPageBits];
    right = right || writable;
  }
  void unmap(std::uint64_t bus_address) { pages_.erase(bus_address >> abi::kPageBits); }
  /// Whether an access to a bus address goes through.
  bool allows(std::uint64_t bus_address, bool write) const {
    const auto page = pages_.find(bus_address >> abi::kPageBits);
    return page != pages_.end() && (!write || page->second);
  }

 private:
  std::map<std::uint64_t, bool> pages_;  ///< page of the bus to whether it is writable
};

}  // namespace fenceline::os
