#include "tb/app/cli/commands/diff_command.h"

#include <fmt/format.h>
#include <limits>
#include <ostream>

#include "tb/app/cli/outputs/output_places.h"
#include "tb/compare/comparison_page.h"
#include "tb/compare/comparison_text.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/page_shell.h"

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

void write_page(const std::string& file, const compare::RunFiles& a, const compare::RunFiles& b,
                const compare::Comparison& comparison) {
  if (report::comparison_page().shell.empty())
    throw UsageError("--html: this program has no page; build one with esbuild");
  if (!comparison.timeline)
    throw UsageError(
        fmt::format("--html: {} has no report.html with all spans", (a.timeline ? b : a).folder));
  check_output_file("html", file);
  report::FileSink sink(file);
  report::Output out(sink);
  compare::write_comparison_page(report::comparison_page(), a, b, comparison, out);
  out.finish();
}

}  // namespace

int print_diff(const Options& options, const Console& console) {
  if (options.inputs.size() != 2) throw UsageError("diff: name the folders of two runs");
  try {
    const compare::RunFiles a = compare::read_run(options.inputs[0]);
    const compare::RunFiles b = compare::read_run(options.inputs[1]);
    const compare::Comparison comparison = comparison_of(a, b);
    const std::size_t most =
        options.diff.all ? std::numeric_limits<std::size_t>::max() : kShortSection;
    if (!options.diff.html.empty()) write_page(options.diff.html, a, b, comparison);
    console.out << comparison_text(a, b, comparison, most);
    return comparison.equal() ? kExitOk : kExitFailed;
  } catch (const compare::InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fenceline::cli
