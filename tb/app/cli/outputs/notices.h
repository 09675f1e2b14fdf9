#pragma once

#include <string>
#include <vector>

#include "tb/app/cli/options.h"
#include "tb/app/cli/outputs/summary.h"

namespace fenceline::cli {

/// Reports ended runs or explorations to a batch system: annotations of --annotate and the JUnit
/// file of --junit.
class Notices {
 public:
  /// Throws UsageError if a file for finish() cannot be written.
  explicit Notices(const Options& options);

  void add(const Outcome& outcome, const Console& console);
  /// Writes the files. Throws report::WriteError.
  void finish() const;

 private:
  const Options& options_;
  std::string suites_;
  std::vector<Outcome> failed_;
};

/// `text` as property or message of a GitHub workflow command. @param property true: escape also
/// the characters that end a property.
std::string github_escaped(const std::string& text, bool property);

}  // namespace fenceline::cli
