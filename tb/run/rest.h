#pragma once

#include <cstdint>

#include "tb/run/machine.h"

namespace fenceline::run {

/// Who is left when nothing is left to do.
enum class Rest : std::uint8_t {
  kNobody,   ///< all programs have ended
  kWaiting,  ///< somebody waits for a value that no signal has left behind, others perhaps for them
  kStuck     ///< somebody has not ended, and no such wait is to blame
};

/// To be asked when nobody can go on. Who waits for a value that is there counts as waiting too:
/// that is for the invariants to judge.
Rest rest_of(Machine& machine);

}  // namespace fenceline::run
