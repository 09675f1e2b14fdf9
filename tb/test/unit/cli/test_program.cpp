#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/app/cli/outputs/summary.h"
#include "tb/report/writers/fst.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/page_shell.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli_tests::test_program {

namespace cli = fenceline::cli;
namespace report = fenceline::report;
namespace fs = std::filesystem;
using fenceline::cli::sample::Program;

TEST_CASE("a run without a page says why", "[cli]") {
  Program program;
  program.services.run = [&](const auto& scenario, const auto& request, report::Record& record) {
    report::RunReport made = program.run(scenario, request, record);
    made.end_time = report::kPageEndTime;
    return made;
  };
  const std::string out = (program.folder / "out").string();
  CHECK(program({"run", program.file("s.json", "0"), "--out", out, "--trace", "html"}) == 0);
  const std::string why = report::run_page().shell.empty() ? "was built without esbuild" : "2.5 h";
  CHECK(program.out.str().find(" (no report.html: ") < program.out.str().find(why));
  CHECK(program.out.str().find(why) != std::string::npos);
  CHECK_FALSE(fs::exists(out + "/report.html"));
}

TEST_CASE("help and version exit with 0", "[cli]") {
  Program program;
  CHECK(program({"--help"}) == 0);
  CHECK(program.out.str().find("validate") != std::string::npos);
  CHECK(program({"run", "--help"}) == 0);
  CHECK(program.out.str().find("--stop-at") != std::string::npos);
  CHECK(program({"help", "run"}) == 0);
  CHECK(program({"--version"}) == 0);
  CHECK(program.out.str().rfind("fenceline ", 0) == 0);
}

TEST_CASE("wrong usage exits with 2 and says what is wrong", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "no command"},
      {{"rnu", good}, "did you mean \"run\"?"},
      {{"swep", good}, "did you mean \"sweep\"?"},
      {{"run"}, "no input"},
      {{"run", good, "--sead", "3"}, "did you mean \"--seed\"?"},
      {{"run", good, "--seed", "-3"}, "whole number"},
      {{"run", good, "--seed", "99999999999999999999"}, "whole number"},
      {{"run", good, "--seed"}, "seed"},
      {{"run", good, "--stop-at", "5"}, "--stop-at"},
      {{"run", good, "--policy", "fast"}, "neither timing nor random"},
      {{"run", good, "--out", "x", "--trace", "vdc"}, "vdc"},
      {{"run", good, "--trace", "vcd"}, "--trace needs --out"},
      {{"run", good, "--out", "x", "--window", "5us"}, "is not FROM..TO"},
      {{"run", good, "--out", "x", "--window", "5us..5us"}, "does not end after its begin"},
      {{"run", good, "--out", "x", "--window", "5..7us"}, "--window"},
      {{"run", good, "--window", "5us..7us"}, "--window goes with --out"},
      {{"run", good, "--out", "x", "--trace", "vcd", "--window", "5us..7us"}, "needs svg"},
      {{"run", good, "--set", "seed=4"}, "POINTER=VALUE"},
      {{"run", good, "--repeat", "0"}, "--repeat"},
      {{"run", good, "--kmd", ""}, "--kmd"},
      {{"run", good, "--junit", ""}, "--junit"},
      {{"run", good, "--stuck", "0"}, "--stuck"},
      {{"explore", good, "--search", "dice"}, "--search"},
      {{"explore", good, "--jobs", "0"}, "--jobs"},
      {{"explore", good, "--stuck", "0"}, "--stuck"},
      {{"explore", good, "--search", "pct", "--verify"}, "--verify"},
      {{"run", good, "--force"}, "--force"},
      {{"run", good, "-q", "-v"}, "exclude"},
      {{"run", (program.folder / "no*.json").string()}, "nothing matches"},
      {{"validate", good, "--out", "x"}, "has no option --out"},
      {{"schema", good}, "takes no file"},
  };
  for (const auto& [arguments, message] : cases) {
    INFO(message);
    CHECK(program(arguments) == 2);
    CHECK(program.err.str().find(message) != std::string::npos);
    CHECK(program.out.str().empty());
  }
  CHECK(program.runs.empty());
}

