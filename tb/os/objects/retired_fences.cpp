#include "tb/os/objects/retired_fences.h"

#include <algorithm>
#include <iterator>

namespace fenceline::os {

bool RetiredFences::Entry::over() const {
  // Until its removal here, a monitored fence is also in the list of all monitored fences.
  const long known = fence != nullptr && fence->kind == Fence::Kind::kMonitored ? 2 : 1;
  return (fence == nullptr || fence.use_count() <= known) &&
         std::all_of(submitted.begin(), submitted.end(),
                     [](const ContextQueue::Mark& mark) { return mark.passed(); });
}

std::vector<RetiredFences::Entry> RetiredFences::take(std::size_t together) {
  std::vector<Entry> result;
  if (entries_.size() < together) return result;
  const auto left = std::stable_partition(entries_.begin(), entries_.end(),
                                          [](const Entry& entry) { return !entry.over(); });
  if (entries_.end() - left < static_cast<std::ptrdiff_t>(together)) return result;
  std::move(left, entries_.end(), std::back_inserter(result));
  entries_.erase(left, entries_.end());
  return result;
}

}  // namespace fenceline::os
