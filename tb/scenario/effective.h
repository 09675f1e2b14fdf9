#pragma once

#include <string>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// The scenario as a document with all defaults, sorted keys and a final newline. Loading it gives
/// an equal scenario.
std::string effective_document(const Scenario& scenario);

}  // namespace fenceline::scenario
