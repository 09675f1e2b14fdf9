#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// The scenario as a document without the members that equal their defaults. Loading it gives an
/// equal scenario.
nlohmann::json brief_document(const Scenario& scenario);

/// A document as text. Each value that fits is on one line of at most 100 columns.
std::string brief_text(const nlohmann::json& document);

}  // namespace fenceline::scenario
