#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/abi/keys.h"
#include "tb/scenario/shapes/node.h"
#include "tb/scenario/text/expression.h"
#include "tb/scenario/text/units.h"

namespace fenceline::scenario {

// A codec defines the notation of one kind of value in a scenario file. Each has these functions:
//   void read(const Node&, T& out)  checks the value and stores it; throws ScenarioError
//   Json write(const T&)            returns a text that read() accepts
//   Json schema(SchemaDefinitions&) returns the matching draft-07 JSON Schema
// Loader, effective document and schema share these definitions and cannot diverge.
// This header only names the JSON type. Codecs that are templates have their write() in writer.h
// and their schema() in schema_visitor.h.

using Json = nlohmann::json;

class SchemaDefinitions;

constexpr std::uint64_t kMaxUint64 = ~std::uint64_t{0};
constexpr std::uint64_t kMaxTime =
    1'000'000 * common::kSecond;  ///< longest duration; sums fit in 64 bits
constexpr std::uint64_t kMaxNumber = 1ULL
                                     << 53U;  ///< largest integer that every JSON tool keeps exact

/// true or false.
struct BooleanCodec {
  void read(const Node& node, bool& out) const;
  Json write(bool value) const;
  Json schema(SchemaDefinitions&) const;
};

/// A boolean with only one value that the model supports.
struct OnlyCodec {
  bool only = true;

  void read(const Node& node, bool& out) const;
  Json write(bool value) const;
  Json schema(SchemaDefinitions&) const;
};

/// A whole number in [min, max].
struct IntegerCodec {
  std::uint64_t min = 0;
  std::uint64_t max = kMaxNumber;  ///< at most kMaxNumber
  bool power_of_two = false;

  template <class T>
  void read(const Node& node, T& out) const {
    out = static_cast<T>(read_number(node));
  }
  Json write(std::uint64_t value) const;
  Json schema(SchemaDefinitions&) const;

 private:
  std::uint64_t read_number(const Node& node) const;
};

/// A small whole number of either sign.
struct SignedCodec {
  std::int32_t min = 0;
  std::int32_t max = 0;
  void read(const Node& node, std::int32_t& out) const;
  Json write(std::int32_t value) const;
  Json schema(SchemaDefinitions&) const;
};

/// A fence value or seed: a whole number below 2^64, "0x..." or "max".
struct ValueCodec {
  void read(const Node& node, std::uint64_t& out) const;
  Json write(std::uint64_t value) const;
  Json schema(SchemaDefinitions&) const;
};

/// Like ValueCodec, or an expression of repeat counters such as "${i}*2+1".
struct ExpressionCodec {
  std::uint64_t min = 0;
  std::uint64_t max = kMaxUint64;  ///< min and max hold for constants

