#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/report/record/names.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// The slices and instants of one lane, in the order of the timeline.
struct Track {
  Lane lane = Lane::kQueue;
  std::uint32_t object = 0;
  std::vector<const Slice*> slices;
  std::vector<std::uint32_t> instants;  ///< indices in the timeline
};

/// A timeline by lanes, with a number for each title. Titles are without values, so there are few.
struct Tracks {
  Tracks(const Timeline& timeline, const Names& names);

  std::vector<Track> tracks;                  ///< by lane, then by object
  std::vector<std::string> titles;            ///< [0] is empty
  std::vector<std::uint32_t> slice_titles;    ///< by slice: index in `titles`
  std::vector<std::uint32_t> instant_titles;  ///< by instant
};

/// Heading above the lanes of one kind, e.g. "Queues".
const char* group_name(Lane lane);

}  // namespace fenceline::report
