#pragma once

#include <cstdint>

namespace fenceline::check {

/// Counts of an adapter's interrupt ring: entries written by the device, and entries acknowledged
/// by the interrupt routine.
struct InterruptEntries {
  std::uint64_t written = 0;
  std::uint64_t acknowledged = 0;
  bool uncounted = false;  ///< the driver does not acknowledge by a count of entries

  void acknowledge(std::uint64_t count) {
    if (count < acknowledged || count > written) uncounted = true;
    acknowledged = count;
  }
};

}  // namespace fenceline::check