  void read(const Node& node, Expression& out) const;
  Json write(const Expression& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// A number in a text notation given by a regular expression.
struct QuantityCodec {
  const char* what;     ///< for messages: "a duration such as "250ns""
  const char* pattern;  ///< ECMA 262
  std::uint64_t (*parse)(std::string_view);
  std::string (*format)(std::uint64_t);
  std::uint64_t min;
  std::uint64_t max;
  std::uint64_t multiple = 1;  ///< the value must be a multiple of it
  bool power_of_two = false;

  void read(const Node& node, std::uint64_t& out) const;
  void read(const Node& node, std::uint32_t& out) const;
  Json write(std::uint64_t value) const;
  Json schema(SchemaDefinitions&) const;
};

constexpr QuantityCodec duration(std::uint64_t min = 0, std::uint64_t max = kMaxTime) {
  return {
      "a duration such as \"250ns\"", kDurationPattern, parse_duration, format_duration, min, max};
}
constexpr QuantityCodec size(std::uint64_t min, std::uint64_t max, std::uint64_t multiple = 1,
                             bool power_of_two = false) {
  return {"a size such as \"4KiB\"",
          kSizePattern,
          parse_size,
          format_size,
          min,
          max,
          multiple,
          power_of_two};
}
constexpr QuantityCodec rate() {
  return {"a rate such as \"20GB/s\"", kRatePattern, parse_rate, format_rate, 1, 100'000'000};
}
constexpr QuantityCodec frequency() {
  return {"a frequency such as \"100MHz\"",
          kFrequencyPattern,
          parse_frequency,
          format_frequency,
          1'000,
          1'000'000'000'000};
}

/// Any text of `least` to `most` characters.
struct TextCodec {
  std::size_t least = 0;
  std::size_t most = 4'000;
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// Text that matches a rule, given as a predicate and as an equivalent regular expression.
struct PatternCodec {
  const char* what;
  const char* pattern;
  bool (*matches)(std::string_view);
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// Letters, digits, '_', '-' and '.', at most 64, starting with a letter or '_'.
PatternCodec name();
/// "process/fence" or "fence".
PatternCodec path_name();
/// "process/fence" of another process.
PatternCodec opened_name();
/// Agent of `Steps`: names joined by dots.
PatternCodec agent_name();
/// "I1" to "I999".
PatternCodec invariant();
/// The same, or another finding of an exploration: "HANG", "BUG_CHECK".
PatternCodec finding();
/// Findings that are no invariants.
struct Findings {
  static constexpr const char* kHang = "HANG";           ///< the run does not come to its end
  static constexpr const char* kBugCheck = "BUG_CHECK";  ///< a bug check stops the machine
  static constexpr const char* kCall = "CALL";  ///< a step has another result than it expects
};
/// Id of a requirement, e.g. "NF3".
PatternCodec requirement();

using abi::Choice;

// Non-template part of ChoiceCodec.
std::size_t read_choice(const Node& node, const std::vector<std::string>& texts);

/// One of a fixed set of words.
template <class E, std::size_t N>
struct ChoiceCodec {
  const std::array<Choice<E>, N>& choices;

  void read(const Node& node, E& out) const { out = choices[read_choice(node, texts())].value; }
  Json write(E value) const;
  Json schema(SchemaDefinitions&) const;

 private:
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Choice<E>& choice : choices) all.emplace_back(choice.text);
    return all;
  }
};
template <class E, std::size_t N>
ChoiceCodec<E, N> choice(const std::array<Choice<E>, N>& choices) {
  return {choices};
}

/// One of a set of words known at run time, e.g. names of profiles.
struct WordCodec {
  std::vector<std::string> words;
  void read(const Node& node, std::string& out) const { out = words[read_choice(node, words)]; }
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// An optional value; without a value it is not written.
template <class C>
struct MaybeCodec {
  C codec;
  template <class T>
  void read(const Node& node, std::optional<T>& out) const {
    codec.read(node, out.emplace());
  }
  template <class T>
  Json write(const std::optional<T>& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};
template <class C>
MaybeCodec<C> maybe(C codec) {
  return {codec};
}

/// A struct written as one of its members.
template <class S, class M, class C>
struct MemberCodec {
  M S::*pointer;
  C codec;
  void read(const Node& node, S& out) const { codec.read(node, out.*pointer); }
  Json write(const S& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};
template <class S, class M, class C>
MemberCodec<S, M, C> member(M S::*pointer, C codec) {
  return {pointer, codec};
}

// Non-template part of ListCodec: the elements, after a check of their number.
std::size_t read_length(const Node& node, std::size_t least, std::size_t most);

/// An array of `least` to `most` values of one kind.
template <class C>
struct ListCodec {
  C codec;
  std::size_t least;
  std::size_t most;

  template <class T>
  void read(const Node& node, std::vector<T>& out) const {
    const std::size_t length = read_length(node, least, most);
    out.clear();
    out.reserve(length);
    for (std::size_t i = 0; i < length; ++i) codec.read(node.child(i), out.emplace_back());
  }
  template <class T>
  Json write(const std::vector<T>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};
template <class C>
ListCodec<C> list(C codec, std::size_t least, std::size_t most) {
  return {codec, least, most};
}

}  // namespace fenceline::scenario
