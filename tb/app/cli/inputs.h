#pragma once

#include <string>
#include <vector>

namespace fenceline::cli {

/// The files of `inputs`, in order and without duplicates. A file stands for itself, a folder for
/// all *.json files below it except in folders named schema and profiles, a pattern for its
/// matches. Throws UsageError for a pattern or folder without files.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

/// The bytes of a file. Throws UsageError if it cannot be read.
std::string read_text(const std::string& path);

/// The folder of scenarios: "scenarios" in the current folder, or the one installed or built with
/// the program.
std::string shipped_scenarios();

}  // namespace fenceline::cli
