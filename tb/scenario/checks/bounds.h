#pragma once

#include <cstdint>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// Numbers of a scenario that bounds limit.
struct Size {
  std::uint64_t signals = 0;  ///< commands and calls of all kinds; each round of a repeat counts
  std::uint64_t waiters = 0;  ///< waits of threads and polling loops; each round of a repeat counts
  std::uint64_t queues = 0;
  std::uint64_t pending = 0;  ///< capacity of the smallest posted FIFO [writes]
};
Size size_of(const Scenario& scenario);

/// Reduces the scenario to its bounds (ExploreBounds). Programs are processed in order. Each ends
/// before the first step beyond the budget; a repeat keeps whole rounds. Queues beyond the bound
/// get no program. If a signal is cut, its waits and everything after them are cut too, so that the
/// reduced scenario can end like the original.
void apply_bounds(Scenario& scenario);

}  // namespace fenceline::scenario
