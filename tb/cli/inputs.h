#pragma once

#include <string>
#include <vector>

namespace fenceline::cli {

/// The files that `inputs` name, in order, each once: a file stands for itself, a folder for every
/// *.json below it (folders called schema and profiles hold none), a pattern for what it matches.
/// Throws UsageError for a pattern or folder that gives nothing.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

/// The folder of scenarios: "scenarios" here, or the one that was installed or built with the
/// program.
std::string shipped_scenarios();

}  // namespace fenceline::cli
