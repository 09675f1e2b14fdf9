#include "tb/scenario/shapes/codec.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/scenario/text/characters.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

using Kind = JsonValue::Kind;

constexpr const char* kValuePattern = "^(0|[1-9][0-9]{0,19}|0[xX][0-9a-fA-F]{1,16}|max)$";
constexpr std::size_t kMaxName = 64;

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool is_power_of_two(std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName || !starts_name(text[0])) return false;
  for (const char c : text) {
    if (!starts_name(c) && !is_digit(c) && c != '-' && c != '.') return false;
  }
  return true;
}

bool is_opened_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_name(text.substr(0, slash)) &&
         is_name(text.substr(slash + 1));
}

bool is_path_name(std::string_view text) { return is_name(text) || is_opened_name(text); }

bool is_agent_name(std::string_view text) {
  if (text.empty() || text.size() > 256 || !starts_name(text[0])) return false;
  for (const char c : text) {
    if (!starts_name(c) && !is_digit(c) && c != '-' && c != '.' && c != '/') return false;
  }
  return true;
}

/// "I1" to "I999" without leading zeros.
bool is_invariant(std::string_view text) {
  if (text.size() < 2 || text.size() > 4 || text[0] != 'I' || text[1] == '0') return false;
  return std::all_of(text.begin() + 1, text.end(), is_digit);
}

bool is_requirement(std::string_view text) {
  constexpr std::array<std::string_view, 7> kGroups{"NF", "LB", "MF", "MM", "EV", "PR", "UX"};
  if (text.size() < 3 || text.size() > 4 || text[2] == '0') return false;
  for (const char c : text.substr(2)) {
    if (!is_digit(c)) return false;
  }
  for (const std::string_view group : kGroups) {
    if (text.substr(0, 2) == group) return true;
  }
  return false;
}

/// True for text that matches kValuePattern.
bool is_value(std::string_view text) {
  if (text == "max") return true;
  const bool hex = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const std::size_t most = hex ? 16 : 20;
  if (text.empty() || text.size() > most) return false;
  if (!hex && text.size() > 1 && text[0] == '0') return false;
  return text.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") ==
         std::string_view::npos;
}

/// Number of characters in UTF-8 text.
std::size_t length(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

/// A non-negative whole number as written in JSON.
std::uint64_t whole_number(const Node& node, const std::string& expected) {
  if (!node.is(Kind::kNumber)) node.fail_type(expected);
  const std::string& text = node.value().text;
  if (text[0] == '-') node.fail("found the negative number " + text, expected);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c))
      node.fail("found the number " + text, expected, "write it without point or exponent");
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMaxUint64 - digit) / 10) {
      node.fail("the number " + text + " does not fit 64 bits", expected);
    }
    value = value * 10 + digit;
  }
  return value;
}

std::string between(std::uint64_t min, std::uint64_t max) {
  return "between " + std::to_string(min) + " and " + std::to_string(max);
}

Json pattern_schema(const char* pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

}  // namespace

void BooleanCodec::read(const Node& node, bool& out) const {
  if (!node.is(Kind::kBoolean)) node.fail_type("true or false");
  out = node.value().text == "true";
}

Json BooleanCodec::write(bool value) const { return value; }
Json BooleanCodec::schema(SchemaDefinitions&) const { return {{"type", "boolean"}}; }

void OnlyCodec::read(const Node& node, bool& out) const {
  BooleanCodec{}.read(node, out);
  if (out != only)
    node.fail_type(only ? "true: the model has no other yet" : "false: the model has no other yet");
}

Json OnlyCodec::write(bool value) const { return value; }
Json OnlyCodec::schema(SchemaDefinitions&) const { return {{"enum", Json::array({only})}}; }

std::uint64_t IntegerCodec::read_number(const Node& node) const {
  std::string expected = power_of_two ? "a power of two " : "a whole number ";
  expected += between(min, max);
  const std::uint64_t value = whole_number(node, expected);
  if (value < min || value > max)
    node.fail("the number " + node.value().text + " is out of range", expected);
  if (power_of_two && !is_power_of_two(value))
    node.fail(node.value().text + " is no power of two", expected);
  return value;
}

