#include "tb/app/cli/outputs/repro_file.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tb/app/cli/inputs.h"
#include "tb/app/cli/options.h"
#include "tb/scenario/shapes/node.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/scenario/text/units.h"

namespace fenceline::cli {

using scenario::JsonValue;
using scenario::Node;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{512} << 20U;
constexpr std::size_t kMaxValues = 20'000'000;  ///< three per choice
constexpr const char* kHint = "`fenceline run --out DIR` writes a repro.json beside a failed run";

Node member(const Node& node, const char* key) {
  node.object();
  if (!node.has(key)) node.fail(fmt::format("has no \"{}\"", key), {}, kHint);
  return node.member(key);
}

std::uint64_t number(const Node& node) {
  const auto value =
      node.is(JsonValue::Kind::kNumber) ? scenario::whole_number(node.value().text) : std::nullopt;
  if (!value) node.fail_type("a whole number from 0 to 2^64-1");
  return *value;
}

std::uint64_t hexadecimal(const Node& node) {
  const std::string& text = node.string("a string of hexadecimal digits");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    node.fail_type("a string of up to 16 hexadecimal digits");
  return value;
}

scenario::PolicyKind policy(const Node& node) {
  const std::string& text = node.string("\"timing\" or \"random\"");
  for (const auto& [word, kind] : scenario::kPolicies)
    if (text == word) return kind;
  node.fail_type("\"timing\" or \"random\"");
}

}  // namespace

ReproFile read_repro(const std::string& path) {
  const std::string text = read_text(path);
  scenario::JsonLimits limits;
  limits.bytes = kMaxBytes;
  limits.values = kMaxValues;
  const JsonValue document = parse_json(text, path, limits);
  const scenario::Source source{path};
  const Node root(document, source);
  ReproFile repro;
  member(root, "scenario").object();
  repro.policy = policy(member(root, "policy"));
  repro.seed = number(member(root, "seed"));
  repro.verdict = member(root, "verdict").string();
  const Node choices = member(root, "choices");
  for (std::size_t i = 0; i < choices.array().size(); ++i) {
    const Node choice = choices.child(i);
    repro.choices.push_back({member(choice, "agent").string(), member(choice, "op").string(),
                             hexadecimal(member(choice, "state"))});
  }
  const Node invariants = member(root, "invariants");
  for (std::size_t i = 0; i < invariants.array().size(); ++i)
    repro.invariants.push_back(invariants.child(i).string());
  repro.scenario = scenario::json_tree<nlohmann::ordered_json>(text).at("scenario").dump(2);
  return repro;
}

}  // namespace fenceline::cli
