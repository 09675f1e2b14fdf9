#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/services.h"
#include "tb/explore/walk.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_step {

namespace cli = fenceline::cli;
namespace explore = fenceline::explore;
namespace scenario = fenceline::scenario;
namespace fs = std::filesystem;

namespace {

std::string litmus(const std::string& name) {
  return std::string(FENCELINE_SOURCE_DIR) + "/scenarios/litmus/" + name + ".json";
}

/// `fenceline step` with lines from a script; in a folder that goes away.
struct Program {
  int step(const std::string& name, const std::string& script,
           const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"step", litmus(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments, script);
  }
  int run(const std::vector<std::string>& arguments, const std::string& script = "") {
    std::istringstream in(script);
    std::ostringstream to_out, to_err;
    cli::Services services = cli::program_services();
    services.contain = fenceline::run::run_here;  // what another process writes is not heard here
    const int code = cli::run_program(arguments, services, {to_out, to_err, false, false, &in});
    out = to_out.str();
    err = to_err.str();
    return code;
  }
  bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
  std::size_t count(const std::string& text) const {
    std::size_t found = 0;
    for (auto at = out.find(text); at != std::string::npos; at = out.find(text, at + 1)) ++found;
    return found;
  }

  fenceline::support::TempFolder folder;
  std::string out, err;
};

/// The waiter of P02 is lost: the engine looks while the shadow is still in the CMP's FIFO.
constexpr const char* kLost =
    "T0\nT0\nT0\nT0\nT0\nT0\nT0\ngpu0.pcie.down\nT0\ngpu0.pcie.down\ngpu0.cmp\ngpu0.cmp\ngpu0."
    "cmp\ngpu0."
    "cmp\nT0\n"
    "T0\nE.submit\nE.submit\ngpu0.pcie.down\ngpu0.compute0\ngpu0.compute0.vram0\ngpu0."
    "compute0\ngpu0."
    "compute0\n";

}  // namespace

TEST_CASE("without a line the run ends in the default order and is judged as run does", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  CHECK(program.step("P01_sb_full", "") == 0);
  CHECK(program.says("verdict     pass"));
  CHECK(program.says("* E.submit: begin - begins the next part of its program"));
  CHECK(program.step("P02_sb_no_cmp_barrier", "") == 1);
  CHECK(program.says("verdict     fail"));
}

TEST_CASE("choices by name lead to the lost waiter", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  CHECK(program.step("P02_sb_no_cmp_barrier", kLost) == 0);
  CHECK(program.says("gpu0.compute0 reads the shadow MonitoredValue none of F"));
  CHECK(program.says("broken I1: "));
  CHECK(program.says("broken      I1 NO_LOST_WAITER"));
}

TEST_CASE("a listed choice does what its line says", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  program.step("P02_sb_no_cmp_barrier", "g 4\n1\n");
  CHECK(program.says("* gpu0.compute0.vram0: drain - CurrentValue of F is 1"));
  CHECK(program.says("    5> gpu0.compute0.vram0: CurrentValue of F is 1"));
}

TEST_CASE("going back takes nothing with it", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  program.step("P02_sb_no_cmp_barrier", "");
  const std::string straight = program.out.substr(program.out.find("the run is over"));
  program.step("P02_sb_no_cmp_barrier", "2\n2\nw\nb\nb\ng 4\nr\nn\n\nb\n");
  CHECK(program.out.substr(program.out.find("the run is over")) == straight);
  program.step("P02_sb_no_cmp_barrier", "b\nr\n");
  CHECK(program.count("this is the first choice\n") == 2);
}

TEST_CASE("the last step can be taken back at the end of the run", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  CHECK(program.step("P02_sb_no_cmp_barrier", std::string(kLost) + "b\ngpu0.compute0\n\n") == 0);
  CHECK(program.count("the run is over after 24 steps") == 2);
  CHECK(program.count("broken I1: ") == 2);
  CHECK(program.count("verdict  ") == 1);
}

TEST_CASE("a line that is not understood says what was expected and changes nothing", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  program.step("P02_sb_no_cmp_barrier", "");
  const std::string straight = program.out.substr(program.out.find("the run is over"));
  program.step("P02_sb_no_cmp_barrier", "0\n3\n-1\nnobody\n99999999999999999999\ng\ng x\ns\n");
  CHECK(program.count("expected the number or name of an agent of the list") == 5);
  CHECK(program.count("g: expected a number of choices") == 2);
  CHECK(program.count("s: expected a file name") == 1);
  CHECK(program.out.substr(program.out.find("the run is over")) == straight);
}

TEST_CASE("the list of waiting agents is available at any choice", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  program.step("P02_sb_no_cmp_barrier", "T0\nT0\nT0\nT0\nT0\nT0\nT0\nw\n");
  CHECK(program.says("  thread T0 waits for F >= 1\n"));
  CHECK(program.says("  agent gpu0.pcie.down stands before drain\n"));
}

TEST_CASE("leaving before the end gives no verdict", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  CHECK(program.step("P02_sb_no_cmp_barrier", "n\nq\n") == 0);
  CHECK(program.says("left before the end: nothing is judged"));
  CHECK_FALSE(program.says("verdict"));
}

TEST_CASE("a saved run replays and the dialogue continues", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const std::string file = (program.folder / "lost.json").string();
  program.step("P02_sb_no_cmp_barrier", std::string(kLost) + "s " + file + "\ns " + file + "\nq\n");
  CHECK(program.says("saved " + file + ": "));
  CHECK(program.says("not saved: " + file + " is there already"));
  CHECK(program.count("the run is over after 24 steps") == 3);
  const auto saved = nlohmann::json::parse(std::ifstream(file));
  CHECK(saved.at("invariants").dump().find("I1") != std::string::npos);
  CHECK(program.run({"replay", file}) == 0);
  CHECK(program.err == file + ": reproduced (pass)\n");
}

TEST_CASE("the files of a run by hand are those of a run", "[step]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const fs::path out = program.folder / "run";
  program.step("P02_sb_no_cmp_barrier", kLost, {"--out", out.string(), "--trace", "log"});
  CHECK(fs::exists(out / "result.json"));
  CHECK(fs::exists(out / "log.txt"));
}

TEST_CASE("only one scenario is stepped at a time", "[step]") {
  Program program;
  CHECK(program.run({"step", litmus("P01_sb_full"), litmus("P14_spurious_ok")}) == 2);
  CHECK(program.err.find("one scenario at a time") != std::string::npos);
}

TEST_CASE("a walk knows the way that leads to it", "[step]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = scenario::load(litmus("P14_spurious_ok"), {});
  explore::Stage stage(scenario, "", 20'000, explore::Memory::kCheckers);
  stage.play([&] {
    explore::Walk walk(stage);
    while (!walk.ways().empty()) walk.take(walk.ways().size() - 1);
    const std::vector<std::string> trace = walk.trace();
    const std::vector<std::size_t> taken = walk.taken();
    walk.restart();
    for (const std::size_t way : taken) walk.take(way);
    CHECK(walk.trace() == trace);
    CHECK(walk.ways().empty());
  });
}

}  // namespace fenceline::system_tests::test_step
