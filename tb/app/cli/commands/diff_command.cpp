#include "tb/app/cli/commands/diff_command.h"

#include <fmt/format.h>
#include <limits>
#include <ostream>

#include "tb/compare/comparison_text.h"

namespace fenceline::cli {

namespace {

constexpr std::size_t kShortSection = 8;  ///< lines of a section without --all

compare::Comparison comparison_of(const compare::RunFiles& a, const compare::RunFiles& b) {
  try {
    return compare::compare_runs(a, b);
  } catch (const compare::Json::exception& error) {
    throw UsageError(
        fmt::format("{} and {}: the files are incomplete: {}", a.folder, b.folder, error.what()));
  }
}

}  // namespace

int print_diff(const Options& options, const Console& console) {
  if (options.inputs.size() != 2) throw UsageError("diff: name the folders of two runs");
  try {
    const compare::RunFiles a = compare::read_run(options.inputs[0]);
    const compare::RunFiles b = compare::read_run(options.inputs[1]);
    const compare::Comparison comparison = comparison_of(a, b);
    const std::size_t most =
        options.whole ? std::numeric_limits<std::size_t>::max() : kShortSection;
    console.out << comparison_text(a, b, comparison, most);
    return comparison.equal() ? kExitOk : kExitFailed;
  } catch (const compare::InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fenceline::cli
