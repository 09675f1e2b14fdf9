// The scenarios of the tree against the reference model: what a run leaves is what it allows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/reference/predict.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/program.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::reference::test_predictions {

namespace {

using nlohmann::json;

/// A scenario that breaks nothing, and what must come out of it.
struct Predicted {
  std::string file;
  Outcome outcome;
};

bool breaks_nothing(const scenario::Scenario& it) {
  return it.policy == scenario::PolicyKind::kTiming && it.negatives.empty() &&
         it.expect.violations.empty() && it.expect.outcome == scenario::Outcome::kCompletes;
}

/// Scenarios about which the reference model says something, by name.
std::map<std::string, Predicted> predictions() {
  std::map<std::string, Predicted> result;
  const std::filesystem::path root = std::string(FENCELINE_SOURCE_DIR) + "/scenarios";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string folder = entry.path().parent_path().string();
    const bool other = folder.find("/profiles") != std::string::npos ||
                       folder.find("/schema") != std::string::npos;
    if (other || entry.path().extension() != ".json") continue;
    const scenario::Scenario loaded = scenario::load(entry.path().string());
    if (!breaks_nothing(loaded)) continue;
    Outcome outcome = predict(json::parse(scenario::effective_document(loaded)));
    if (outcome.silent.count("") == 0)
      result[loaded.name] = {entry.path().string(), std::move(outcome)};
  }
  return result;
}

/// Reports name a fence without its process.
bool allowed(const Outcome& outcome, const std::string& name, std::uint64_t value) {
  bool known = false;
  for (const auto& [full_name, values] : outcome.fences) {
    if (full_name.substr(full_name.find('/') + 1) != name) continue;
    if (values.allows(value)) return true;
    known = true;
  }
  return !known;  // destroyed
}

void check_result(const json& result, const Outcome& outcome) {
  if (result.at("ending") == "completed") CHECK(outcome.hangs != Happens::kAlways);
  if (result.at("ending") == "hang") CHECK(outcome.hangs != Happens::kNever);
  for (const json& fence : result.at("fences")) {
    INFO(fence.dump());
    CHECK(allowed(outcome, fence.at("name"), fence.at("current_value")));
  }
}

}  // namespace

TEST_CASE("every scenario ends as the reference model says", "[reference]") {
  const std::map<std::string, Predicted> all = predictions();
  CHECK(all.size() > 100);
  std::string files;
  for (const auto& [name, it] : all) files += " " + it.file;
  const support::TempFolder folder;
  const support::Result run = support::run("run --quiet --no-progress --trace none --out " +
                                           (folder / "runs").string() + files);
  INFO(run.output);
  std::size_t fixed = 0;
  std::size_t values = 0;
  for (const auto& [name, it] : all) {
    INFO(name);
    std::ifstream file(folder / "runs" / name / "result.json");
    REQUIRE(file.good());
    check_result(json::parse(file), it.outcome);
    values += it.outcome.fences.size();
    for (const auto& [fence, value] : it.outcome.fences) fixed += value.fixed() ? 1 : 0;
  }
  INFO(fixed << " of " << values << " values are fixed");
  CHECK(fixed * 10 > values * 6);
}

}  // namespace fenceline::reference::test_predictions
