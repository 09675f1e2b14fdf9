#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/test/support/can_explore.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_explore_program {

namespace fs = std::filesystem;

namespace {

/// The program in a folder that goes away.
struct Program {
  /// Runs it by the shell; its exit code. `text` gets what it prints.
  int operator()(const std::string& arguments) {
    text.clear();
    std::FILE* pipe = ::popen((FENCELINE_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      text.append(buffer.data(), got);
    return WEXITSTATUS(::pclose(pipe));
  }
  bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  fenceline::support::TempFolder folder;
  std::string text;
};

std::string litmus(const std::string& name) {
  return FENCELINE_SOURCE_DIR "/scenarios/litmus/" + name + ".json";
}

}  // namespace

TEST_CASE("a crash that was found replays in a process of its own", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const std::string kmd = " --kmd " FENCELINE_FATAL_KMD;
  ::setenv("FENCELINE_FATAL", "crash", 1);
  CHECK(program("explore " + litmus("P06_drop_both") + kmd + " --out " + program.path("out")) == 1);
  CHECK(program.says("CRASH"));
  const std::string repro = program.path("out") + "/CRASH.repro.json";
  CHECK(program("replay " + repro + kmd) == 1);
  CHECK(program.says(": reproduced (crash)"));
  ::setenv("FENCELINE_FATAL", "", 1);
  program("replay " + repro + kmd);
  CHECK(program.says("not reproduced (was CRASH"));
}

TEST_CASE("an exploration that was interrupted goes on from its folder", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const std::string scenario = litmus("P09_log_two_barrier");
  const std::string out = program.path("out");
  const std::string quick = " --no-progress --jobs 2 ";
  CHECK(program("explore " + scenario + quick + "--out " + out +
                " & pid=$!; sleep 1; kill -INT $pid; wait $pid") == 130);
  CHECK(program.says("INCOMPLETE"));
  CHECK(program.says("interrupted"));
  REQUIRE(fs::exists(out + "/checkpoint"));
  CHECK(program("explore --resume " + out + quick + "--executions 25000") == 5);
  const std::string in_two = program.text;
  CHECK(program("explore " + scenario + quick + "--executions 25000") == 5);
  CHECK(program.text == in_two);
}

TEST_CASE("a checkpoint that does not fit is refused", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const std::string out = program.path("out");
  CHECK(program("explore " + litmus("P01_sb_full") + " --executions 500 --out " + out) == 5);
  const std::string resume = " --resume " + out + " --out " + program.path("other");
  CHECK(program("explore " + litmus("P05_drop_resample") + resume) == 2);
  CHECK(program.says("of another scenario"));
  CHECK(program("explore " + resume + " --set /platform/host/cores=4") == 2);
  CHECK(program.says("of another scenario"));
  CHECK(program("explore " + resume + " --kmd " FENCELINE_FATAL_KMD) == 2);
  CHECK(program.says("of another driver"));
  CHECK(program("explore --resume " + program.path("nothing")) == 2);
  CHECK(program.says("has no checkpoint"));
  CHECK(program("explore " + resume + " --matrix") == 2);
  CHECK(program("explore " + litmus("P01_sb_full") + resume) == 0);
  CHECK(program.says("PROVED"));
  CHECK_FALSE(fs::exists(program.path("other") + "/checkpoint"));
  fs::resize_file(out + "/checkpoint", fs::file_size(out + "/checkpoint") / 2);
  CHECK(program("explore --resume " + out) == 2);
  CHECK(program.says("damaged"));
}

TEST_CASE("a check that could not compare everything ends with 5", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Program program;
  const std::string verify = " --verify --no-progress";
  CHECK(program("explore " + litmus("P08_ddi_post") + verify) == 0);
  CHECK_FALSE(program.says("could not compare"));
  // The search itself ends, and those that leave out less do not.
  CHECK(program("explore " + litmus("P01_sb_full") + verify + " --executions 2000") == 5);
  CHECK(program.says("--verify could not compare: the search without reductions gave up"));
}

}  // namespace fenceline::system_tests::test_explore_program
