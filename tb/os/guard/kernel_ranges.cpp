#include "tb/os/guard/kernel_ranges.h"

#include <algorithm>

namespace fenceline::os {

void KernelRanges::add(std::uint64_t first, std::uint64_t bytes) {
  std::uint64_t begin = first;
  std::uint64_t end = first + bytes;
  // Ranges that overlap become one; neighbours do not.
  auto it = own_.lower_bound(begin);
  if (it != own_.begin() && std::prev(it)->second > begin) --it;
  while (it != own_.end() && it->first < end) {
    begin = std::min(begin, it->first);
    end = std::max(end, it->second);
    it = own_.erase(it);
  }
  own_[begin] = end;
}

void KernelRanges::give(std::uint64_t first, std::uint64_t bytes) {
  const bool device = first >= device_first_;
  std::vector<bool>& pages = device ? device_pages_ : system_pages_;
  const std::uint64_t from = device ? first - device_first_ : first;
  const std::uint64_t last = (from + bytes - 1) / kPage;
  if (last >= pages.size()) pages.resize(last + 1);
  for (std::uint64_t page = from / kPage; page <= last; ++page) pages[page] = true;
}

bool KernelRanges::own(std::uint64_t first, std::uint64_t bytes) const {
  const auto after = own_.upper_bound(first);
  if (after == own_.begin()) return false;
  const std::uint64_t end = std::prev(after)->second;
  return first < end && bytes <= end - first;
}

bool KernelRanges::given(std::uint64_t first, std::uint64_t bytes) const {
  const bool device = first >= device_first_;
  const std::vector<bool>& pages = device ? device_pages_ : system_pages_;
  const std::uint64_t from = device ? first - device_first_ : first;
  if (bytes > pages.size() * kPage || from > pages.size() * kPage - bytes) return false;
  for (std::uint64_t page = from / kPage; page <= (from + bytes - 1) / kPage; ++page)
    if (!pages[page]) return false;
  return true;
}

}  // namespace fenceline::os
