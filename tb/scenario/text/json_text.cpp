#include "tb/scenario/text/json_text.h"

#include "tb/scenario/text/characters.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

unsigned byte_at(const Cursor& cursor) { return static_cast<unsigned char>(cursor.peek()); }

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3FU));
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

unsigned read_hex4(Cursor& cursor, Position start) {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = cursor.peek();
    unsigned digit = 0;
    if (is_digit(c))
      digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<unsigned>(c - 'A') + 10;
    else
      throw JsonTextError{start, "\\u is not followed by four hexadecimal digits", {}};
    code = code << 4U | digit;
    cursor.advance();
  }
  return code;
}

/// After "\u": one code point, from one escape or a surrogate pair.
unsigned read_code_point(Cursor& cursor, Position start) {
  const unsigned high = read_hex4(cursor, start);
  if (high < 0xD800 || high > 0xDFFF) return high;
  if (high > 0xDBFF || !cursor.starts_with("\\u")) {
    throw JsonTextError{start, "half of a surrogate pair", {}};
  }
  cursor.advance();
  cursor.advance();
  const unsigned low = read_hex4(cursor, start);
  if (low < 0xDC00 || low > 0xDFFF) throw JsonTextError{start, "half of a surrogate pair", {}};
  return 0x10000U + ((high - 0xD800U) << 10U) + (low - 0xDC00U);
}

void read_escape(Cursor& cursor, std::string& out) {
  const Position start = cursor.position();
  cursor.advance();  // the backslash
  const char c = cursor.peek();
  if (cursor.at_end()) throw JsonTextError{start, "the file ends inside a string", {}};
  cursor.advance();
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out += c;
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'n':
      out += '\n';
      return;
    case 'r':
      out += '\r';
      return;
    case 't':
      out += '\t';
      return;
    case 'u':
      append_utf8(out, read_code_point(cursor, start));
      return;
    default:
      throw JsonTextError{start, "unknown escape sequence in a string", {}};
  }
}

/// Copies one UTF-8 sequence of two to four bytes. Source: Unicode 15, table 3-7.
void read_sequence(Cursor& cursor, std::string& out) {
  const Position start = cursor.position();
  const unsigned lead = byte_at(cursor);
  unsigned low = 0x80;
  unsigned high = 0xBF;
  int more = 0;
  if (lead >= 0xC2 && lead <= 0xDF)
    more = 1;
  else if (lead >= 0xE0 && lead <= 0xEF)
    more = 2;
  else if (lead >= 0xF0 && lead <= 0xF4)
    more = 3;
  else
    throw JsonTextError{start, "invalid UTF-8 in a string", {}};
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  out += cursor.peek();
  cursor.advance();
  for (; more > 0; --more) {
    const unsigned byte = byte_at(cursor);
    if (cursor.at_end() || byte < low || byte > high) {
      throw JsonTextError{start, "invalid UTF-8 in a string", {}};
    }
    out += cursor.peek();
    cursor.advance();
    low = 0x80;
    high = 0xBF;
  }
}

/// True if `text` is a number in the grammar of RFC 8259.
bool is_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  if (i < text.size() && text[i] == '0')
    ++i;
  else if (!digits())
    return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

std::string read_string(Cursor& cursor, std::size_t most_bytes) {
  const Position start = cursor.position();
  cursor.advance();
  std::string out;
  for (;;) {
    if (cursor.at_end()) throw JsonTextError{start, "the file ends inside a string", {}};
    if (out.size() > most_bytes) {
      throw JsonTextError{
          start, "a string is longer than " + std::to_string(most_bytes) + " bytes", {}};
    }
    const unsigned byte = byte_at(cursor);
    if (byte == '"') break;
    if (byte == '\\') {
      read_escape(cursor, out);
    } else if (byte < 0x20) {
      throw JsonTextError{cursor.position(), "a control character or line end inside a string", {}};
    } else if (byte < 0x80) {
      out += cursor.peek();
      cursor.advance();
    } else {
      read_sequence(cursor, out);
    }
  }
  cursor.advance();
  return out;
}

std::string read_scalar(Cursor& cursor, std::size_t most_characters) {
  const Position start = cursor.position();
  std::string text;
  const auto part = [](char c) {
    return is_digit(c) || is_letter(c) || c == '-' || c == '+' || c == '.' || c == '_';
  };
  while (!cursor.at_end() && part(cursor.peek())) {
    if (text.size() >= most_characters)
      throw JsonTextError{start, "a number or word is too long", {}};
    text += cursor.peek();
    cursor.advance();
  }
  if (text.empty() || text == "true" || text == "false" || text == "null" || is_number(text)) {
    return text;
  }
  const std::string word = text[0] == '-' ? text.substr(1) : text;
  if (word == "NaN" || word == "Infinity") {
    throw JsonTextError{start, text + " is not JSON", "numbers are finite"};
  }
  if (is_digit(word.empty() ? 'x' : word[0])) {
    throw JsonTextError{start, in_quotes(text) + " is not a JSON number",
                        "quantities stand in quotes"};
  }
  throw JsonTextError{start, in_quotes(text) + " is not a JSON value",
                      "strings stand in double quotes"};
}

}  // namespace fenceline::scenario
