#pragma once

#include <optional>

#include "tb/os/vidmm/allocation_windows.h"

namespace fenceline::os {

/// What the checkers are told of allocations: the facts that rules of locks ask for, where they
/// are, and what they hold.
class AllocationReports {
 public:
  AllocationReports(VideoMemoryState& state, const AllocationWindows& windows)
      : state_(state), windows_(windows) {}

  /// Bits common::kFact...
  std::uint64_t facts(const Allocation& allocation) const;
  /// It has come to another place.
  void report_place(const Allocation& allocation) const;
  /// Everything has come to rest: bytes are compared with what they should be.
  void report_content() const;

 private:
  std::uint64_t content(const Allocation& allocation) const;
  std::uint64_t host_word(std::uint64_t address) const;
  bool cores_combine() const;
  std::optional<std::uint64_t> combined_word(std::uint64_t address) const;

  VideoMemoryState& state_;
  const AllocationWindows& windows_;
};

}  // namespace fenceline::os