Json IntegerCodec::write(std::uint64_t value) const { return value; }

Json IntegerCodec::schema(SchemaDefinitions&) const {
  if (!power_of_two) return {{"type", "integer"}, {"minimum", min}, {"maximum", max}};
  Json powers = Json::array();
  for (std::uint64_t power = 1; power <= max; power *= 2) {
    if (power >= min) powers.push_back(power);
  }
  return {{"enum", powers}};
}

void SignedCodec::read(const Node& node, std::int32_t& out) const {
  const std::string expected =
      "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  const std::string& text = node.value().text;
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  const bool whole = node.is(Kind::kNumber) && text.size() - first <= kMaxDigits &&
                     text.find_first_not_of("0123456789", first) == std::string::npos;
  if (!whole) node.fail("found " + describe_value(node.value()), expected);
  const int value = std::stoi(text);
  if (value < min || value > max) node.fail("the number " + text + " is out of range", expected);
  out = value;
}

Json SignedCodec::write(std::int32_t value) const { return value; }

Json SignedCodec::schema(SchemaDefinitions&) const {
  return {{"type", "integer"}, {"minimum", min}, {"maximum", max}};
}

void ValueCodec::read(const Node& node, std::uint64_t& out) const {
  const std::string expected = "a whole number below 2^64, \"0x...\" or \"max\"";
  if (!node.is(Kind::kString)) {
    out = whole_number(node, expected);
    return;
  }
  try {
    const std::string& text = node.value().text;
    if (text.find('$') != std::string::npos) node.fail("counters have no value here", expected);
    if (!is_value(text)) node.fail("found " + describe_value(node.value()), expected);
    out = Expression::parse(text).constant();
  } catch (const std::invalid_argument& error) {
    node.fail("found " + describe_value(node.value()) + ": " + error.what(), expected);
  }
}

Json ValueCodec::write(std::uint64_t value) const {
  return ExpressionCodec{}.write(Expression(value));
}

Json ValueCodec::schema(SchemaDefinitions&) const {
  return {
      {"oneOf",
       {{{"type", "integer"}, {"minimum", 0}}, {{"type", "string"}, {"pattern", kValuePattern}}}}};
}

void ExpressionCodec::read(const Node& node, Expression& out) const {
  const std::string expected =
      "a whole number, \"0x...\", \"max\" or an expression such as \"${i}*2+1\"";
  if (node.is(Kind::kString)) {
    try {
      out = Expression::parse(node.value().text);
    } catch (const std::invalid_argument& error) {
      node.fail(in_quotes(node.value().text) + " is no expression: " + error.what(), expected);
    }
  } else {
    out = Expression(whole_number(node, expected));
  }
  if (out.is_constant() && (out.constant() < min || out.constant() > max)) {
    node.fail("the number " + std::to_string(out.constant()) + " is out of range",
              "a number " + between(min, max));
  }
}

Json ExpressionCodec::write(const Expression& value) const {
  if (value.is_constant() && value.constant() <= kMaxNumber) return value.constant();
  return value.to_string();
}

Json ExpressionCodec::schema(SchemaDefinitions&) const {
  Json number{{"type", "integer"}, {"minimum", min}};
  if (max != kMaxUint64) number["maximum"] = max;
  return {{"oneOf", {number, {{"type", "string"}, {"pattern", "^[ 0-9a-zA-Z_.${}*+-]+$"}}}}};
}

void QuantityCodec::read(const Node& node, std::uint64_t& out) const {
  if (node.is(Kind::kNumber)) node.fail("found a number without a unit", what);
  const std::string& text = node.string(what);
  std::uint64_t value = 0;
  try {
    value = parse(text);
  } catch (const std::invalid_argument& error) {
    node.fail("in " + in_quotes(text) + " " + error.what(), what);
  }
  if (value < min || value > max) {
    node.fail(in_quotes(text) + " is out of range",
              "a value between " + format(min) + " and " + format(max));
  }
  if (value % multiple != 0) node.fail(in_quotes(text) + " is no multiple of " + format(multiple));
  if (power_of_two && value != 0 && !is_power_of_two(value))
    node.fail(in_quotes(text) + " is no power of two");
  out = value;
}

