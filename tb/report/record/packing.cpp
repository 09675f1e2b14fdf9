#include "tb/report/record/packing.h"

#include <algorithm>
#include <array>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cstdint>
#include <stdexcept>
#include <zlib.h>

namespace fenceline::report {

namespace {

constexpr int kRaw = -15;  ///< deflate without a header

// zlib reads from a pointer to bytes that it does not change, but takes it as one that it may.
Bytef* input_of(const std::string& bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  constexpr int kMemory = 8;
  constexpr std::size_t kSmall = std::size_t{1} << 20U;  // the best level takes no time to speak of
  const int level = bytes.size() <= kSmall ? Z_BEST_COMPRESSION : Z_DEFAULT_COMPRESSION;
  if (deflateInit2(&stream, level, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot be started");
  std::string small(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(small.data());
  stream.avail_out = static_cast<uInt>(small.size());
  const int ended = deflate(&stream, Z_FINISH);
  small.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::runtime_error("zlib cannot compress the page");
  return small;
}

std::string inflated(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kRaw) != Z_OK) throw std::runtime_error("zlib cannot be started");
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string whole;
  std::array<char, 1 << 16> piece{};
  int state = Z_OK;
  while (state == Z_OK && whole.size() <= kMostUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    whole.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool complete = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!complete) throw std::invalid_argument("the packed bytes are damaged");
  return whole;
}

std::string to_base64(std::string bytes) {
  namespace iterators = boost::archive::iterators;
  using Digits = iterators::base64_from_binary<iterators::transform_width<const char*, 6, 8>>;
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  bytes.append(padding, '\0');
  std::string text(Digits(bytes.data()), Digits(bytes.data() + bytes.size()));
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kDigitBits = 6, kByteBits = 8;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw std::invalid_argument("the text is not base64");
    bits = bits << kDigitBits | static_cast<std::uint32_t>(digit);
    count += kDigitBits;
    if (count < kByteBits) continue;
    count -= kByteBits;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

}  // namespace

std::string packed(const std::string& bytes) { return to_base64(deflated(bytes)); }

std::string unpacked(std::string_view text) { return inflated(from_base64(text)); }

void append_number(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
}

std::uint64_t zigzag(std::uint64_t value) {
  const bool negative = value >> 63 != 0;
  return negative ? ~(value << 1) : value << 1;
}

}  // namespace fenceline::report
