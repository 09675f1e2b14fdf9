#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline::common {

/// A table indexed by object number. It grows when a larger number is used. References stay valid
/// until the table grows or the item is forgotten.
template <class T>
class Dense {
 public:
  T& operator[](std::size_t index) {
    size_ = std::max(size_, index + 1);
    const std::size_t number = index / kChunkItems;
    if (number >= chunks_.size()) chunks_.resize(number + 1);
    Chunk& chunk = chunks_[number];
    if (chunk.items.empty()) chunk.items.resize(kChunkItems);
    if (chunk.forgotten != 0) chunk.forgotten &= ~bit_of(index);
    return chunk.items[index % kChunkItems];
  }
  /// An unused item has its default value.
  const T& operator[](std::size_t index) const {
    static const T kNone{};
    return known(index) ? chunks_[index / kChunkItems].items[index % kChunkItems] : kNone;
  }
  std::size_t size() const { return size_; }
  /// False if the item was never used.
  bool known(std::size_t index) const {
    const std::size_t number = index / kChunkItems;
    return number < chunks_.size() && !chunks_[number].items.empty();
  }
  /// The item will not be used again. Its memory is freed when its neighbours are forgotten too.
  void forget(std::size_t index) {
    if (!known(index)) return;
    Chunk& chunk = chunks_[index / kChunkItems];
    chunk.items[index % kChunkItems] = T{};
    chunk.forgotten |= bit_of(index);
    if (chunk.forgotten == kAll) chunk = {};
  }

 private:
  static constexpr std::size_t kChunkItems = 32;
  static constexpr std::uint32_t kAll = UINT32_MAX;
  static constexpr std::uint32_t bit_of(std::size_t index) {
    return std::uint32_t{1} << index % kChunkItems;
  }
  struct Chunk {
    std::vector<T> items{};       ///< empty or kChunkItems items
    std::uint32_t forgotten = 0;  ///< bit n: item n was forgotten and not used since
  };
  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace fenceline::common
