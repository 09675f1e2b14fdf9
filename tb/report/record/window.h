#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline::report {

/// States of objects with ascending numbers, of which only a narrow range is alive at a time
/// (waiters, updates). A ring indexed by the number: no search, and no allocation while the range
/// fits.
template <typename T>
class Window {
 public:
  /// Starts `number` with a new state, even if it was alive.
  T& open(std::uint64_t number) {
    if (low_ == high_) low_ = high_ = number;
    const std::uint64_t low = number < low_ ? number : low_;
    const std::uint64_t high = number >= high_ ? number + 1 : high_;
    if (high - low > slots_.size()) grow(high - low);
    low_ = low;
    high_ = high;
    Slot& slot = at(number);
    slot = Slot{T{}, true};
    return slot.value;
  }
  /// State of `number`, or null when it is not alive.
  T* find(std::uint64_t number) {
    if (number < low_ || number >= high_ || !at(number).live) return nullptr;
    return &at(number).value;
  }
  /// Ends `number` if it is alive.
  void close(std::uint64_t number) {
    if (find(number) == nullptr) return;
    at(number).live = false;
    while (low_ < high_ && !at(low_).live) ++low_;
  }
  /// Numbers from the oldest alive to the newest, ends included.
  std::uint64_t span() const { return high_ - low_; }

 private:
  struct Slot {
    T value{};
    bool live = false;
  };

  Slot& at(std::uint64_t number) { return slots_[number & (slots_.size() - 1)]; }

  void grow(std::uint64_t span) {
    std::size_t capacity = slots_.empty() ? 64 : slots_.size();
    while (capacity < span) capacity *= 2;
    std::vector<Slot> wider(capacity);
    for (std::uint64_t n = low_; n < high_; ++n) wider[n & (capacity - 1)] = at(n);
    slots_ = std::move(wider);
  }

  std::vector<Slot> slots_;  ///< a power of two of them
  std::uint64_t low_ = 0;    ///< oldest that may be alive
  std::uint64_t high_ = 0;   ///< one past the newest
};

}  // namespace fenceline::report
