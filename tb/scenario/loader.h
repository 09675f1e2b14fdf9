#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/scenario/scenario.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

struct LoadOptions {
  /// "/json/pointer=value" each, applied in order. The value is parsed as JSON; if it is not JSON,
  /// it is a string. Missing objects on the path are created. Elements of arrays must exist; "-"
  /// appends one.
  std::vector<std::string> set;
  std::optional<std::uint64_t> seed;  ///< replaces /seed; applied last
};

/// Reads and checks the scenario at `path`. Throws ScenarioError at the first error.
Scenario load(const std::string& path, const LoadOptions& options = {});

/// Same as load(), from text; `name` replaces the path.
Scenario load_text(std::string_view text, const std::string& name, const LoadOptions& options = {});

/// The document in `text` with `options` applied, as a text that can be loaded without them. Throws
/// ScenarioError for a document that is not JSON and for a bad option.
std::string overridden_text(std::string_view text, const std::string& name,
                            const LoadOptions& options);

/// The bytes of a file. Throws ScenarioError if it cannot be read.
std::string read_scenario_file(const std::string& path);

}  // namespace fenceline::scenario
