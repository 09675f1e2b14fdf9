#include "tb/app/cli/option_groups.h"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "models/abi/mutant.h"
#include "tb/generate/constraints.h"

namespace fenceline::cli {

namespace po = boost::program_options;

namespace {

void add_load_and_simulate(unsigned groups, po::options_description& all) {
  if constexpr (abi::kMutants)
    all.add_options()("mutant", po::value<std::string>()->value_name("NAME"),
                      "put a fault into the model");
  if ((groups & kLoad) != 0) {
    all.add_options()("set", po::value<std::vector<std::string>>()->value_name("POINTER=VALUE"),
                      "replace the value at a JSON pointer of the scenario; may be repeated");
  }
  if ((groups & kSimulate) != 0) {
    all.add_options()("seed", po::value<std::string>()->value_name("N"),
                      "seed of random choices; default: the scenario's")(
        "policy", po::value<std::string>()->value_name("timing|random"),
        "how orders are chosen; default: the scenario's")(
        "stop-at", po::value<std::string>()->value_name("TIME"),
        "end the run at a simulated time such as 2ms");
  }
  if ((groups & kDriver) != 0) {
    all.add_options()("kmd", po::value<std::string>()->value_name("FILE.so"),
                      "load the driver from a shared library");
  }
}

void add_search(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  all.add_options()(
      "search", text("systematic|pct|random"),
      "search strategy: all orders (default), or --executions random orders, which prove nothing")(
      "executions", text("N"), "give up after N runs; default: the scenario's")(
      "states", text("N"), "give up after N different states; default: the scenario's")(
      "bounds", text("LIST"),
      "size limits of the scenario, such as signals=2,waiters=1; also queues, pending, interrupts")(
      "matrix", text("LIST")->implicit_value(""),
      "explore every subset of these ordering switches, separated by commas; --matrix alone: the "
      "switches that the scenario names")(
      "about", text("LIST"),
      "check only these invariants, for example I1,I2 for lost waiters; default: all")(
      "keep-holds", "keep the holds of the scenario")(
      "steps", text("coarse|shared|all"), "step size of threads; default: the scenario's, or all")(
      "verify", "search again without reductions and compare: slow, a check of the search itself")(
      "keep-states",
      "keep whole states in addition to hashes: a check of the search itself; special builds only")(
      "resume", text("DIR"),
      "resume the exploration with a checkpoint in this folder; without --out the folder is "
      "replaced")("jobs", text("N"), "concurrent processes; default: number of cores")(
      "seconds", text("N"),
      "give up after about N seconds, the last third with random priorities; the result then "
      "depends on the machine")(
      "stuck", text("SECONDS"),
      "CPU time after which a step counts as an endless loop; default: 10")(
      "out", text("DIR"), "write results and counterexamples to a new folder")(
      "force", "replace the folder of an earlier exploration");
}

void add_contain(unsigned groups, po::options_description& all) {
  all.add_options()("stuck", po::value<std::string>()->value_name("SECONDS"),
                    "CPU time without a step after which a run is ended as an endless loop; "
                    "default: 10");
  if ((groups & kReport) != 0)
    all.add_options()("jobs", po::value<std::string>()->value_name("N"),
                      "concurrent runs; default: number of cores");
}

/// Options of all commands that make scenarios.
void add_constraints(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  all.add_options()("seed", text("N"), "seed of the first scenario; default: 1")(
      "constraints", text("FILE"), "constraints of what is generated")(
      "preset", text("NAME"),
      fmt::format("built-in constraints: {}", fmt::join(generate::preset_names(), ", ")).c_str());
}

void add_generate(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add_constraints(all);
  all.add_options()("count", text("N"), "write N scenarios, with consecutive seeds; needs --out")(
      "schema", "print the JSON schema of constraint files")(
      "out", text("DIR"), "write the scenarios to files of this folder")(
      "force", "replace files of the folder");
}

void add_shrink(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  all.add_options()("seed", text("N"), "seed of random choices; default: the scenario's")(
      "reference", "a difference from the reference is a failure, too")(
      "out", text("FILE"), "write the scenario to this file; default: print it")(
      "policy", text("search"),
      "all orders of each scenario are searched; default: its own policy")(
      "executions", text("N"), "a search gives up after N runs; default: 200000")(
      "states", text("N"), "a search gives up after N states; default: 100000")(
      "time", text("TIME"),
      "stop after this time of the machine, such as 60s, with the smallest scenario so far")(
      "jobs", text("N"), "concurrent runs; default: number of cores");
}

void add_campaign(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add_constraints(all);
  all.add_options()("runs", text("N"), "number of runs, with consecutive seeds; default: 1000")(
      "time", text("TIME"), "begin no more runs after this time of the machine, such as 120s")(
      "policy", text("timing|random|search"),
      "how orders are chosen: one by the timing (default), one at random, or all of them")(
      "executions", text("N"), "a search gives up after N runs; default: 200000")(
      "states", text("N"), "a search gives up after N states; default: 100000")(
      "steer", "what takes part in holes of the coverage so far occurs more often")(
      "out", text("DIR"), "write results and shrunk scenarios to a new folder")(
      "force", "replace the folder of an earlier campaign");
  add_engine_options("campaign", all);
}

void add_bite(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  all.add_options()("time", text("TIME"),
                    "give a target up after this time of the machine, such as 60s; default: 600s, "
                    "or no limit with --runs")("runs", text("N"), "give a target up after N runs")(
      "only", text("LIST"),
      "only these targets, or all of a wrong part such as switch, separated by commas")(
      "list", "print the targets")("out", text("DIR"),
                                   "write results and the smallest scenarios to a new folder")(
      "force", "replace the folder of an earlier bite");
}

void add_report(unsigned groups, po::options_description& all) {
  all.add_options()("json", "print results as JSON")("quiet,q",
                                                     "print less: one line per scenario");
  if ((groups & kBatch) == 0) return;
  all.add_options()("junit", po::value<std::string>()->value_name("FILE"),
                    "write one JUnit file for all scenarios")(
      "annotate", po::value<std::string>()->value_name("github|gitlab"),
      "report failures to a batch system: GitHub by workflow commands on stderr, GitLab by the "
      "file "
      "gl-code-quality-report.json");
}

}  // namespace

po::options_description options_of(unsigned groups) {
  po::options_description all("Options");
  add_load_and_simulate(groups, all);
  if ((groups & kSoak) != 0) {
    all.add_options()("repeat", po::value<std::string>()->value_name("N"),
                      "run N times, with consecutive seeds");
  }
  if ((groups & kSearch) != 0) add_search(all);
  if ((groups & kContain) != 0) add_contain(groups, all);
  if ((groups & kSweep) != 0) add_sweep_options(all);
  if ((groups & kShrink) != 0) add_shrink(all);
  if ((groups & kCampaign) != 0) add_campaign(all);
  if ((groups & kBite) != 0) add_bite(all);
  if ((groups & kGenerate) != 0) add_generate(all);
  if ((groups & kCover) != 0) all.add_options()("holes", "list what no run has covered");
  if ((groups & kCompare) != 0)
    all.add_options()("all", "print every difference; default: the first ones of each section")(
        "html", po::value<std::string>()->value_name("FILE"),
        "write a page with both runs on one time axis");
  if ((groups & kByHand) != 0) {
    all.add_options()("keep-holds", "keep the holds of the scenario")(
        "kmd", po::value<std::string>()->value_name("FILE.so"),
        "load the driver from a shared library");
  }
  if ((groups & kWrite) != 0) {
    all.add_options()("out", po::value<std::string>()->value_name("DIR"),
                      "write the files of the run to a new folder")(
        "trace", po::value<std::string>()->value_name("LIST"),
        "none, all, or a list of events,vcd,perfetto,svg,html,fences,log,fst,repro; default: all "
        "up "
        "to one million events")("window", po::value<std::string>()->value_name("FROM..TO"),
                                 "draw this part of the run in timeline.svg, as 10us..25us")(
        "force", "replace the folder of an earlier run");
  }
  if ((groups & kReport) != 0) add_report(groups, all);
  if ((groups & kLive) != 0)
    all.add_options()("live", "serve a page with the progress to browsers of this machine");
  all.add_options()("verbose,v", "log more to stderr")(
      "no-progress", "no progress bar, even on a terminal")("help,h", "print this help");
  return all;
}

}  // namespace fenceline::cli
