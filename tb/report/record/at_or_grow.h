#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline::report {

/// Element `index` of a vector. A vector that is too short grows with copies of `fresh`.
template <typename T>
T& at_or_grow(std::vector<T>& list, std::uint64_t index, const T& fresh = T{}) {
  if (index >= list.size()) list.resize(static_cast<std::size_t>(index) + 1, fresh);
  return list[static_cast<std::size_t>(index)];
}

}  // namespace fenceline::report
