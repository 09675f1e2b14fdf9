#include "tb/app/cli/commands/shrink_command.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <ostream>

#include "models/abi/mutant.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/sweep/command.h"
#include "tb/campaign/shrink.h"
#include "tb/reference/predict.h"
#include "tb/report/record/output.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.good()) throw report::WriteError(fmt::format("cannot write {}", path));
}

}  // namespace

std::string repeat_command(const Options& options, const campaign::Failure& failure,
                           const std::string& file) {
  std::string driver = options.kmd.empty() ? "" : " --kmd " + sweep::shell_word(options.kmd);
  if constexpr (abi::kMutants)
    if (!options.mutant.empty()) driver = " --mutant " + sweep::shell_word(options.mutant);
  const char* const search = options.search_each ? "explore" : "run";
  return fmt::format("fenceline {} {}{}{}", failure.rule.empty() ? search : "shrink --reference",
                     sweep::shell_word(file),
                     options.search_each && !failure.rule.empty() ? " --policy search" : "",
                     driver);
}

std::optional<campaign::SearchBounds> search_bounds(const Options& options) {
  if (!options.search_each) return std::nullopt;
  campaign::SearchBounds bounds;
  bounds.executions = options.executions.value_or(bounds.executions);
  bounds.states = options.states.value_or(bounds.states);
  return bounds;
}

int shrink_scenario(const Options& options, const Console& console) {
  const InterruptGuard guard;
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (files.size() != 1) throw UsageError("shrink: one scenario at a time");
  if (!options.out.empty()) check_output_file("out", options.out);
  const std::string& file = files.front();
  const std::string text = scenario::overridden_text(scenario::read_scenario_file(file), file,
                                                     {options.overrides, options.seed});
  const run::Watch watch = watch_of(options);
  campaign::ShrinkOptions settings;
  settings.settings.kmd = options.kmd;
  if (options.reference) settings.settings.predict = reference::predict;
  settings.settings.search = search_bounds(options);
  settings.jobs = watch.jobs;
  settings.stuck = watch.stuck;
  settings.interrupted = watch.interrupted;
  if (options.time) settings.time = std::chrono::milliseconds(*options.time);
  const std::optional<campaign::Shrunk> shrunk = campaign::shrink(text, file, settings);
  if (!shrunk && interrupted()) return kExitInterrupted;
  if (!shrunk) throw UsageError(fmt::format("{} does not fail: there is nothing to shrink", file));
  if (options.out.empty())
    console.out << shrunk->text;
  else
    write_file(options.out, shrunk->text);
  console.err << fmt::format(
      "{}: {}\n{}{} runs{}\n", shrunk->failure.cause, shrunk->failure.reason,
      shrunk->failure.rule.empty() ? "" : "rule: " + shrunk->failure.rule + "\n", shrunk->runs,
      shrunk->complete ? "" : "; stopped before it was as small as possible");
  if (!options.out.empty())
    console.err << fmt::format("repeat it with: {}\n",
                               repeat_command(options, shrunk->failure, options.out));
  return interrupted() ? kExitInterrupted : kExitOk;
}

}  // namespace fenceline::cli
