// The program with drivers that crash, end the process or never return.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/program.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_contained_runs {

namespace fs = std::filesystem;
using fenceline::support::Result;

namespace {

const std::string kScenario =
    FENCELINE_SOURCE_DIR "/scenarios/combined/one_interrupt_for_both_kinds.json";
const std::string kOther = FENCELINE_SOURCE_DIR "/scenarios/combined/cpu_signal_of_64_bits.json";

using Folder = fenceline::support::TempFolder;

Result with_fault(const std::string& fault, const std::string& arguments) {
  return fenceline::support::run(arguments + " --kmd " FENCELINE_FATAL_KMD,
                                 "FENCELINE_FATAL=" + fault);
}

nlohmann::json json_of(const fs::path& file) { return nlohmann::json::parse(std::ifstream(file)); }

}  // namespace

TEST_CASE("a driver that crashes ends its run with 1 and a verdict and a folder", "[contained]") {
  const Folder folder;
  for (const auto& [fault, verdict, reason] :
       {std::tuple{"crash", "crash", "SIGABRT, in DxgkDdiInterruptRoutine of gpu0"},
        {"exit", "crash", "exit code 7"},
        {"quit", "crash", "exit code 0, in DxgkDdiInterruptRoutine of gpu0"},
        {"start", "crash", "SIGABRT, in DxgkDdiStartDevice of gpu0"},
        {"loop", "endless_loop", "no step for 1 s of CPU time, in DxgkDdiInterruptRoutine"}}) {
    const fs::path out = folder.path() / fault;
    const Result result =
        with_fault(fault, "run " + kScenario + " --stuck 1 --out " + out.string());
    INFO(result.output);
    CHECK(result.exit_code == 1);
    CHECK(result.output.find(reason) != std::string::npos);
    const nlohmann::json json = json_of(out / "result.json");
    CHECK(json["verdict"] == verdict);
    CHECK(json["ending"] == verdict);
    CHECK(json["exit_code"] == 1);
    CHECK(fs::exists(out / "junit.xml"));
    CHECK(fs::exists(out / "repro.json"));
  }
}

TEST_CASE("a crash of one scenario does not take the others with it", "[contained]") {
  const Result result = with_fault("crash", "run --json " + kScenario + " " + kOther);
  CHECK(result.exit_code == 1);
  const auto list = fenceline::scenario::json_tree<nlohmann::json>(result.output);
  REQUIRE(list.size() == 2);
  CHECK(list[0]["verdict"] == "crash");
  CHECK(list[1]["verdict"] != "");
}

TEST_CASE("a crash is replayed and is not reproduced by a driver without it", "[contained]") {
  const Folder folder;
  const std::string repro = (folder.path() / "out" / "repro.json").string();
  with_fault("crash", "run " + kScenario + " --out " + (folder.path() / "out").string());
  const Result again = with_fault("crash", "replay " + repro);
  CHECK(again.exit_code == 1);
  CHECK(again.output.find(": reproduced (crash)") != std::string::npos);
  const Result mended = with_fault("nothing", "replay " + repro);
  CHECK(mended.exit_code == 1);
  CHECK(mended.output.find("not reproduced (was crash, now pass)") != std::string::npos);
}

TEST_CASE("manual steps and explanations run in a process of their own", "[contained]") {
  const Result stepped = with_fault("crash", "step " + kScenario + " </dev/null");
  CHECK(stepped.exit_code == 1);
  CHECK(stepped.output.find("verdict     crash") != std::string::npos);
  const Result told = with_fault("loop", "explain --stuck 1 " + kScenario);
  CHECK(told.exit_code == 1);
  CHECK(told.output.find("verdict     endless_loop") != std::string::npos);
}

TEST_CASE("a signal ends an endless loop of a driver within a second", "[contained]") {
  const Folder folder;
  const std::string out = (folder.path() / "out").string();
  for (const char* signal : {"INT", "TERM"}) {
    const std::string command = std::string("timeout --preserve-status -s ") + signal +
                                " 1 env FENCELINE_FATAL=loop " + FENCELINE_PROGRAM " run " +
                                kScenario + " --kmd " FENCELINE_FATAL_KMD " --out " + out +
                                " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(fs::is_empty(folder.path()));
  }
}

}  // namespace fenceline::system_tests::test_contained_runs
