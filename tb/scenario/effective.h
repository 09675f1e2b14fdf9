#pragma once

#include <string>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// The scenario as a document with every default filled in, keys sorted, ending in a line end.
/// Loading it gives an equal scenario.
std::string effective_document(const Scenario& scenario);

}  // namespace fenceline::scenario
