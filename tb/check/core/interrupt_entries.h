#pragma once

#include <cstdint>

namespace fenceline::check {

/// Entries of an adapter's interrupt ring: how many the device has written, and how many the
/// interrupt routine has acknowledged.
struct InterruptEntries {
  std::uint64_t written = 0;
  std::uint64_t acknowledged = 0;
  bool uncounted = false;  ///< the driver acknowledges by something else than a count of entries

  void acknowledge(std::uint64_t count) {
    if (count < acknowledged || count > written) uncounted = true;
    acknowledged = count;
  }
};

}  // namespace fenceline::check
