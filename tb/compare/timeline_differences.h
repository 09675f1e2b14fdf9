#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/compare/page_timeline.h"

namespace fenceline::compare {

enum class Change : std::uint8_t {
  kMissing,  ///< only A has it
  kNew,      ///< only B has it
  kLonger,   ///< it lasts longer in B
  kShorter,
  kMoved,    ///< B has it before or after other items of its row than A
  kShifted,  ///< the same at another time
  kCount
};

/// An item that differs. Items of a row with the same name and value are paired so that as many as
/// possible keep their order; of the others, the nth one of A is the nth one of B.
struct TimelineDifference {
  Change change;
  std::string group, row;
  Item a, b;  ///< the item in A and in B; of the run that does not have it, empty
};

/// Word for a change, as in "3 longer".
const char* change_name(Change change);
/// Begin of the item in A, or in B if A does not have it [ps].
std::uint64_t time_of(const TimelineDifference& difference);

/// The differences by row, then by begin. An item with several differences has the first one in the
/// order of Change.
std::vector<TimelineDifference> compare_timelines(const std::vector<Row>& a,
                                                  const std::vector<Row>& b);

}  // namespace fenceline::compare
