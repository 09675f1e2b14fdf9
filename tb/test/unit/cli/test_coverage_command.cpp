#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_coverage_command {

namespace {

/// Folder of a small campaign.
std::string campaign(sample::Program& program, const std::string& name) {
  std::string out = (program.folder / name).string();
  CHECK(program({"campaign", "--preset", "small", "--runs", "2", "--out", out}) == kExitOk);
  CHECK(program.out.str().find("coverage: ") != std::string::npos);
  return out;
}

}  // namespace

TEST_CASE("the coverage of campaigns adds up and lists its holes", "[coverage]") {
  sample::Program program;
  const std::string one = campaign(program, "one");
  const std::string two = campaign(program, "two");
  CHECK(program({"coverage", one, two}) == kExitOk);
  CHECK(program.out.str().find("4 runs\n") != std::string::npos);
  CHECK(program.out.str().find("holes") == std::string::npos);
  CHECK(program({"coverage", one, "--holes"}) == kExitOk);
  CHECK(program.out.str().find("step: suspend_context: no reason is known\n") != std::string::npos);
}

TEST_CASE("the sum of coverage is an input again", "[coverage]") {
  sample::Program program;
  const std::string one = campaign(program, "one");
  CHECK(program({"coverage", one, one, "--json"}) == kExitOk);
  const std::string sum = program.file("sum.json", program.out.str());
  CHECK(program({"coverage", sum, "--quiet"}) == kExitOk);
  CHECK(program.out.str().find("coverage: ") == 0);
  CHECK(program({"coverage", sum}) == kExitOk);
  CHECK(program.out.str().find("4 runs\n") == 0);
}

TEST_CASE("a folder without coverage is refused", "[coverage]") {
  sample::Program program;
  CHECK(program({"coverage", program.folder.path().string()}) == kExitUsage);
  CHECK(program.err.str().find("coverage.json") != std::string::npos);
  CHECK(program({"coverage", program.file("bad.json", "{}")}) == kExitUsage);
  CHECK(program({"coverage"}) == kExitUsage);
}

TEST_CASE("campaigns and shrinks search and other commands do not", "[campaign]") {
  sample::Program program;
  CHECK(program({"campaign", "--policy", "never"}) == kExitUsage);
  CHECK(program.err.str().find("neither timing, random nor search") != std::string::npos);
  CHECK(program({"run", "--policy", "search", program.file("s.json", "0")}) == kExitUsage);
  CHECK(program({"campaign", "--preset", "search", "--policy", "search", "--executions", "2",
                 "--runs", "2"}) == kExitOk);
  CHECK(program.out.str().find("2 searches: ") != std::string::npos);
}

}  // namespace fenceline::cli::test_coverage_command
