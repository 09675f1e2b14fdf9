#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline::common {

/// A table indexed by object number that grows when a larger number is met. References stay valid
/// until the table grows or the item is forgotten.
template <class T>
class Dense {
 public:
  T& operator[](std::size_t index) {
    size_ = std::max(size_, index + 1);
    const std::size_t number = index / kTogether;
    if (number >= chunks_.size()) chunks_.resize(number + 1);
    Chunk& chunk = chunks_[number];
    if (chunk.items.empty()) chunk.items.resize(kTogether);
    if (chunk.forgotten != 0) chunk.forgotten &= ~bit_of(index);
    return chunk.items[index % kTogether];
  }
  /// An item that was never met is as it starts.
  const T& operator[](std::size_t index) const {
    static const T kNone{};
    return known(index) ? chunks_[index / kTogether].items[index % kTogether] : kNone;
  }
  std::size_t size() const { return size_; }
  /// False where nothing is known of the object.
  bool known(std::size_t index) const {
    const std::size_t number = index / kTogether;
    return number < chunks_.size() && !chunks_[number].items.empty();
  }
  /// Nobody will ask for the object again: memory comes back when this is so of its neighbours.
  void forget(std::size_t index) {
    if (!known(index)) return;
    Chunk& chunk = chunks_[index / kTogether];
    chunk.items[index % kTogether] = T{};
    chunk.forgotten |= bit_of(index);
    if (chunk.forgotten == kAll) chunk = {};
  }

 private:
  static constexpr std::size_t kTogether = 32;
  static constexpr std::uint32_t kAll = UINT32_MAX;
  static constexpr std::uint32_t bit_of(std::size_t index) {
    return std::uint32_t{1} << index % kTogether;
  }
  struct Chunk {
    std::vector<T> items{};       ///< none, or kTogether of them
    std::uint32_t forgotten = 0;  ///< a bit an item; not met again since
  };
  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace fenceline::common
