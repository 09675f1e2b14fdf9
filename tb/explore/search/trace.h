#pragma once

#include <vector>

#include "models/common/steps/steps.h"

namespace fenceline::explore {

/// One step of a run.
struct TraceStep {
  common::AgentId agent = 0;
  common::Operation operation = common::Operation::kIdle;
};
using Trace = std::vector<TraceStep>;

}  // namespace fenceline::explore
