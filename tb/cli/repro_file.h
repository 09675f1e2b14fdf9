#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/report/run_report.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// What a repro.json holds: a run, and what it came to.
struct ReproFile {
  std::string scenario;  ///< the effective scenario as a document
  scenario::PolicyKind policy = scenario::PolicyKind::kTiming;
  std::uint64_t seed = 1;
  std::vector<report::Choice> choices;
  std::string verdict;
  std::vector<std::string> invariants;  ///< that broke
};

/// Reads a repro.json. Throws UsageError when the file cannot be read, and scenario::ScenarioError
/// with the place of what is not as it must be.
ReproFile read_repro(const std::string& path);

}  // namespace fenceline::cli
