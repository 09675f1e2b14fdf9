#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario {

/// Walks through a text and counts lines and columns. peek() at the end returns NUL.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return offset_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[offset_]; }
  bool starts_with(std::string_view prefix) const {
    return text_.substr(offset_, prefix.size()) == prefix;
  }
  Position position() const { return {line_, column_}; }
  /// The remaining text.
  std::string_view rest() const { return text_.substr(offset_); }

  /// @pre not at the end.
  void advance() {
    const char c = text_[offset_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++column_;  // continuation bytes of UTF-8 take no column
    }
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

/// An invalid string, number or literal.
struct JsonTextError {
  Position at;
  std::string message;
  std::string hint;
};

/// Reads a quoted string and decodes it; its bytes must be UTF-8. @pre the cursor is at the opening
/// quote. Throws JsonTextError.
std::string read_string(Cursor& cursor, std::size_t most_bytes);

/// Reads a number, true, false or null and returns its text; empty if none of them starts here.
/// Throws JsonTextError.
std::string read_scalar(Cursor& cursor, std::size_t most_characters);

}  // namespace fenceline::scenario