TEST_CASE("wrong usage of a sweep exits with 2 and says what is wrong", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"sweep"}, "no input"},
      {{"sweep", good, good + "2"}, "takes one scenario"},
      {{"sweep", good, "--vary", "a=1"}, "POINTER=VALUES"},
      {{"sweep", good, "--vary", "/a=1..4*1"}, "at least 2"},
      {{"sweep", good, "--design", "grid"}, "neither cartesian, list nor random"},
      {{"sweep", good, "--points", "0"}, "--points"},
      {{"sweep", good, "--seeds", "x"}, "--seeds"},
      {{"sweep", good, "--shards", "0"}, "--shards"},
      {{"sweep", good, "--engine", "lsf"}, "neither local, slurm nor command"},
      {{"sweep", good, "--engine", "command"}, "needs --submit-template"},
      {{"sweep", good, "--engine", "command", "--submit-template", "true"}, "no {worker}"},
      {{"sweep", good, "--submit-template", "true"}, "goes with --engine command"},
      {{"sweep", good, "--submit-option", "-p x"}, "goes with --engine slurm"},
      {{"sweep", good, "--engine", "slurm"}, "goes with --out"},
      {{"sweep", good, "--plan"}, "goes with --out"},
      {{"sweep", good, "--json"}, "goes with --out"},
      {{"sweep", good, "--at-once", "2"}, "--at-once"},
      {{"sweep", good, "--shard", "1/2"}, "goes with --worker"},
      {{"sweep", good, "--worker", "x"}, "no scenario"},
      {{"sweep", "--worker", "x", "--seeds", "2"}, "no --seeds"},
      {{"sweep", "--worker", "/nowhere"}, "has no plan.json"},
      {{"sweep", "--resume", "/nowhere"}, "has no plan.json"},
      {{"sweep", "--resume", "x", "--seeds", "2"}, "--resume takes the sweep as it was begun"},
  };
  for (const auto& [arguments, message] : cases) {
    INFO(message);
    CHECK(program(arguments) == 2);
    CHECK(program.err.str().find(message) != std::string::npos);
    CHECK(program.out.str().empty());
  }
}

TEST_CASE("a run gives its own exit code and details", "[cli]") {
  Program program;
  CHECK(program({"run", program.file("good.json", "0")}) == 0);
  CHECK(program.out.str().find("verdict     pass") != std::string::npos);
  CHECK(program({"run", program.file("fail.json", "1")}) == 1);
  CHECK(program.out.str().find("a reason") != std::string::npos);
  CHECK(program.out.str().find("NO_LOST_WAITER") != std::string::npos);
  CHECK(program({"run", program.file("hang.json", "3")}) == 3);
  CHECK(program({"run", program.file("bad.json", "bad")}) == 2);
  CHECK(program.err.str().find("is bad") != std::string::npos);
  CHECK(program({"run", program.file("kmd.json", "0"), "--kmd", "missing.so"}) == 2);
  CHECK(program({"explain", program.file("kmd.json", "0"), "--kmd", "missing.so"}) == 2);
  CHECK(program({"run", program.file("throw.json", "throw")}) == 4);
  CHECK(program.err.str().find("broken inside") != std::string::npos);
}

TEST_CASE("of several runs the most serious exit code counts", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), hang = program.file("hang.json", "3"),
                    fail = program.file("fail.json", "1"), bug = program.file("t.json", "throw");
  CHECK(program({"run", good, hang}) == 3);
  CHECK(program({"run", fail, hang, good}) == 1);
  CHECK(program({"run", fail, bug, good}) == 4);
  CHECK(program.out.str().find("1 of 3 as expected") != std::string::npos);
  CHECK(cli::worse_exit(130, 4) == 130);
  CHECK(cli::worse_exit(1, 2) == 2);
}

TEST_CASE("folders and patterns name several scenarios", "[cli]") {
  Program program;
  program.file("b.json", "0");
  program.file("a.json", "0");
  program.file("note.txt", "bad");
  fs::create_directory(program.folder / "schema");
  program.file("schema/s.json", "bad");
  CHECK(program({"run", program.folder.path().string()}) == 0);
  REQUIRE(program.loads.size() == 2);
  CHECK(fs::path(program.loads[0].path).filename() == "a.json");
  CHECK(program({"run", (program.folder / "*.json").string()}) == 0);
  CHECK(program.runs.size() == 4);
}

