#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fenceline::report {

/// Bytes as base64 of raw deflate, which is how a page holds them. The same bytes give the same
/// text with the same zlib.
std::string packed(const std::string& bytes);
/// The bytes of a packed text. Throws std::invalid_argument if the text was not made by packed(),
/// or if it holds more than kMostUnpacked bytes.
std::string unpacked(std::string_view text);

/// Appends a number in LEB128: seven bits a byte, the lowest first.
void append_number(std::string& bytes, std::uint64_t value);
/// A signed number, modulo 2^64, as one without a sign: 0, -1, 1, -2, 2 and further.
std::uint64_t zigzag(std::uint64_t value);

constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

}  // namespace fenceline::report
