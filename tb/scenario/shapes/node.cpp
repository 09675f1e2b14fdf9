#include "tb/scenario/shapes/node.h"

#include <stdexcept>
#include <utility>

#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

using Kind = JsonValue::Kind;

[[noreturn]] void raise(const Source& source, Position at, std::string pointer, std::string message,
                        std::string expected, std::string hint) {
  if (at.line == 0 && hint.empty()) hint = "the value was given by --set";
  throw ScenarioError({source.path, at.line, at.column, std::move(pointer), std::move(message),
                       std::move(expected), std::move(hint)});
}

}  // namespace

Node Node::member(std::string_view key) const {
  for (std::size_t i = 0; i < value_.children.size(); ++i) {
    if (value_.children[i].key == key) return child(i);
  }
  throw std::logic_error("no member " + std::string(key));
}

std::string Node::pointer() const {
  if (parent_ == nullptr) return {};
  const bool in_object = parent_->is(Kind::kObject);
  return parent_->pointer() + "/" +
         (in_object ? pointer_token(parent_->value_.children[index_].key) : std::to_string(index_));
}

Location Node::location() const { return {pointer(), value_.at.line, value_.at.column}; }

void Node::fail(std::string message, std::string expected, std::string hint) const {
  raise(source_, value_.at, pointer(), std::move(message), std::move(expected), std::move(hint));
}

void Node::fail_at_key(std::size_t index, std::string message, std::string expected,
                       std::string hint) const {
  raise(source_, value_.children[index].at, child(index).pointer(), std::move(message),
        std::move(expected), std::move(hint));
}

void Node::fail_type(std::string expected) const {
  fail("found " + describe_value(value_), std::move(expected));
}

const std::vector<JsonMember>& Node::object(const std::string& expected) const {
  if (!is(Kind::kObject)) fail_type(expected);
  return value_.children;
}

const std::vector<JsonMember>& Node::array(const std::string& expected) const {
  if (!is(Kind::kArray)) fail_type(expected);
  return value_.children;
}

const std::string& Node::string(const std::string& expected) const {
  if (!is(Kind::kString)) fail_type(expected);
  return value_.text;
}

}  // namespace fenceline::scenario
