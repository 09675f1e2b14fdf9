#include "tb/app/cli/sweep_plan.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <random>

#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/workers.h"
#include "tb/app/sweep/design.h"
#include "tb/run/driver_library.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

using scenario::Scenario;
using scenario::ScenarioError;
using scenario::SweepSettings;
using scenario::Variation;

constexpr std::uint64_t kTriedValues = 64;  ///< values tried to find a valid one of a variation

/// The scenario's section with the changes of the command line.
SweepSettings merged(SweepSettings settings, const SweepOptions& options) {
  for (const Variation& it : options.vary) {
    const auto same = std::find_if(settings.vary.begin(), settings.vary.end(),
                                   [&](const Variation& old) { return old.pointer == it.pointer; });
    if (same == settings.vary.end())
      settings.vary.push_back(it);
    else
      *same = it;
  }
  if (options.design) settings.design = *options.design;
  // The number of points of a random design does not apply to another design.
  if (settings.design != scenario::SweepDesign::kRandom && options.design) settings.points.reset();
  if (options.points) settings.points = options.points;
  if (options.seeds) settings.seeds = *options.seeds;
  return settings;
}

void check_twice(const std::vector<Variation>& vary) {
  for (auto it = vary.begin(); it != vary.end(); ++it)
    if (std::any_of(vary.begin(), it, [&](const auto& old) { return old.pointer == it->pointer; }))
      throw UsageError(fmt::format("--vary: {} is there twice", it->pointer));
}

/// Checks the settings by themselves.
void check_settings(const SweepSettings& settings) {
  try {
    scenario::check_sweep_settings(settings);
  } catch (const scenario::SweepProblem& problem) {
    std::string text = "the sweep cannot be: ";
    constexpr std::string_view kVary = "/vary/";
    if (problem.pointer.compare(0, kVary.size(), kVary) == 0)
      text += settings.vary[std::stoul(problem.pointer.substr(kVary.size()))].pointer + ": ";
    else if (!problem.pointer.empty())
      text += "--" + problem.pointer.substr(1) + ": ";
    text += problem.what();
    if (!problem.expected.empty()) text += "; expected " + problem.expected;
    if (!problem.hint.empty()) text += "; " + problem.hint;
    throw UsageError(text);
  }
}

[[noreturn]] void fail_variation(const Variation& variation, const std::string& path,
                                 const ScenarioError& error) {
  const bool on_line = variation.at.line == 0;
  scenario::Diagnostic diagnostic;
  diagnostic.path = on_line ? "--vary" : path;
  diagnostic.line = variation.at.line;
  diagnostic.column = variation.at.column;
  diagnostic.pointer = on_line ? variation.pointer : variation.at.pointer;
  diagnostic.message =
      on_line ? "no value is valid: " : variation.pointer + ": no value is valid: ";
  if (!error.pointer().empty() && error.pointer() != variation.pointer)
    diagnostic.message += error.pointer() + ": ";
  diagnostic.message += error.message();
  diagnostic.expected = error.expected();
  // Other hints mention --set, which the user did not write.
  if (error.hint().compare(0, 3, "did") == 0) diagnostic.hint = error.hint();
  throw ScenarioError(diagnostic);
}

/// True if one of two JSON pointers equals or contains the other. The document root is excluded.
bool is_about(const std::string& one, const std::string& other) {
  const std::size_t shared = std::min(one.size(), other.size());
  return !one.empty() && one.compare(0, shared, other, 0, shared) == 0;
}

/// A variation without any loadable value is an error, unless another place is invalid.
void check_variation(const Variation& variation, const sweep::Plan& plan) {
  const scenario::VariedValues values(variation);
  std::optional<ScenarioError> first;
  for (std::uint64_t i = 0; i < std::min(values.count(), kTriedValues); ++i) {
    scenario::LoadOptions load{plan.overrides, plan.first_seed};
    load.set.push_back(variation.pointer + "=" + values.at(i));
    try {
      scenario::load_text(plan.text, plan.path, load);
      return;
    } catch (const ScenarioError& error) {
      if (error.path() != "--set" && !is_about(error.pointer(), variation.pointer)) return;
      if (!first) first = error;
    }
  }
  if (first) fail_variation(variation, plan.path, *first);
}

/// A job name that is unique on the scheduler.
std::string new_job_name() {
  std::random_device source;
  return fmt::format("fenceline-{:08x}{:08x}", source(), source());
}

}  // namespace

sweep::Plan plan_sweep(const std::string& file, const Options& options) {
  const LoadRequest request = load_request(file, options);
  const Scenario scenario = scenario::load(file, {request.overrides, request.seed});
  sweep::Plan plan;
  plan.name = scenario.name;
  plan.path = file;
  plan.text = read_text(file);
  plan.overrides = request.overrides;
  plan.first_seed = scenario.seed;
  plan.stop_at = options.stop_at;
  if (!options.kmd.empty()) {
    plan.kmd = std::filesystem::absolute(options.kmd).string();
    const run::DriverLibrary loads(plan.kmd);
  }
  if (options.stuck) plan.stuck = *options.stuck;
  check_twice(options.sweep.vary);
  plan.sweep = merged(scenario.sweep, options.sweep);
  check_settings(plan.sweep);
  if (plan.first_seed > UINT64_MAX - (plan.sweep.seeds - 1))
    throw UsageError(fmt::format("the seeds of {} runs from {} on do not fit 64 bits",
                                 plan.sweep.seeds, plan.first_seed));
  for (const Variation& it : plan.sweep.vary) check_variation(it, plan);
  plan.build = sweep::build_of(plan.kmd);
  plan.shards = shards_of(options, sweep::Design(plan.sweep).runs());
  plan.job = new_job_name();
  plan.replace = options.force;
  // Exactly the plan that other processes read, including number formats.
  return sweep::Plan::from_json(plan.to_json());
}

}  // namespace fenceline::cli
