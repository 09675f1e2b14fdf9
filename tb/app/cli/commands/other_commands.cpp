#include "tb/app/cli/commands/other_commands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/outputs/summary.h"
#include "tb/report/writers/narrative.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

constexpr std::uint64_t kExplainEvents = 2'000'000;  ///< events that explain keeps
constexpr std::size_t kExplainLines = 400;           ///< lines that explain prints

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

nlohmann::ordered_json entry_of(const std::string& path, const scenario::Scenario& scenario) {
  return {{"path", path},
          {"name", scenario.name},
          {"title", scenario.title},
          {"covers", scenario.covers},
          {"negatives", scenario.negatives}};
}

/// Runs one scenario and prints its story; returns the exit code.
int explain(const std::string& path, const Options& options, const Services& services,
            const Console& console) {
  Job job;
  job.file = path;
  job.scenario = std::make_shared<scenario::Scenario>(services.load(load_request(path, options)));
  job.request.seed = job.scenario->seed;
  job.request.stop_at = options.stop_at;
  job.request.policy = job.scenario->policy;
  job.request.kmd = options.kmd;
  job.kept_events = kExplainEvents;
  job.after = [](const report::RunReport& /*report*/, const report::Record& record,
                 Outcome& outcome) {
    outcome.latencies += "\nwhat happened\n";
    for (const std::string& line : report::tell(record.recorder, record.names, kExplainLines))
      outcome.latencies += "  " + line + "\n";
  };
  int code = kExitInterrupted;
  run_jobs({job}, options, services, console, [&](const Outcome& outcome) {
    print_details(outcome, console);
    code = outcome.exit_code;
  });
  return code;
}

}  // namespace

int validate_scenarios(const Options& options, const Services& services, const Console& console) {
  int code = kExitOk;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& file : expand_inputs(options.inputs)) {
    nlohmann::ordered_json entry{{"path", file}, {"valid", true}};
    try {
      const auto scenario = services.load(load_request(file, options));
      if (!options.quiet && !options.json) console.out << file << ": valid\n";
      entry["name"] = scenario.name;
    } catch (const scenario::ScenarioError& error) {
      code = kExitUsage;
      console.err << "fenceline: " << error.what() << '\n';
      entry["valid"] = false;
      entry["error"] = error.what();
    }
    list.push_back(std::move(entry));
  }
  if (options.json) console.out << list.dump(2) << '\n';
  return code;
}

int list_scenarios(const Options& options, const Services& services, const Console& console) {
  const std::vector<std::string> inputs =
      options.inputs.empty() ? std::vector<std::string>{shipped_scenarios()} : options.inputs;
  int code = kExitOk;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& file : expand_inputs(inputs)) {
    try {
      const scenario::Scenario scenario = services.load({file, std::nullopt, {}, std::nullopt});
      list.push_back(entry_of(file, scenario));
      if (options.json) continue;
      const std::string negatives = joined(scenario.negatives);
      console.out << fmt::format("{}\n    {}\n    shows {}{}{}\n", file, scenario.title,
                                 joined(scenario.covers), negatives.empty() ? "" : "; breaks ",
                                 negatives);
    } catch (const scenario::ScenarioError& error) {
      code = kExitUsage;
      console.err << "fenceline: " << error.what() << '\n';
    }
  }
  if (options.json) console.out << list.dump(2) << '\n';
  return code;
}

int print_schema(const Services& services, const Console& console) {
  const std::string text = services.schema();
  console.out << text;
  if (text.empty() || text.back() != '\n') console.out << '\n';
  return kExitOk;
}

int explain_scenarios(const Options& options, const Services& services, const Console& console) {
  const InterruptGuard guard;
  int code = kExitOk;
  for (const std::string& file : expand_inputs(options.inputs)) {
    code = worse_exit(code, explain(file, options, services, console));
    if (interrupted().load()) break;
  }
  return code;
}

}  // namespace fenceline::cli
