// What a batch system is told: entries, annotations, the JUnit file, messages with places.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli_tests::test_batch {

namespace fs = std::filesystem;
using fenceline::cli::sample::Program;

TEST_CASE("a scenario that is not valid is one failed entry of several", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), bad = program.file("bad.json", "bad");
  CHECK(program({"run", bad, good, "--json"}) == 2);
  REQUIRE(program.json().size() == 2);
  CHECK(program.json()[0]["scenario"] == "bad");
  CHECK(program.json()[0]["verdict"] == "error");
  CHECK(program.json()[0]["error"].get<std::string>().find("is bad") != std::string::npos);
  CHECK(program.json()[1]["verdict"] == "pass");
  CHECK(program({"run", bad, good, "--quiet"}) == 2);
  CHECK(program.out.str().find("1 of 2 as expected") != std::string::npos);
}

TEST_CASE("a batch system is told of failures in its own way", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), fail = program.file("fail.json", "1");
  CHECK(program({"run", good, fail, "--annotate", "github"}) == 1);
  const std::string notices = program.err.str();
  CHECK(notices.find("::error file=" + fail + ",title=fenceline%3A fail::violated: a reason\n") !=
        std::string::npos);
  CHECK(notices.find(good) == std::string::npos);
  CHECK(program({"run", good, "--annotate", "jenkins"}) == 2);
}

TEST_CASE("one junit file has a suite for each run", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0"), fail = program.file("fail.json", "1"),
                    bad = program.file("bad.json", "bad");
  const fs::path junit = program.folder / "junit.xml";
  CHECK(program({"run", good, fail, bad, "--junit", junit.string()}) == 2);
  std::stringstream text;
  text << std::ifstream(junit).rdbuf();
  for (const char* suite : {"<testsuite name=\"good\"", "<testsuite name=\"fail\"",
                            "<testsuite name=\"bad\"", "is bad"})
    CHECK(text.str().find(suite) != std::string::npos);
}

TEST_CASE("wrong types in a replay file are told with their place", "[cli]") {
  Program program;
  const auto with = [&](const std::string& choices, const std::string& seed) {
    return program.file("r.json",
                        "{\"scenario\": {}, \"policy\": \"random\", \"verdict\": \"x\",\n"
                        " \"invariants\": [], \"seed\": " +
                            seed + ", \"choices\": " + choices + "}");
  };
  CHECK(program({"replay", with("[]", "\"one\"")}) == 2);
  CHECK(program.err.str().find("r.json:2:28: /seed: ") != std::string::npos);
  CHECK(program({"replay", with("[{\"agent\": \"a\", \"op\": \"b\", \"state\": \"xyz\"}]", "1")}) ==
        2);
  CHECK(program.err.str().find("/choices/0/state: ") != std::string::npos);
  CHECK(program({"replay", with("{}", "1")}) == 2);
  CHECK(program.err.str().find("/choices: ") != std::string::npos);
}

}  // namespace fenceline::cli_tests::test_batch
