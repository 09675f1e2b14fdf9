#pragma once

#include <cstdint>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// What a scenario has of the things that bounds count.
struct Size {
  std::uint64_t signals = 0;  ///< commands and calls of all kinds, each round of a repeat counted
  std::uint64_t waiters = 0;  ///< waits of threads, and loops that poll a value, the same
  std::uint64_t queues = 0;
  std::uint64_t pending = 0;  ///< writes that the smallest posted FIFO holds
};
Size size_of(const Scenario& scenario);

/// Makes the scenario as small as its bounds say (ExploreBounds). Programs are taken in their
/// order, and each ends before the first step that is too many; a repeat keeps whole rounds. Queues
/// that are too many have no program. A wait whose signal is cut goes with all behind it, so that
/// what is left can end as it did.
void apply_bounds(Scenario& scenario);

}  // namespace fenceline::scenario
