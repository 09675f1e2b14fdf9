#pragma once

#include <optional>

#include "tb/os/allocations/allocation_windows.h"

namespace fenceline::os {

/// Events about allocations for the checkers: facts for the rules of locks, places, and content.
class AllocationReports {
 public:
  AllocationReports(VideoMemoryState& state, const AllocationWindows& windows)
      : state_(state), windows_(windows) {}

  /// Bits event::kFact...
  std::uint64_t facts(const Allocation& allocation) const;
  /// The 64 bits at `offset`, with pending lines of caches and write-combining buffers.
  std::uint64_t word(const Allocation& allocation, std::uint64_t offset) const;
  event::AllocationPlaced place(const Allocation& allocation) const;
  /// It has moved to another place.
  void report_place(const Allocation& allocation) const;
  /// At quiescence: reports the content for comparison with the expected content.
  void report_content() const;

 private:
  std::uint64_t content(const Allocation& allocation) const;
  bool may_be_combined(const Allocation& allocation) const;
  std::uint64_t word(const Allocation& allocation, std::uint64_t offset, bool combined) const;
  std::uint64_t host_word(std::uint64_t address) const;
  bool cores_combine() const;
  std::optional<std::uint64_t> combined_word(std::uint64_t address) const;

  VideoMemoryState& state_;
  const AllocationWindows& windows_;
};

}  // namespace fenceline::os
