#include "tb/scenario/loader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "tb/scenario/checks/bounds.h"
#include "tb/scenario/checks/checks.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader_overrides.h"
#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/text/json_document.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::scenario {

namespace {

nlohmann::ordered_json tree_of(const JsonValue& value) {
  using Json = nlohmann::ordered_json;
  Json tree;
  switch (value.kind) {
    case JsonValue::Kind::kString:
      return value.text;
    case JsonValue::Kind::kArray:
      tree = Json::array();
      for (const JsonMember& member : value.children) tree.push_back(tree_of(member.value));
      return tree;
    case JsonValue::Kind::kObject:
      tree = Json::object();
      for (const JsonMember& member : value.children) tree[member.key] = tree_of(member.value);
      return tree;
    default:
      return value.kind == JsonValue::Kind::kNull ? tree : json_tree<Json>(value.text);
  }
}

}  // namespace

std::string read_scenario_file(const std::string& path) {
  const auto fail = [&](const std::string& message) -> std::string {
    throw ScenarioError({path, 0, 0, {}, message, {}, {}});
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return fail("is a directory, not a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return fail(std::string("cannot be read: ") + std::strerror(errno));
  const std::size_t most = JsonLimits{}.bytes;
  std::string text;
  std::string block(1U << 16U, '\0');
  while (text.size() <= most) {  // one block above the limit is enough to refuse it
    const std::size_t length = std::fread(block.data(), 1, block.size(), file.get());
    if (length == 0) break;
    text.append(block, 0, length);
  }
  if (std::ferror(file.get()) != 0)
    return fail(std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

namespace {

JsonValue seed_value(std::uint64_t seed) {
  JsonValue value;
  value.kind = JsonValue::Kind::kNumber;
  value.text = std::to_string(seed);
  return value;
}

/// Fills defaults that depend on other parts of the scenario.
void fill_defaults(Scenario& scenario) {
  for (Process& process : scenario.processes) {
    if (process.adapter.empty()) process.adapter = scenario.platform.gpus.front().name;
  }
  if (scenario.processes.size() > 1) return;
  for (Program& program : scenario.programs) {
    if (program.process.empty()) program.process = scenario.processes.front().name;
  }
}

JsonValue read_document(std::string_view text, const std::string& name,
                        const LoadOptions& options) {
  JsonValue document = parse_json(text, name);
  const Source source{name};
  Node(document, source).object("a JSON object");
  for (const std::string& assignment : options.set) apply_override(document, assignment);
  if (options.seed) set_member(document, "seed", seed_value(*options.seed));
  return document;
}

}  // namespace

std::string overridden_text(std::string_view text, const std::string& name,
                            const LoadOptions& options) {
  return tree_of(read_document(text, name, options)).dump();
}

Scenario load_text(std::string_view text, const std::string& name, const LoadOptions& options) {
  const JsonValue document = read_document(text, name, options);
  const Source source{name};
  Scenario scenario;
  scenario.path = name;
  scenario.text = text;
  static_cast<top::PlatformConfig&>(scenario.platform) = default_platform();
  ObjectCodec<Scenario>{}.read(Node(document, source), scenario);
  fill_defaults(scenario);
  check_scenario(scenario, Node(document, source));
  scenario.effective_json = effective_document(scenario);
  apply_bounds(scenario);
  return scenario;
}

Scenario load(const std::string& path, const LoadOptions& options) {
  return load_text(read_scenario_file(path), path, options);
}

}  // namespace fenceline::scenario
