#pragma once

#include <cstdint>
#include <string_view>

namespace fenceline::run {

/// FNV-1a, 64 bits: detects torn and changed bytes, gives no security. Continues from `hash`.
inline std::uint64_t checksum(std::string_view bytes, std::uint64_t hash = 0xCBF29CE484222325ULL) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3ULL;
  }
  return hash;
}

}  // namespace fenceline::run
