#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace fenceline::generate {

/// Random choices from a seed: the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  /// A whole number from `least` to `most`, both included.
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    const std::uint64_t count = most - least + 1;
    return count == 0 ? engine_() : least + engine_() % count;
  }
  /// An index below `count`. @pre count is not 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(between(0, count - 1)); }
  bool chance(std::uint32_t percent) { return between(1, 100) <= percent; }
  /// The same for a feature: one that the constraints do not have takes no draw from other choices.
  bool occurs(std::uint32_t percent) { return percent != 0 && chance(percent); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  /// An index, by its weight; the number of weights if all are 0.
  std::size_t weighted(const std::vector<std::uint32_t>& weights) {
    const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    if (sum == 0) return weights.size();
    std::uint64_t rest = between(0, sum - 1);
    std::size_t index = 0;
    while (rest >= weights[index]) rest -= weights[index++];
    return index;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace fenceline::generate
