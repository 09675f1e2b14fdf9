#pragma once

#include <string>

namespace fenceline::scenario {

/// The draft-07 JSON Schema of scenario files, formatted; scenarios/schema/scenario.schema.json is
/// this text. It is built from the shapes that the loader reads by, and accepts what the loader
/// accepts as far as structure goes: names that do not resolve, quantities out of range and the
/// like are beyond it.
std::string schema_text();

}  // namespace fenceline::scenario
