#include "tb/report/meters/samples.h"

#include <algorithm>

namespace fenceline::report {

void Samples::fold() {
  std::sort(recent_.begin(), recent_.end());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merged;
  merged.reserve(counted_.size() + 16);
  auto old = counted_.begin();
  for (const std::uint64_t value : recent_) {
    while (old != counted_.end() && old->first <= value) merged.push_back(*old++);
    if (!merged.empty() && merged.back().first == value) {
      ++merged.back().second;
    } else {
      merged.emplace_back(value, 1);
    }
  }
  merged.insert(merged.end(), old, counted_.end());
  counted_ = std::move(merged);
  recent_.clear();
  fold_at_ = std::max(kFoldAt, counted_.size());  // amortised: few values, few merges
}

std::uint64_t Samples::percentile(std::uint64_t count, std::uint64_t percent) const {
  // Nearest rank, 1-based: count * percent / 100 rounded up, without overflow.
  const std::uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (const auto& [value, times] : counted_) {
    seen += times;
    if (seen >= rank) return value;
  }
  return counted_.back().first;
}

Latency Samples::summarise(std::string name, std::string meaning) {
  fold();
  Latency latency;
  latency.name = std::move(name);
  latency.meaning = std::move(meaning);
  if (counted_.empty()) return latency;
  for (const auto& [value, times] : counted_) latency.count += times;
  std::uint64_t remainder = 0;  // the mean in two parts, so that no sum overflows
  for (const auto& [value, times] : counted_) {
    remainder += value % latency.count * times;
    latency.mean += value / latency.count * times + remainder / latency.count;
    remainder %= latency.count;
  }
  latency.min = counted_.front().first;
  latency.max = counted_.back().first;
  latency.p50 = percentile(latency.count, 50);
  latency.p99 = percentile(latency.count, 99);
  return latency;
}

}  // namespace fenceline::report
