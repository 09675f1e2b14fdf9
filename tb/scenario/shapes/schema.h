#pragma once

#include <string>

namespace fenceline::scenario {

/// The formatted draft-07 JSON Schema of scenario files; scenarios/schema/scenario.schema.json has
/// the same text. It is generated from the shapes of the loader and accepts the same structure. It
/// does not check names that do not resolve, quantities out of range and similar errors.
std::string schema_text();

}  // namespace fenceline::scenario
