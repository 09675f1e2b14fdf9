#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fenceline::report {

/// Writes Protocol Buffers fields to room that the caller has reserved. Made for many short
/// messages: a length that fits into one byte is filled in without moving the message.
class PbfMessage {
 public:
  /// Where a nested message begins.
  using Mark = char*;

  explicit PbfMessage(char* room) : at_(room) {}

  void varint(std::uint32_t field, std::uint64_t value) {
    raw(field << 3 | kVarint);
    raw(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    raw(field << 3 | kFixed64);
    for (unsigned i = 0; i < 8; ++i) *at_++ = static_cast<char>(value >> 8 * i);
  }
  Mark open(std::uint32_t field) {
    raw(field << 3 | kLength);
    return ++at_;
  }
  void close(Mark begin) {
    const auto length = static_cast<std::size_t>(at_ - begin);
    if (length < 0x80) {
      begin[-1] = static_cast<char>(length);
    } else {
      close_long(begin, length);
    }
  }
  char* end() const { return at_; }

  /// [bytes] Longest varint field or head of a nested message. Field numbers up to 2047.
  static constexpr std::size_t kMaxField = 12;

 private:
  enum Wire : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2 };

  void raw(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }
  void close_long(Mark begin, std::size_t length) {
    std::size_t more = 0;
    for (std::size_t remaining = length >> 7; remaining > 0; remaining >>= 7) ++more;
    std::memmove(begin + more, begin, length);
    at_ = begin - 1;
    raw(length);
    at_ += length;
  }

  char* at_;
};

}  // namespace fenceline::report
