#include "tb/cli/option_groups.h"

#include <string>
#include <vector>

#include "models/abi/mutant.h"

namespace fenceline::cli {

namespace po = boost::program_options;

namespace {

void add_load_and_simulate(unsigned groups, po::options_description& all) {
  if constexpr (abi::kMutants)
    all.add_options()("mutant", po::value<std::string>()->value_name("M1..M26"),
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
      "which orders: all (default), or --executions random ones, which prove nothing")(
      "executions", text("N"), "give up after N runs; default: the scenario's")(
      "states", text("N"), "give up after N different states; default: the scenario's")(
      "bounds", text("LIST"),
      "how much of the scenario there is, such as signals=2,waiters=1; also queues, pending, "
      "interrupts")(
      "matrix", text("LIST")->implicit_value(""),
      "every subset of these ordering switches, separated by commas; --matrix alone: those that "
      "the "
      "scenario names")("about", text("LIST"),
                        "only these invariants count, such as I1,I2: whether a waiter is lost")(
      "keep-holds", "the scenario's holds bind the search")(
      "steps", text("coarse|shared|all"),
      "how small the steps of threads are; default: the scenario's, or all")(
      "verify", "search again without reductions and compare: slow, a check of the search itself")(
      "keep-states",
      "keep whole states beside hashes: a check of the search itself, in builds for it")(
      "resume", text("DIR"),
      "go on with the exploration whose folder has a checkpoint; without --out the folder is "
      "replaced")("jobs", text("N"), "processes at once; default: as many as there are cores")(
      "seconds", text("N"),
      "give up after about N seconds, the last third with random priorities; how far it gets then "
      "depends on the machine")(
      "stuck", text("SECONDS"),
      "a step that takes more CPU time does not come to an end; default: 10")(
      "out", text("DIR"), "write results and counterexamples to a new folder")(
      "force", "replace the folder of an earlier exploration");
}

void add_contain(unsigned groups, po::options_description& all) {
  all.add_options()("stuck", po::value<std::string>()->value_name("SECONDS"),
                    "a run that takes more CPU time without a step is ended as an endless loop; "
                    "default: 10");
  if ((groups & kReport) != 0)
    all.add_options()("jobs", po::value<std::string>()->value_name("N"),
                      "runs at once; default: as many as there are cores");
}

void add_report(unsigned groups, po::options_description& all) {
  all.add_options()("json", "print results as JSON")("quiet,q", "print less: a line a scenario");
  if ((groups & kBatch) == 0) return;
  all.add_options()("junit", po::value<std::string>()->value_name("FILE"),
                    "write one JUnit file for all scenarios")(
      "annotate", po::value<std::string>()->value_name("github|gitlab"),
      "tell a batch system what failed: GitHub by workflow commands on stderr, GitLab by the file "
      "gl-code-quality-report.json");
}

}  // namespace

po::options_description options_of(unsigned groups) {
  po::options_description all("Options");
  add_load_and_simulate(groups, all);
  if ((groups & kSoak) != 0) {
    all.add_options()("repeat", po::value<std::string>()->value_name("N"),
                      "run N times, with seeds counting up");
  }
  if ((groups & kSearch) != 0) add_search(all);
  if ((groups & kContain) != 0) add_contain(groups, all);
  if ((groups & kSweep) != 0) add_sweep_options(all);
  if ((groups & kByHand) != 0) {
    all.add_options()("keep-holds", "the scenario's holds bind the choices")(
        "kmd", po::value<std::string>()->value_name("FILE.so"),
        "load the driver from a shared library");
  }
  if ((groups & kWrite) != 0) {
    all.add_options()("out", po::value<std::string>()->value_name("DIR"),
                      "write the files of the run to a new folder")(
        "trace", po::value<std::string>()->value_name("LIST"),
        "none, all, or a list of events,vcd,perfetto,svg,log,fst,repro; default: all up to one "
        "million events")("force", "replace the folder of an earlier run");
  }
  if ((groups & kReport) != 0) add_report(groups, all);
  all.add_options()("verbose,v", "log more to stderr")(
      "no-progress", "no progress bar, even on a terminal")("help,h", "print this help");
  return all;
}

}  // namespace fenceline::cli
