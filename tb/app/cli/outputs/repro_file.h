#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/report/record/run_report.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// Content of a repro.json: a run and its result.
struct ReproFile {
  std::string scenario;  ///< the effective scenario document
  scenario::PolicyKind policy = scenario::PolicyKind::kTiming;
  std::uint64_t seed = 1;
  std::vector<report::Choice> choices;
  std::string verdict;
  std::vector<std::string> invariants;  ///< broken invariants
};

/// Reads a repro.json. Throws UsageError if the file cannot be read, and scenario::ScenarioError
/// with the position of an invalid part.
ReproFile read_repro(const std::string& path);

}  // namespace fenceline::cli
