#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/common/hash.h"
#include "models/common/steps/steps.h"

namespace fenceline::common {

/// Old values of host memory that recent stores have overwritten. On a weakly ordered core a load
/// may take effect before its place in the program. Kept only while exploring and only as far back
/// as the loads of a core may reach. It instruments the model and is not part of the hardware.
class StoreHistory {
 public:
  static constexpr std::uint64_t kNow = ~std::uint64_t{0};

  /// Registers a core as reader. @return its number, for reach_back. @param place footprint place:
  /// the reader writes it when its reach ends, stores read it.
  std::size_t add_reader(std::uint64_t place) {
    readers_.push_back({place, 0});
    return readers_.size() - 1;
  }
  bool kept() const { return !readers_.empty(); }
  /// Number of stores so far.
  std::uint64_t count() const { return count_; }
  /// The reader loads no value that store `store` or an earlier store has overwritten.
  void reach_back(std::size_t reader, std::uint64_t store) {
    readers_[reader].oldest = store;
    std::uint64_t oldest = count_;
    for (const ReaderState& it : readers_) oldest = std::min(oldest, it.oldest);
    const auto end = std::find_if(words_.begin(), words_.end(),
                                  [oldest](const Word& word) { return word.store > oldest; });
    words_.erase(words_.begin(), end);
  }
  /// Call before a store of `bytes` at `address`. @param word returns the aligned 64 bits at an
  /// address.
  template <class F>
  void add(Steps& steps, std::uint64_t address, std::size_t bytes, const F& word) {
    ++count_;
    for (const ReaderState& it : readers_) steps.touch(Place::kRegister, it.place, false);
    for (std::uint64_t at = address & ~7ULL; at < address + bytes; at += 8)
      words_.push_back({count_, at, word(at)});
  }
  /// Number of the last store to these bytes between the stores `after` and `before`, both
  /// excluded; 0 if none.
  std::uint64_t last(std::uint64_t address, std::size_t bytes, std::uint64_t after,
                     std::uint64_t before) const {
    for (auto it = words_.rbegin(); it != words_.rend() && it->store > after; ++it)
      if (it->store < before && it->overlaps(address, bytes)) return it->store;
    return 0;
  }
  /// Turns the current bytes into the bytes before store `before`.
  void undo(std::uint64_t address, unsigned char* data, std::size_t bytes,
            std::uint64_t before) const {
    for (auto it = words_.rbegin(); it != words_.rend() && it->store >= before; ++it) {
      if (!it->overlaps(address, bytes)) continue;
      const std::uint64_t begin = std::max(address, it->address);
      const std::uint64_t end = std::min(address + bytes, it->address + 8);
      std::memcpy(data + (begin - address),
                  reinterpret_cast<const unsigned char*>(&it->old) + (begin - it->address),
                  end - begin);
    }
  }
  /// Hash of the old values after store `after` that loads can still see.
  std::uint64_t hash_since(std::uint64_t after) const {
    std::uint64_t sum = 0;  // stores to different words have no order
    for (const Word& word : words_) {
      if (word.store <= after) continue;
      const auto younger = std::count_if(words_.begin(), words_.end(), [&](const Word& other) {
        return other.address == word.address && other.store > word.store;
      });
      sum += hash_values(word.address, word.old, static_cast<std::uint64_t>(younger));
    }
    return sum;
  }

 private:
  struct ReaderState {
    std::uint64_t place;
    std::uint64_t oldest;
  };
  struct Word {
    std::uint64_t store;    ///< number of the store
    std::uint64_t address;  ///< aligned
    std::uint64_t old;
    bool overlaps(std::uint64_t begin, std::size_t bytes) const {
      return begin < address + 8 && address < begin + bytes;
    }
  };
  std::vector<ReaderState> readers_;
  std::vector<Word> words_;  ///< oldest first
  std::uint64_t count_ = 0;
};

}  // namespace fenceline::common
