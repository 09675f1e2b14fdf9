#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// The scenario as a document without the members that equal their defaults. Loading it gives an
/// equal scenario.
nlohmann::json brief_document(const Scenario& scenario);

/// The settings of an effective document that differ from their defaults: the default of each,
/// under its JSON pointer; null if the default is to have no value. What a profile sets is the
/// default; names, texts, steps and
/// expectations have none. Throws ScenarioError for a document that is not
/// effective.
nlohmann::ordered_json changed_defaults(const std::string& effective);

/// A document as text. Each value that fits is on one line of at most 100 columns.
std::string brief_text(const nlohmann::json& document);

}  // namespace fenceline::scenario
