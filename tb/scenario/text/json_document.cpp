#include "tb/scenario/text/json_document.h"

#include <algorithm>
#include <utility>

#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_text.h"

namespace fenceline::scenario {

namespace {

using Kind = JsonValue::Kind;

/// Recursive descent; the depth limit bounds the stack.
class DocumentParser {
 public:
  DocumentParser(std::string_view text, const std::string& name, const JsonLimits& limits)
      : cursor_(text), name_(name), limits_(limits) {}

  JsonValue document(std::size_t bytes) {
    if (bytes > limits_.bytes) {
      fail({}, "the file is larger than " + std::to_string(limits_.bytes >> 20U) + " MiB");
    }
    reject_byte_order_mark();
    skip_space();
    if (cursor_.at_end()) fail({1, 1}, "the file is empty", "a JSON object");
    JsonValue value = this->value(0);
    skip_space();
    if (!cursor_.at_end()) unexpected("the end of the file");
    return value;
  }

 private:
  [[noreturn]] void fail(Position at, std::string message, std::string expected = {},
                         std::string hint = {}) const {
    std::string pointer;
    for (const std::string& token : path_) pointer += "/" + token;
    throw ScenarioError({name_, at.line, at.column, std::move(pointer), std::move(message),
                         std::move(expected), std::move(hint)});
  }

  [[noreturn]] void unexpected(const std::string& expected) const {
    if (cursor_.at_end()) fail(cursor_.position(), "the file ends too early", expected);
    const char c = cursor_.peek();
    std::string hint;
    if (c == '\'') hint = "JSON strings stand in double quotes";
    if (c == '/' || c == '#') hint = "JSON has no comments";
    if (c == '}' || c == ']') hint = "a comma before a closing bracket is not allowed";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) fail(cursor_.position(), "unexpected byte outside a string", expected);
    fail(cursor_.position(), "unexpected " + in_quotes(std::string_view(&c, 1)), expected, hint);
  }

  void reject_byte_order_mark() const {
    if (cursor_.starts_with("\xEF\xBB\xBF") || cursor_.starts_with("\xFE\xFF") ||
        cursor_.starts_with("\xFF\xFE")) {
      fail({1, 1}, "the file starts with a byte-order mark", "UTF-8 without a byte-order mark");
    }
  }

  void skip_space() {
    while (!cursor_.at_end() && (cursor_.peek() == ' ' || cursor_.peek() == '\n' ||
                                 cursor_.peek() == '\r' || cursor_.peek() == '\t')) {
      cursor_.advance();
    }
  }

  JsonValue value(std::size_t depth) {
    if (++values_ > limits_.values) {
      fail(cursor_.position(),
           "the document has more than " + std::to_string(limits_.values) + " values", {},
           "use \"repeat\" for long programs");
    }
    JsonValue value;
    value.at = cursor_.position();
    const char c = cursor_.peek();
    if (c == '{' || c == '[') {
      if (depth >= limits_.depth) {
        fail(value.at, "nested deeper than " + std::to_string(limits_.depth) + " levels");
      }
      if (c == '{')
        object(value, depth);
      else
        array(value, depth);
    } else if (c == '"') {
      value.kind = Kind::kString;
      value.text = string();
    } else {
      scalar(value);
    }
    return value;
  }

  void object(JsonValue& value, std::size_t depth) {
    value.kind = Kind::kObject;
    cursor_.advance();
    skip_space();
    if (take('}')) return;
    for (;;) {
      JsonMember member;
      member.at = cursor_.position();
      if (cursor_.peek() != '"') unexpected("a key in double quotes");
      member.key = string();
      path_.push_back(pointer_token(member.key));
      skip_space();
      if (!take(':')) unexpected("a colon after the key");
      skip_space();
      member.value = this->value(depth + 1);
      path_.pop_back();
      value.children.push_back(std::move(member));
      skip_space();
      if (take('}')) break;
      if (!take(',')) unexpected("a comma or }");
      skip_space();
    }
    reject_duplicates(value);
  }

  void array(JsonValue& value, std::size_t depth) {
    value.kind = Kind::kArray;
    cursor_.advance();
    skip_space();
    if (take(']')) return;
    for (;;) {
      path_.push_back(std::to_string(value.children.size()));
      JsonMember element;
      element.value = this->value(depth + 1);
      element.at = element.value.at;
      path_.pop_back();
      value.children.push_back(std::move(element));
      skip_space();
      if (take(']')) return;
      if (!take(',')) unexpected("a comma or ]");
      skip_space();
    }
  }

  void reject_duplicates(const JsonValue& object) {
    const auto& members = object.children;
    std::vector<std::size_t> order(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int compared = members[a].key.compare(members[b].key);
      return compared != 0 ? compared < 0 : a < b;
    });
    std::size_t second = members.size();
    std::size_t first = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].key == members[order[i - 1]].key && order[i] < second) {
        second = order[i];
        first = order[i - 1];
      }
    }
    if (second == members.size()) return;
    path_.push_back(pointer_token(members[second].key));
    const Position at = members[first].at;
    fail(members[second].at, "duplicate key " + in_quotes(members[second].key), {},
         "it was first given at " + std::to_string(at.line) + ":" + std::to_string(at.column));
  }

  std::string string() {
    try {
      return read_string(cursor_, limits_.string);
    } catch (const JsonTextError& error) {
      fail(error.at, error.message);
    }
  }

  void scalar(JsonValue& value) {
    try {
      value.text = read_scalar(cursor_, limits_.number);
    } catch (const JsonTextError& error) {
      fail(error.at, error.message, {}, error.hint);
    }
    if (value.text.empty()) unexpected("a value");
    if (value.text == "null")
      value.kind = Kind::kNull;
    else if (value.text == "true" || value.text == "false")
      value.kind = Kind::kBoolean;
    else
      value.kind = Kind::kNumber;
  }

  bool take(char c) {
    if (cursor_.at_end() || cursor_.peek() != c) return false;
    cursor_.advance();
    return true;
  }

  Cursor cursor_;
  const std::string& name_;
  const JsonLimits& limits_;
  std::vector<std::string> path_;
  std::size_t values_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : children) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  return DocumentParser(text, name, limits).document(text.size());
}

std::string describe_value(const JsonValue& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return value.text;
    case Kind::kNumber:
      return "the number " + value.text;
    case Kind::kString:
      return "the string " + in_quotes(value.text);
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "a value";
}

}  // namespace fenceline::scenario
