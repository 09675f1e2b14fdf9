#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fenceline::explore {

/// Delta debugging: a minimal part of `holds` for which `fails` is true; it is false when any one
/// member is removed. Returns `holds` if `fails` is false for it.
/// Source: Zeller and Hildebrandt 2002; for schedules Choi and Zeller 2002.
template <typename Rule, typename Fails>
std::vector<Rule> minimize(std::vector<Rule> holds, const Fails& fails) {
  if (fails(std::vector<Rule>())) return {};
  if (!fails(holds)) return holds;
  std::size_t parts = 2;
  while (holds.size() >= 2) {
    const std::size_t size = (holds.size() + parts - 1) / parts;
    bool smaller = false;
    for (std::size_t begin = 0; begin < holds.size() && !smaller; begin += size) {
      const std::size_t end = std::min(begin + size, holds.size());
      std::vector<Rule> fewer(holds.begin(), holds.begin() + static_cast<std::ptrdiff_t>(begin));
      fewer.insert(fewer.end(), holds.begin() + static_cast<std::ptrdiff_t>(end), holds.end());
      if (!fails(fewer)) continue;
      holds = std::move(fewer);
      smaller = true;
    }
    if (smaller) {
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (size == 1) {
      break;
    } else {
      parts = std::min(parts * 2, holds.size());
    }
  }
  return holds;
}

}  // namespace fenceline::explore