void QuantityCodec::read(const Node& node, std::uint32_t& out) const {
  std::uint64_t value = 0;
  read(node, value);
  out = static_cast<std::uint32_t>(value);
}

Json QuantityCodec::write(std::uint64_t value) const { return format(value); }
Json QuantityCodec::schema(SchemaDefinitions&) const { return pattern_schema(pattern); }

void TextCodec::read(const Node& node, std::string& out) const {
  const std::string& text = node.string();
  if (length(text) < least) node.fail("the text is empty");
  if (length(text) > most) {
    node.fail("the text is longer than " + std::to_string(most) + " characters");
  }
  out = text;
}

Json TextCodec::write(const std::string& value) const { return value; }

Json TextCodec::schema(SchemaDefinitions&) const {
  return {{"type", "string"}, {"minLength", least}, {"maxLength", most}};
}

void PatternCodec::read(const Node& node, std::string& out) const {
  const std::string& text = node.string(what);
  if (!matches(text)) node.fail("found " + describe_value(node.value()), what);
  out = text;
}

Json PatternCodec::write(const std::string& value) const { return value; }
Json PatternCodec::schema(SchemaDefinitions&) const { return pattern_schema(pattern); }

PatternCodec name() {
  return {"a name of letters, digits, '_', '-' and '.' that starts with a letter",
          "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$", is_name};
}
PatternCodec opened_name() {
  return {"\"process/fence\"", "^[A-Za-z_][A-Za-z0-9_.-]{0,63}/[A-Za-z_][A-Za-z0-9_.-]{0,63}$",
          is_opened_name};
}
PatternCodec path_name() {
  return {"the name of a fence, or \"process/fence\"",
          "^[A-Za-z_][A-Za-z0-9_.-]{0,63}(/[A-Za-z_][A-Za-z0-9_.-]{0,63})?$", is_path_name};
}
PatternCodec agent_name() {
  return {"the name of an agent, e.g. \"gpu0.compute0.vram1\"", "^[A-Za-z_][A-Za-z0-9_./-]{0,255}$",
          is_agent_name};
}
PatternCodec invariant() {
  return {"an invariant from \"I1\" to \"I999\"", "^I([1-9][0-9]{0,2})$", is_invariant};
}
PatternCodec finding() {
  return {"an invariant from \"I1\" to \"I999\", \"HANG\", \"BUG_CHECK\" or \"CALL\"",
          "^(I([1-9][0-9]{0,2})|HANG|BUG_CHECK|CALL)$", [](std::string_view text) {
            return is_invariant(text) || text == Findings::kHang || text == Findings::kBugCheck ||
                   text == Findings::kCall;
          }};
}
PatternCodec requirement() {
  return {"a requirement such as \"NF3\"", "^(NF|LB|MF|MM|EV|PR|UX)[1-9][0-9]?$", is_requirement};
}

std::size_t read_choice(const Node& node, const std::vector<std::string>& texts) {
  const std::string expected = one_of(texts);
  const std::string& text = node.string(expected);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == text) return i;
  }
  node.fail("found " + describe_value(node.value()), expected, did_you_mean(text, texts));
}

Json WordCodec::write(const std::string& value) const { return value; }
Json WordCodec::schema(SchemaDefinitions&) const { return {{"enum", words}}; }

std::size_t read_length(const Node& node, std::size_t least, std::size_t most) {
  const std::size_t length = node.array().size();
  const std::string found = "the array has " + std::to_string(length) + " elements";
  if (length < least) {
    node.fail(length == 0 ? "the array is empty" : found, "at least " + std::to_string(least));
  }
  if (length > most) node.fail(found, "at most " + std::to_string(most));
  return length;
}

}  // namespace fenceline::scenario
