#include "tb/scenario/loader_overrides.h"

#include <utility>
#include <vector>

#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

using Kind = JsonValue::Kind;

[[noreturn]] void fail(const std::string& pointer, std::string message, std::string expected = {}) {
  throw ScenarioError({"--set", 0, 0, pointer, std::move(message), std::move(expected), {}});
}

/// The reference tokens of a JSON pointer.
std::vector<std::string> split_pointer(const std::string& pointer) {
  if (pointer.size() < 2 || pointer[0] != '/') {
    fail({}, in_quotes(pointer) + " is no JSON pointer", "/key=value, e.g. /platform/host/cores=8");
  }
  std::vector<std::string> tokens(1);
  for (std::size_t i = 1; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] != '~') {
      tokens.back() += pointer[i];
    } else {
      const char next = i + 1 < pointer.size() ? pointer[++i] : '\0';
      if (next != '0' && next != '1') fail(pointer, "~ is not followed by 0 or 1");
      tokens.back() += next == '0' ? '~' : '/';
    }
  }
  return tokens;
}

/// Removes the file positions of a value and its children.
void forget_positions(JsonValue& value) {
  value.at = {};
  for (JsonMember& child : value.children) {
    child.at = {};
    forget_positions(child.value);
  }
}

JsonValue parse_value(const std::string& text) {
  JsonValue value;
  try {
    value = parse_json(text, "--set");
  } catch (const ScenarioError&) {
    value.kind = Kind::kString;
    value.text = text;
  }
  forget_positions(value);
  return value;
}

JsonValue& element(JsonValue& array, const std::string& token, const std::string& pointer) {
  const std::size_t count = array.children.size();
  if (token == "-") return array.children.emplace_back().value;
  const bool digits = !token.empty() && token.size() < 10 &&
                      token.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t index = digits ? std::stoul(token) : count;
  if (index >= count) {
    fail(pointer, "no element " + in_quotes(token) + ", the array has " + std::to_string(count));
  }
  return array.children[index].value;
}

JsonValue& member(JsonValue& object, const std::string& key) {
  for (JsonMember& child : object.children) {
    if (child.key == key) return child.value;
  }
  JsonMember& added = object.children.emplace_back();
  added.key = key;
  added.value.kind = Kind::kObject;
  return added.value;
}

}  // namespace

void set_member(JsonValue& object, const std::string& key, JsonValue value) {
  member(object, key) = std::move(value);
}

void apply_override(JsonValue& document, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    fail({}, in_quotes(assignment) + " has no \"=\"", "/key=value, e.g. /platform/host/cores=8");
  }
  const std::string pointer = assignment.substr(0, equals);
  JsonValue* at = &document;
  for (const std::string& token : split_pointer(pointer)) {
    if (at->kind == Kind::kArray)
      at = &element(*at, token, pointer);
    else if (at->kind == Kind::kObject)
      at = &member(*at, token);
    else
      fail(pointer, describe_value(*at) + " has no member " + in_quotes(token));
  }
  *at = parse_value(assignment.substr(equals + 1));
}

}  // namespace fenceline::scenario
