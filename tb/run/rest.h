#pragma once

#include <cstdint>

#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// State of the threads when nothing is left to do.
enum class Rest : std::uint8_t {
  kNobody,   ///< all programs have ended
  kWaiting,  ///< somebody waits for a value that no signal has left behind, others perhaps for them
  kStuck     ///< somebody has not ended, and no such wait is to blame
};

/// A thread has not ended, or a queue is parked: whatever else goes on.
bool somebody_waits(ScenarioMachine& machine);

/// To be asked when nobody can go on. Who waits for a value that is there counts as waiting too:
/// that is for the invariants to judge.
Rest rest_of(ScenarioMachine& machine);

}  // namespace fenceline::run
