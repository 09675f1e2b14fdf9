#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline::scenario {

/// Start of a value. {0, 0}: not in the file.
struct Position {
  std::uint32_t line = 0;    ///< 1-based
  std::uint32_t column = 0;  ///< 1-based, in characters
};

struct JsonMember;

/// One JSON value with its position. Numbers keep their original text.
struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  Position at;
  std::string text;                  ///< decoded string, number as written, or "true" / "false"
  std::vector<JsonMember> children;  ///< elements (with empty keys) or members, in file order

  /// The member `key` of an object; null if there is none.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  Position at;  ///< of the key
  JsonValue value;
};

/// Input limits. They keep hostile input within a second and 256 MiB.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20U;
  std::size_t depth = 64;        ///< nested arrays and objects
  std::size_t values = 200'000;  ///< values in the document
  std::size_t string = 65'536;   ///< [bytes] per string
  std::size_t number = 64;       ///< [characters] per number
};

/// Parses strict RFC 8259 JSON: UTF-8 without byte-order mark, no duplicate keys. Throws
/// ScenarioError (with `name` as its path) at the first error. nlohmann::json is not used here,
/// because it keeps no positions and its lexer buffers without limit.
JsonValue parse_json(std::string_view text, const std::string& name, const JsonLimits& limits = {});

/// "an object", "the number 42"; for messages.
std::string describe_value(const JsonValue& value);

}  // namespace fenceline::scenario
