#pragma once

#include <cstdint>
#include <map>

#include "models/abi/page_table.h"

namespace fenceline::os {

/// The part of a process's CPU page table that maps values of fences for user mode. Unmapped pages
/// are inaccessible.
class UserPages {
 public:
  /// Maps the page of a bus address. A page that is already mapped keeps the wider right.
  void map(std::uint64_t bus_address, bool writable) {
    bool& right = pages_[bus_address >> abi::kPageBits];
    right = right || writable;
  }
  void unmap(std::uint64_t bus_address) { pages_.erase(bus_address >> abi::kPageBits); }
  /// True if user mode may access the bus address.
  bool allows(std::uint64_t bus_address, bool write) const {
    const auto page = pages_.find(bus_address >> abi::kPageBits);
    return page != pages_.end() && (!write || page->second);
  }

 private:
  std::map<std::uint64_t, bool> pages_;  ///< page of the bus; true if it is writable
};

}  // namespace fenceline::os
