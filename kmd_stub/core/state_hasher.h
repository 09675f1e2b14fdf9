#pragma once

#include <cstdint>

namespace fenceline::kmd {

/// Hashes the driver's state for HostPort::expose_state. Different states must give different
/// hashes; nothing else is required. Source: FNV-1a (Fowler, Noll, Vo), by words of 64 bits.
class StateHasher {
 public:
  StateHasher& add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x100000001B3ULL;
    state_ ^= state_ >> 29;
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace fenceline::kmd
