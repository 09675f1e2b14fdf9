#pragma once

#include <cstddef>
#include <optional>

#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// A timeline with fewer items.
struct Thinned {
  Timeline timeline;
  std::size_t left_out = 0;  ///< slices and instants
  std::size_t values_left_out = 0;
};

/// Leaves out what is beyond `most` slices, `most` instants and `most` values of series. Lanes with
/// a fault keep all: lost log entries, a bug check or another suspicious event, a wait, packet or
/// call that has not ended; the story of a counterexample also stays. The other lanes keep their
/// longest slices, and instants at regular distances. A flow goes with its signal or its release.
/// Of neighbours in a series the lowest and the highest value stay. None if nothing is left out.
std::optional<Thinned> thinned(const Timeline& timeline, std::size_t most);

}  // namespace fenceline::report
