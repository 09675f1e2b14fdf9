#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tb/reference/outcome.h"

namespace fenceline::reference {

/// Says what must come out of a scenario, from the rules of the documents alone.
/// @param scenario the effective scenario: every default is filled in, as in a run's config.json.
/// Throws std::invalid_argument for a scenario that the loader would not accept.
Outcome predict(const nlohmann::json& scenario);

}  // namespace fenceline::reference