TEST_CASE("options reach the loader and the simulator", "[cli]") {
  Program program;
  CHECK(program({"run", program.file("good.json", "0"), "--seed=5", "--stop-at", "2us", "--policy",
                 "random", "--kmd", "driver.so", "--set", "/a=1", "--set", "/b=x=y"}) == 0);
  REQUIRE(program.loads.size() == 1);
  CHECK(program.loads[0].overrides ==
        std::vector<std::string>{"/a=1", "/b=x=y", "/policy=\"random\""});
  REQUIRE(program.runs.size() == 1);
  CHECK(program.runs[0].seed == 5);
  CHECK(program.runs[0].stop_at == std::uint64_t{2'000'000});
  CHECK(program.runs[0].kmd == "driver.so");
}

TEST_CASE("a soak counts seeds up from the first", "[cli]") {
  Program program;
  const std::string out = (program.folder / "soak").string();
  CHECK(program({"run", program.file("good.json", "0"), "--repeat", "3", "--out", out}) == 0);
  REQUIRE(program.runs.size() == 3);
  CHECK(program.runs[0].seed == 7);
  CHECK(program.runs[2].seed == 9);
  CHECK(program.seeds == std::vector<std::uint64_t>{7, 8, 9});
  CHECK(fs::exists(fs::path(out) / "good-seed9" / "result.json"));
}

TEST_CASE("the files of a run go to a new folder only", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const fs::path out = program.folder / "out";
  CHECK(program({"run", good, "--out", out.string()}) == 0);
  for (const char* name : {"config.json", "result.json", "stats.json", "junit.xml", "events.csv",
                           "waves.vcd", "timeline.svg", "trace.pftrace", "log.txt", "host.json"}) {
    INFO(name);
    CHECK(fs::exists(out / name));
  }
  CHECK_FALSE(fs::exists(out / "repro.json"));
  CHECK(program({"run", good, "--out", out.string()}) == 2);
  CHECK(program.err.str().find("--force") != std::string::npos);
  CHECK(program({"run", good, "--out", out.string(), "--force", "--trace", "none"}) == 0);
  CHECK_FALSE(fs::exists(out / "events.csv"));
  CHECK(program({"run", good, "--out", out.string(), "--force", "--trace", "events,log"}) == 0);
  CHECK(fs::exists(out / "events.csv"));
  CHECK_FALSE(fs::exists(out / "waves.vcd"));
}

TEST_CASE("fst replaces vcd unless both are asked for", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const fs::path out = program.folder / "out";
  const int expected = report::can_write_fst() ? 0 : 2;
  CHECK(program({"run", good, "--out", out.string(), "--trace", "fst"}) == expected);
  CHECK(fs::exists(out / "waves.fst") == (expected == 0));
  CHECK_FALSE(fs::exists(out / "waves.vcd"));
}

TEST_CASE("without an output folder nothing is written", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const auto entries = std::distance(fs::directory_iterator(program.folder), {});
  CHECK(program({"run", good}) == 0);
  CHECK(std::distance(fs::directory_iterator(program.folder), {}) == entries);
  CHECK(program.out.str().find("--out DIR") != std::string::npos);
}

TEST_CASE("a full disk ends with 4 and leaves nothing", "[cli]") {
  Program program;
  const fs::path disk = program.folder / "disk";
  fs::create_directory(disk);
  // A tiny disk in a mount namespace of this process; without the right to it, a limit on files.
  std::string reason = "No space left";
  const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                       ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") == 0;
  const std::string good = program.file("good.json", "0");
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (!mounted) {
    reason = "File too large";
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  const int code = program({"run", good, "--out", (disk / "run").string()});
  ::setrlimit(RLIMIT_FSIZE, &limit);
  CHECK(code == 4);
  CHECK(program.err.str().find(reason) != std::string::npos);
  CHECK(fs::is_empty(disk));
  if (mounted) ::umount(disk.c_str());
}

TEST_CASE("results as json are one document or one list", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), fail = program.file("fail.json", "1");
  CHECK(program({"run", fail, "--json"}) == 1);
  CHECK(program.json()["violations"][0]["invariant"] == "I1");
  CHECK(program({"run", good, fail, program.file("t.json", "throw"), "--json"}) == 4);
  REQUIRE(program.json().size() == 3);
  CHECK(program.json()[0]["verdict"] == "pass");
  CHECK(program.json()[2]["error"] == "broken inside");
}

