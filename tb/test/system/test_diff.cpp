// Runs of the program, compared by the program.
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/services.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::cli::test_diff {

namespace {

int program(const std::vector<std::string>& arguments, std::string& printed) {
  std::ostringstream out, err;
  const int code = run_program(arguments, program_services(), {out, err, false, false});
  printed = out.str() + err.str();
  return code;
}

}  // namespace

TEST_CASE("diff tells what a switch changes in a run", "[compare]") {
  const support::TempFolder folder;
  const std::string scenario = FENCELINE_SOURCE_DIR "/scenarios/native_fence/figure_41_42.json";
  const std::string a = (folder / "a").string(), b = (folder / "b").string(),
                    same = (folder / "same").string();
  std::string printed;
  REQUIRE(program({"run", scenario, "--out", a}, printed) == kExitOk);
  REQUIRE(program({"run", scenario, "--out", same}, printed) == kExitOk);
  REQUIRE(
      program({"run", scenario, "--out", b, "--set", "/platform/ordering/gpu.signal_barrier=off"},
              printed) == kExitOk);
  CHECK(program({"diff", a, same, "--all"}, printed) == kExitOk);
  CHECK(program({"diff", a, b, "--all"}, printed) == kExitFailed);
  CHECK(printed.find("platform/ordering/gpu.signal_barrier: before_check -> off\n") !=
        std::string::npos);
  CHECK(printed.find("compute, signal F = 42: shorter at ") != std::string::npos);
  CHECK(program({"diff", a, folder.path().string()}, printed) == kExitUsage);
}

}  // namespace fenceline::cli::test_diff
