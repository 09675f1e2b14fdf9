#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tb/scenario/text/json_document.h"
#include "tb/scenario/text/location.h"

namespace fenceline::scenario {

/// The document that is read.
struct Source {
  std::string path;
};

/// One value of a document with its path. A node lives on the stack and needs its parents.
class Node {
 public:
  Node(const JsonValue& value, const Source& source) : value_(value), source_(source) {}

  const JsonValue& value() const { return value_; }
  const Source& source() const { return source_; }
  bool is(JsonValue::Kind kind) const { return value_.kind == kind; }
  bool has(std::string_view key) const { return value_.find(key) != nullptr; }

  /// The child at `index` of an array or object. @pre it exists.
  Node child(std::size_t index) const { return Node(*this, index); }
  /// The member `key`. @pre it exists.
  Node member(std::string_view key) const;

  std::string pointer() const;
  Location location() const;

  /// Throws ScenarioError at this value.
  [[noreturn]] void fail(std::string message, std::string expected = {},
                         std::string hint = {}) const;
  /// Throws ScenarioError at the key of the child at `index`.
  [[noreturn]] void fail_at_key(std::size_t index, std::string message, std::string expected = {},
                                std::string hint = {}) const;
  /// Throws ScenarioError: `expected` is required here.
  [[noreturn]] void fail_type(std::string expected) const;

  // Each throws ScenarioError if the value has another type; `expected` is used in the message.
  const std::vector<JsonMember>& object(const std::string& expected = "an object") const;
  const std::vector<JsonMember>& array(const std::string& expected = "an array") const;
  const std::string& string(const std::string& expected = "a string") const;

 private:
  Node(const Node& parent, std::size_t index)
      : value_(parent.value_.children[index].value),
        source_(parent.source_),
        parent_(&parent),
        index_(index) {}

  const JsonValue& value_;
  const Source& source_;
  const Node* parent_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace fenceline::scenario
