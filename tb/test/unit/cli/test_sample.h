#pragma once

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/temp_folder.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::cli::sample {

namespace fs = std::filesystem;

/// The program with a loader and a simulator of the test's own, in a folder that goes away.
struct Program {
  Program() {
    services.load = [this](const LoadRequest& request) { return load(request); };
    services.run = [this](const scenario::Scenario& scenario,
                          const fenceline::run::RunOptions& request,
                          report::Record& record) { return run(scenario, request, record); };
    services.contain = fenceline::run::run_here;
    services.schema = [] { return std::string("{}"); };
  }
  /// A scenario file; its content is the exit code of its run, or "bad".
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name) << content;
    return (folder / name).string();
  }
  int operator()(const std::vector<std::string>& arguments) {
    out.str("");
    err.str("");
    return run_program(arguments, services, {out, err, false, false});
  }
  nlohmann::json json() const { return scenario::json_tree<nlohmann::json>(out.str()); }

  scenario::Scenario load(const LoadRequest& request) {
    loads.push_back(request);
    std::string content = request.text.value_or("");
    if (!request.text) std::getline(std::ifstream(request.path), content);
    if (content.empty() || content == "bad") {
      scenario::Diagnostic diagnostic;
      diagnostic.path = request.path;
      diagnostic.message = "is bad";
      throw scenario::ScenarioError(diagnostic);
    }
    scenario::Scenario scenario;
    scenario.name = fs::path(request.path).stem().string();
    scenario.title = "A title";
    scenario.covers = {"NF3"};
    scenario.description = content;
    scenario.seed = request.seed.value_or(7);
    scenario.effective_json =
        R"({"schema_version": 1, "name": "s", "processes": [{"name": "p"}], "programs":
        [{"thread": "t", "steps": [{"delay": "1us"}]}], "expect": {}, "description": ")" +
        content + "\"}";
    return scenario;
  }
  report::RunReport run(const scenario::Scenario& scenario,
                        const fenceline::run::RunOptions& request, report::Record& record) {
    runs.push_back(request);
    seeds.push_back(scenario.seed);
    report::sample::Run sample;
    record.attach(sample.stream);
    sample.now = 5'000'000;
    sample.stream.emit(1, event::SignalBegin{1, 1, 1, 1});
    report::RunReport report;
    report.end_time = 5'000'000;
    if (request.kmd == "missing.so") throw std::invalid_argument("no such driver");
    if (scenario.description == "throw") throw std::logic_error("broken inside");
    if (scenario.description == "interrupt") std::raise(SIGINT);
    report.exit_code = scenario.description.size() == 1 ? std::stoi(scenario.description) : 0;
    report.verdict = report.exit_code == 0 ? "pass" : report.exit_code == 3 ? "hang" : "violated";
    if (report.exit_code != 0) report.reasons = {"a reason"};
    if (report.exit_code == 1) report.violations = {{"I1", "NO_LOST_WAITER", "m", 1, 2, 1}};
    if (scenario.policy == scenario::PolicyKind::kRandom) report.choices = {{"cmp", "drain", 255}};
    record.finish(sample.stream, report);
    return report;
  }

  fenceline::support::TempFolder folder;
  Services services;
  std::ostringstream out, err;
  std::vector<LoadRequest> loads;
  std::vector<fenceline::run::RunOptions> runs;
  std::vector<std::uint64_t> seeds;  ///< of the scenarios that were run
};

}  // namespace fenceline::cli::sample
