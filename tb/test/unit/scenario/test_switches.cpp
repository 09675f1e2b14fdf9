// Invariants that values of ordering switches may break.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/check/core/invariants.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::scenario::test_switches {

namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_finding(const std::string& word) {
  const auto& invariants = check::all_invariants();
  return word == Findings::kHang || word == Findings::kBugCheck || word == Findings::kCall ||
         std::any_of(invariants.begin(), invariants.end(),
                     [&](const check::InvariantInfo& info) { return info.id == word; });
}

/// The value of the only switch of the scenario that has not its default; null: there are none, or
/// several.
const SwitchInfo::Value* only_change(const Json& ordering) {
  const SwitchInfo::Value* only = nullptr;
  for (const SwitchInfo& info : switch_infos())
    for (std::size_t i = 0; i < info.values.size(); ++i) {
      const auto set = ordering.find(info.name);
      if (set == ordering.end() || i == info.initial || set->dump() != info.values[i].json)
        continue;
      if (only != nullptr) return nullptr;
      only = &info.values[i];
    }
  return only;
}

}  // namespace

TEST_CASE("a switch value may break what is known and the default breaks nothing", "[switches]") {
  for (const SwitchInfo& info : switch_infos()) {
    INFO(info.name);
    CHECK(info.values[info.initial].safe());
    for (const SwitchInfo::Value& value : info.values)
      for (const std::string& word : value.breaks) CHECK(is_finding(word));
  }
}

TEST_CASE("scenarios with one changed switch break what its value may break", "[switches]") {
  std::size_t judged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(FENCELINE_SOURCE_DIR "/scenarios")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find("/profiles/") != std::string::npos ||
        path.find("/schema/") != std::string::npos)
      continue;
    const Scenario scenario = load(path);
    const Json effective = Json::parse(scenario.effective_json);
    const SwitchInfo::Value* const value = only_change(effective["platform"]["ordering"]);
    if (value == nullptr || value->safe()) continue;
    INFO(path);
    for (const std::string& invariant : scenario.expect.violations)
      CHECK(contains(value->breaks, invariant));
    ++judged;
  }
  CHECK(judged > 60);
}

}  // namespace fenceline::scenario::test_switches
