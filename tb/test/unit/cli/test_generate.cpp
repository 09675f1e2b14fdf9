#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_generate {

namespace {

using sample::Program;

}  // namespace

TEST_CASE("generate prints one scenario for a seed", "[cli][generate]") {
  Program program;
  CHECK(program({"generate", "--seed", "7"}) == 0);
  CHECK(program.json()["name"] == "g7");
  const std::string first = program.out.str();
  CHECK(program({"generate", "--seed", "7"}) == 0);
  CHECK(program.out.str() == first);
  CHECK(program({"generate", "--schema"}) == 0);
  CHECK(program.json()["title"] == "fenceline constraints");
}

TEST_CASE("generate writes files and replaces none without force", "[cli][generate]") {
  Program program;
  const std::string out = (program.folder / "made").string();
  CHECK(program({"generate", "--count", "2", "--seed", "5", "--out", out}) == 0);
  CHECK(sample::fs::exists(out + "/g5.json"));
  CHECK(sample::fs::exists(out + "/g6.json"));
  CHECK(program({"generate", "--seed", "6", "--out", out}) == 2);
  CHECK(program.err.str().find("g6.json exists") != std::string::npos);
  CHECK(program({"generate", "--seed", "6", "--out", out, "--force"}) == 0);
}

TEST_CASE("generate refuses what it cannot use", "[cli][generate]") {
  Program program;
  const std::string bad = program.file("bad.json", R"({"sizes": {"cats": 2}})");
  CHECK(program({"generate", "--constraints", bad}) == 2);
  CHECK(program.err.str().find("/sizes/cats") != std::string::npos);
  CHECK(program({"generate", "--preset", "huge"}) == 2);
  CHECK(program.err.str().find("small") != std::string::npos);
  CHECK(program({"generate", "--preset", "small", "--constraints", bad}) == 2);
  CHECK(program({"generate", "--count", "3"}) == 2);
  CHECK(program({"generate", "--out", bad}) == 2);
}

}  // namespace fenceline::cli::test_generate
