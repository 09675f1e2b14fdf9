#pragma once

#include <string>

#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario {

/// Applies one "/json/pointer=value" to the document. Throws ScenarioError with the path "--set".
void apply_override(JsonValue& document, const std::string& assignment);

/// Sets a member of the top-level object.
void set_member(JsonValue& object, const std::string& key, JsonValue value);

}  // namespace fenceline::scenario