TEST_CASE("a failed run can be replayed from its repro file", "[cli]") {
  Program program;
  const fs::path out = program.folder / "out";
  CHECK(program({"run", program.file("fail.json", "1"), "--seed", "11", "--out", out.string()}) ==
        1);
  const std::string repro = (out / "repro.json").string();
  REQUIRE(fs::exists(repro));
  // The test's loader takes a plain word, so hand it what the effective scenario holds.
  program.services.load = [&](const cli::LoadRequest& request) {
    cli::LoadRequest plain = request;
    plain.text = fenceline::scenario::json_tree<nlohmann::json>(*request.text)["description"]
                     .get<std::string>();
    return program.load(plain);
  };
  CHECK(program({"replay", repro}) == 1);
  CHECK(program.runs.back().seed == 11);
  CHECK(program.err.str().find("reproduced (violated)") != std::string::npos);
  CHECK(program({"replay", program.file("x.json", "[1]")}) == 2);
  std::string changed = [&] {
    std::stringstream text;
    text << std::ifstream(repro).rdbuf();
    return text.str();
  }();
  changed.replace(changed.find("\"violated\""), 10, "\"hang\"");
  CHECK(program({"replay", program.file("other.json", changed)}) == 1);
  CHECK(program.err.str().find("not reproduced (was hang, now violated)") != std::string::npos);
  CHECK(program({"replay", (program.folder / "missing.json").string()}) == 2);
}

TEST_CASE("an interrupt ends the runs with 130 and no folder", "[cli]") {
  Program program;
  const fs::path out = program.folder / "out";
  CHECK(program({"run", program.file("a.json", "interrupt"), program.file("b.json", "0"), "--out",
                 out.string()}) == 130);
  CHECK(program.runs.size() == 1);
  CHECK_FALSE(fs::exists(out / "a"));
}

TEST_CASE("validate and list and schema and explain", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), bad = program.file("bad.json", "bad");
  CHECK(program({"validate", good}) == 0);
  CHECK(program({"validate", good, bad}) == 2);
  CHECK(program.out.str().find("good.json: valid") != std::string::npos);
  CHECK(program.err.str().find("is bad") != std::string::npos);
  CHECK(program({"validate", bad, "--json"}) == 2);
  CHECK(program.json()[0]["valid"] == false);
  CHECK(program({"list", good}) == 0);
  CHECK(program.out.str().find("shows NF3") != std::string::npos);
  CHECK(program({"schema"}) == 0);
  CHECK(program.json().is_object());
  CHECK(program({"switches"}) == 0);
  CHECK(program.out.str().find("cmp.mv_barrier") != std::string::npos);
  CHECK(program({"switches", "--json"}) == 0);
  CHECK(program.json()[0]["values"][0]["value"] == "off");
  CHECK(program({"invariants"}) == 0);
  CHECK(program.out.str().find("I1 NO_LOST_WAITER\n    At quiescence") != std::string::npos);
  CHECK(program({"invariants", "--json"}) == 0);
  CHECK(program.json()[0]["rows"] == "NF3 NF4 NF5 NF10 MF2 MF4");
  CHECK(program({"events"}) == 0);
  CHECK(program.out.str().find("    c[39:32]: kind\n") != std::string::npos);
  CHECK(program({"events", "--json"}) == 0);
  CHECK(program.json()[0]["fields"][0] ==
        nlohmann::json{{"name", "fence"}, {"place", "object"}, {"names", "fence"}});
  CHECK(program({"explain", good}) == 0);
  CHECK(program.out.str().find("what happened") != std::string::npos);
  CHECK(program.out.str().find("begins signal 1: app/frame to 1") != std::string::npos);
}

TEST_CASE("times are printed with suitable units", "[cli]") {
  CHECK(cli::readable_time(0) == "0 ps");
  CHECK(cli::readable_time(999) == "999 ps");
  CHECK(cli::readable_time(1'500) == "1.500 ns");
  CHECK(cli::readable_time(2'000'000) == "2 us");
  CHECK(cli::readable_time(12'345'678'901) == "12.345 ms");
}

}  // namespace fenceline::cli_tests::test_program
