#pragma once

#include <string>
#include <string_view>

namespace fenceline::report {

/// Bytes as base64 of raw deflate, which is how a page holds them. The same bytes give the same
/// text with the same zlib.
std::string packed(const std::string& bytes);
/// The bytes of a packed text. Throws std::invalid_argument if the text was not made by packed(),
/// or if it holds more than kMostUnpacked bytes.
std::string unpacked(std::string_view text);

constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

}  // namespace fenceline::report
