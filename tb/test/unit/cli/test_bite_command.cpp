#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tb/app/cli/commands/bite_command.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_bite_command {

TEST_CASE("targets of a bite are the values of switches that are not safe") {
  std::set<std::string> names;
  for (const campaign::Target& target : bite_targets({})) {
    CHECK(names.insert(target.name).second);
    CHECK_FALSE(target.what.empty());
  }
  CHECK(names.count("kmd.ucv_order=false") == 1);
  CHECK(names.count("kmd.ucv_order=true") == 0);     // the default
  CHECK(names.count("cmp.mv_barrier=none") == 1);    // a word
  CHECK(names.count("gpu.log_barrier=false") == 0);  // the default
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    for (const auto& value : info.values)
      if (value.safe()) CHECK(names.count(info.name + "=" + value.json) == 0);
}

namespace {
constexpr std::size_t kSets = 10;  // of values that back each other up
const char* const kText = R"({"schema_version": 1, "name": "s", "processes": [{"name": "p"}],
  "programs": [{"thread": "t", "steps": [{"delay": "1us"}]}], "expect": {}})";
}  // namespace

TEST_CASE("values that back each other up are targets together") {
  std::size_t sets = 0;
  for (const campaign::Target& target : bite_targets({})) {
    if (target.kind != "switches together") continue;
    ++sets;
    CHECK(target.overrides.size() > 1);
    CHECK_NOTHROW(scenario::load_text(kText, "sample.json", {target.overrides, {}}));
  }
  CHECK(sets == kSets);
}

TEST_CASE("a driver under test is the only target of a bite") {
  Options options;
  options.kmd = "folder/my_driver.so";
  const auto targets = bite_targets(options);
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].name == "my_driver");
  CHECK(targets[0].kmd == options.kmd);
}

TEST_CASE("a bite takes the targets that it is given in their order") {
  Options options;
  options.bite.only = {"os.resample=before_ddi", "kmd.ucv_order=false"};
  const auto targets = bite_targets(options);
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].name == "os.resample=before_ddi");
  CHECK(targets[1].overrides == std::vector<std::string>{"/platform/ordering/kmd.ucv_order=false"});
  options.bite.only = {"switches together"};
  CHECK(bite_targets(options).size() == kSets);  // those of a wrong part
  sample::Program program;
  CHECK(program({"bite", "--only", "kmd.no_such=1"}) == kExitUsage);
  CHECK(program.err.str().find("there is no kmd.no_such=1") != std::string::npos);
}

TEST_CASE("a bite writes what it found and keeps nothing else") {
  sample::Program program;
  const std::filesystem::path out = program.folder / "out";
  CHECK(program({"bite", "--runs", "3", "--only", "kmd.ucv_order=false", "--out", out.string(),
                 "--jobs", "1"}) == kExitFailed);
  CHECK(program.out.str() == "kmd.ucv_order=false: not found in 3 runs\n");
  nlohmann::json results;
  std::ifstream(out / "bite.json") >> results;
  REQUIRE(results.at("targets").size() == 1);
  CHECK(results.at("targets")[0].at("target") == "kmd.ucv_order=false");
  CHECK(results.at("targets")[0].at("found") == false);
  CHECK_FALSE(std::filesystem::exists(program.folder / ".out.bite"));
}

TEST_CASE("a bite with other settings begins again only with force") {
  sample::Program program;
  const std::filesystem::path work = program.folder / ".out.bite";
  const std::vector<std::string> command{"bite",
                                         "--runs",
                                         "2",
                                         "--only",
                                         "kmd.ucv_order=false,os.resample=before_ddi",
                                         "--out",
                                         (program.folder / "out").string()};
  CHECK(program(command) == kExitFailed);
  const std::string whole = program.out.str();
  std::filesystem::remove_all(program.folder / "out");
  std::filesystem::create_directories(work / "journals");
  std::ofstream(work / "settings.json") << "others";
  CHECK(program(command) == kExitUsage);
  CHECK(program.err.str().find("a bite with other settings") != std::string::npos);
  std::vector<std::string> forced = command;
  forced.emplace_back("--force");
  CHECK(program(forced) == kExitFailed);
  CHECK(program.out.str() == whole);
}

TEST_CASE("a bite lists its targets") {
  sample::Program program;
  CHECK(program({"bite", "--list"}) == kExitOk);
  CHECK(program.out.str().find("kmd.ucv_order=false (switch): ") != std::string::npos);
}

}  // namespace fenceline::cli::test_bite_command
