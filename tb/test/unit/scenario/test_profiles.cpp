#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/scenario/loader.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_profiles {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kFolder = FENCELINE_SOURCE_DIR "/scenarios/profiles";

Json read(const fs::path& path) { return Json::parse(std::ifstream(path)); }

/// The values alone, without descriptions and citations.
Json without_citations(const Json& value) {
  if (!value.is_structured()) return value;
  Json result = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, child] : value.items()) {
    if (value.is_array())
      result.push_back(without_citations(child));
    else if (key != "source" && key != "description")
      result[key] = without_citations(child);
  }
  return result;
}

/// Pointers of values whose object has no "source" that speaks of them.
void collect_unsourced(const Json& object, const std::string& pointer, std::set<std::string>& out) {
  for (const auto& [key, child] : object.items()) {
    const std::string here = pointer + "/" + key;
    if (key == "source" || key == "description") continue;
    if (child.is_structured()) collect_unsourced(child, here, out);
    if (object.is_array()) continue;
    const Json source = object.value("source", Json());
    if (!source.is_string() && !source.contains(key)) out.insert(here);
  }
}

/// Pointers of all values; elements of lists count once.
std::set<std::string> pointers(const Json& value) {
  std::set<std::string> all;
  const Json flat = value.flatten();
  for (const auto& [pointer, unused] : flat.items()) {
    std::string general;
    for (const char c : pointer) general += c >= '0' && c <= '9' ? '#' : c;
    all.insert(general);
  }
  return all;
}

template <class F>
void for_each_file(const F& use) {
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") {
      use(entry.path().parent_path().filename().string(), entry.path().stem().string(),
          read(entry.path()));
    }
  }
}

}  // namespace

TEST_CASE("each file of scenarios profiles is built in and can be read", "[scenario][profiles]") {
  std::size_t files = 0;
  for_each_file([&](const std::string& kind, const std::string& name, const Json&) {
    ++files;
    CAPTURE(kind, name);
    top::PlatformConfig platform;
    platform.gpus.emplace_back();
    engine::ChipConfig chip;
    if (kind == "hosts") CHECK_NOTHROW(load_host_profile(name, platform));
    if (kind == "gpus") CHECK_NOTHROW(load_gpu_profile(name, platform.gpus.front()));
    if (kind == "chips") CHECK_NOTHROW(load_chip_profile(name, chip));
  });
  CHECK(files == builtin_profiles().size());
}

TEST_CASE("every value of a profile names its source", "[scenario][profiles]") {
  for_each_file([](const std::string&, const std::string& name, const Json& file) {
    std::set<std::string> unsourced;
    collect_unsourced(file, name, unsourced);
    CHECK(unsourced == std::set<std::string>{});
    CHECK(file.contains("description"));
  });
}

TEST_CASE("every profile gives every value", "[scenario][profiles]") {
  const Json platform =
      json_tree<Json>(load_text(kSmallScenario, "small").effective_json)["platform"];
  for_each_file([&](const std::string& kind, const std::string& name, const Json& file) {
    const Json& adapter = platform["adapters"][0];
    Json whole = kind == "hosts" ? platform["host"] : kind == "chips" ? adapter["chip"] : adapter;
    whole.erase("profile");
    whole.erase("name");
    whole.erase("display");    // what is plugged in is no part of a GPU
    whole.erase("doorbells");  // a limit that a scenario sets
    if (whole.contains("preemption")) whole["preemption"].erase("engine_timeout");  // of the OS
    if (kind == "gpus") whole["chip"] = {{"profile", "a file of its own has the values"}};
    CAPTURE(kind, name);
    CHECK(pointers(without_citations(file)) == pointers(whole));
  });
}

TEST_CASE("profiles of one kind are listed by name", "[scenario][profiles]") {
  CHECK(profile_names("hosts") == std::vector<std::string>{"desktop", "server"});
  CHECK(profile_names("gpus") ==
        std::vector<std::string>{"discrete", "integrated", "legacy", "litmus", "litmus_legacy"});
  CHECK(profile_names("chips").size() == 9);
}

TEST_CASE("a profile replaces every value of the one before but not the name",
          "[scenario][profiles]") {
  top::GpuConfig gpu;
  gpu.name = "second";
  gpu.engines.clear();
  gpu.fabric.fifo_depth = 999;
  load_gpu_profile("litmus", gpu);
  CHECK(gpu.name == "second");
  CHECK(gpu.profile == "litmus");
  CHECK(gpu.fabric.write_banks == 2);
  CHECK(gpu.fabric.fifo_depth == 4);
  REQUIRE(gpu.engines.size() == 2);
  CHECK(gpu.engines[1].name == "compute1");

  top::PlatformConfig platform = default_platform();
  CHECK(platform.host.c_states.back().name == "C10");
  load_host_profile("server", platform);
  CHECK(platform.host.cores == 16);
  REQUIRE(platform.host.c_states.size() == 3);
  CHECK(platform.host.c_states.back().exit_latency == 290 * common::kMicrosecond);
  CHECK(platform.host.c_states.back().target_residency == 800 * common::kMicrosecond);
}

TEST_CASE("a profile that does not exist is an error of the caller", "[scenario][profiles]") {
  top::GpuConfig gpu;
  CHECK_THROWS_AS(load_gpu_profile("desktop", gpu), std::invalid_argument);
}

}  // namespace fenceline::scenario::test_profiles
