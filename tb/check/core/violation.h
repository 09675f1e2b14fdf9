#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fenceline::check {

/// One broken invariant.
struct Violation {
  std::string invariant;    ///< id, e.g. "I1"
  std::string name;         ///< e.g. "NO_LOST_WAITER"
  std::string message;      ///< one or two sentences with names and values, and the source
  std::uint64_t time = 0;   ///< [ps] time of detection
  std::uint64_t event = 0;  ///< index of the event that revealed it
  std::uint32_t fence = 0;  ///< fence object, 0 if none
};

/// Number of tests and breaks of an invariant in a run.
struct Exercise {
  std::string invariant;
  std::string name;
  std::uint64_t checked = 0;
  std::uint64_t broken = 0;
};

}  // namespace fenceline::check
