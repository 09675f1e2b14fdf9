#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/compare/run_files.h"
#include "tb/compare/timeline_differences.h"

namespace fenceline::compare {

/// A fact that two runs A and B do not share.
struct Difference {
  std::string name;             ///< a JSON pointer, a statistic, an invariant, a fence
  std::string a, b;             ///< what each says; "absent" if it says nothing
  std::optional<double> ratio;  ///< B / A, of numbers
};

struct Section {
  std::string title;
  std::vector<Difference> differences;
};

/// All differences of two runs.
struct Comparison {
  std::vector<Section> sections;  ///< always the same ones in the same order
  /// By time; items at another time only are last. None if a folder has no timeline.
  std::optional<std::vector<TimelineDifference>> timeline;

  bool equal() const;
};

/// Compares documents key by key, timelines row by row. host.json is left out: it differs from run
/// to run.
Comparison compare_runs(const RunFiles& a, const RunFiles& b);

}  // namespace fenceline::compare
