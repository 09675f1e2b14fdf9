// Over many seeds the whole scenario format occurs, but for what has a reason not to.
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tb/generate/generate.h"
#include "tb/generate/rules.h"
#include "tb/generate/values.h"
#include "tb/scenario/shapes/schema.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::generate::test_coverage {

namespace {

using Json = nlohmann::json;

std::string below(std::string path, const std::string& key) {
  path += "/";
  path += key;
  return path;
}

/// Collects the paths of keys in a document, without indices.
void collect(const Json& value, const std::string& path, std::set<std::string>& paths) {
  for (const auto& [key, child] : value.items()) {
    const std::string at = value.is_object() ? below(path, key) : path;
    paths.insert(at);
    if (child.is_structured()) collect(child, at, paths);
  }
}

/// The same of all documents that a schema allows. What a repeat holds is not looked at.
class SchemaPaths {
 public:
  explicit SchemaPaths(const Json& schema) : definitions_(schema["definitions"]) {
    collect(schema, "");
  }
  std::set<std::string> all;

 private:
  void collect(const Json& schema, const std::string& path) {
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"];
      return collect(definitions_[reference.substr(std::string("#/definitions/").size())], path);
    }
    for (const char* several : {"oneOf", "allOf"})
      if (schema.contains(several))
        for (const Json& one : schema[several]) collect(one, path);
    if (schema.contains("items")) collect(schema["items"], path);
    if (!schema.contains("properties")) return;
    for (const auto& [key, property] : schema["properties"].items()) {
      all.insert(below(path, key));
      if (key != "repeat") collect(property, below(path, key));
    }
  }

  Json definitions_;
};

constexpr const char* kText = "it says nothing to the model";
constexpr const char* kStatus = "mistakes are other calls";

/// Keys below these do not occur, with the reasons.
constexpr std::pair<const char*, const char*> kLeftOut[] = {
    {"/$schema", kText},
    {"/title", kText},
    {"/description", kText},
    {"/covers", kText},
    {"/negative_for", kText},
    {"/policy", "a run takes it as an option"},
    {"/end_time", "every run ends by itself"},
    {"/limits", "every run ends by itself"},
    {"/sweep", "a scenario is one point"},
    {"/explore", "it is about searches"},
    {"/expect", "a reference says what must come out"},
    {"/faults/engine", "faults of engines lose work"},
    {"/faults/after", "a mark may come after the work"},
    {"/holds/until/nth", "a thread that sleeps once resumes once"},
    {"/schema_version", "it is in every document"},
    {"/processes/map_duties", "without one of them an invariant breaks"},
    {"/processes/fences/intra_gpu", "the OS does not offer it"},
    {"/processes/fences/status", kStatus},
    {"/processes/allocations/status", kStatus},
    {"/processes/queues/status", kStatus},
    {"/programs/count", "threads with the same steps race"},
    {"/programs/counter", "threads with the same steps race"},
    {"/programs/commands/split", "buffers of hardware queues are not patched"},
    {"/programs/steps/submit/broadcast", "no adapters are linked"},
    {"/programs/steps/touch_log/process", "a log of another process is as far away"},
    {"/programs/steps/suspend_context/status", kStatus},
    {"/programs/steps/signal_elsewhere/notify", "without it a wait may be lost"},
    {"/programs/steps/map/do_not_wait", "the map may be refused"},
    {"/programs/steps/map/status", kStatus},
    {"/programs/steps/invalidate_cache/status", kStatus},
    {"/programs/steps/query_adapter/native_gpu_fence", "the reference says it"},
    {"/programs/steps/query_adapter/feature", "the reference says it"},
    {"/programs/steps/signal/bad_handle", "a fault of the OS"},
    {"/programs/steps/present/immediate", "it tears"},
    {"/programs/steps/load/value", "the reference says it"},
    {"/programs/steps/load/violates", kStatus},
    {"/programs/steps/store/violates", kStatus},
    {"/programs/steps/create_fence/open", "opened fences are there from the start"},
    {"/programs/steps/create_fence/shared", "opened fences are there from the start"},
    {"/programs/steps/create_fence/cross_adapter", "opened fences are there from the start"},
    {"/programs/steps/create_fence/intra_gpu", "the OS does not offer it"}};

/// These, and what the rules leave out.
std::map<std::string, std::string> left_out() {
  std::map<std::string, std::string> keys(std::begin(kLeftOut), std::end(kLeftOut));
  for (const char* step :
       {"submit", "create_fence", "gpu_signal", "create_allocation", "destroy_allocation", "evict",
        "unlock", "create_cpu_event", "use_cpu_event", "pass_handle", "present"})
    keys[std::string("/programs/steps/") + step + "/status"] = kStatus;
  for (const FixedKey& key : fixed_keys()) keys[std::string("/platform") + key.path] = key.reason;
  for (const auto& [word, reason] : words_left_out())
    for (const char* list :
         {"/programs/steps/", "/programs/commands/", "/programs/steps/submit/commands/"})
      keys[list + word] = reason;
  return keys;
}

bool is_left_out(const std::map<std::string, std::string>& keys, const std::string& path) {
  for (const auto& [key, reason] : keys)
    if (path == key || path.rfind(key + "/", 0) == 0) return true;
  return false;
}

}  // namespace

TEST_CASE("Every key of the scenario format occurs or has a reason not to",
          "[generate][coverage][slow]") {
  constexpr std::uint64_t kSeeds = 3'000;
  Constraints constraints;
  constraints.switches = SwitchMode::kSafe;
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    collect(generate(constraints, seed), "", found);
  const SchemaPaths schema(scenario::json_tree<Json>(scenario::schema_text()));
  const std::map<std::string, std::string> excused = left_out();
  std::string missing;
  for (const std::string& path : schema.all)
    if (found.count(path) == 0 && !is_left_out(excused, path)) missing += path + "\n";
  INFO(missing);
  CHECK(missing.empty());
}

TEST_CASE("Every key that is left out is a key of the format", "[generate][coverage]") {
  const SchemaPaths schema(scenario::json_tree<Json>(scenario::schema_text()));
  for (const FixedKey& key : fixed_keys()) {
    INFO(key.path);
    CHECK(schema.all.count(std::string("/platform") + key.path) == 1);
  }
  for (const auto& [word, reason] : words_left_out())
    CHECK(schema.all.count("/programs/steps/" + word) +
              schema.all.count("/programs/commands/" + word) ==
          1);
}

TEST_CASE("Values near another one stay in their range", "[generate]") {
  Draw draw(1);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t power = near_value(draw, 64, 16, 128, true, 1);
    CHECK((power == 32 || power == 128));
    const std::uint64_t size = near_value(draw, 8192, 4096, 16384, false, 4096);
    CHECK(size >= 4096);
    CHECK(size <= 16384);
    CHECK(size % 4096 == 0);
  }
  CHECK(near_value(draw, 1, 1, 1, true, 1) == 1);
}

}  // namespace fenceline::generate::test_coverage
