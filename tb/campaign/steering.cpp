#include "tb/campaign/steering.h"

#include <algorithm>
#include <string>

namespace fenceline::campaign {

namespace {

using coverage::Space;

/// Share of the points that were not hit [%].
class Holes {
 public:
  explicit Holes(const coverage::Table& table) : table_(table) {}

  void count(coverage::Point point) {
    ++points_;
    holes_ += table_.runs_of(point) == 0 ? 1 : 0;
  }
  std::uint32_t per_cent() const { return points_ == 0 ? 0 : 100 * holes_ / points_; }

 private:
  const coverage::Table& table_;
  std::uint32_t points_ = 0;
  std::uint32_t holes_ = 0;
};

/// Pairs that the features with this end of their names take part in.
std::uint32_t holes_of(const coverage::Table& table, const std::string& name) {
  const Space& space = Space::all();
  const std::vector<std::string>& features = space.features();
  Holes holes(table);
  for (std::size_t a = 0; a < features.size(); ++a) {
    const std::string& feature = features[a];
    if (feature.size() < name.size() ||
        feature.compare(feature.size() - name.size(), name.size(), name) != 0)
      continue;
    for (std::size_t b = 0; b < features.size(); ++b) holes.count(space.pair(a, b));
  }
  return holes.per_cent();
}

/// A weight that no hole asks for falls to a quarter; it never falls to 0.
std::uint32_t weighted(std::uint32_t weight, std::uint32_t holes) {
  if (weight == 0) return 0;
  return std::max(1U, weight * (25 + 75 * holes / 100) / 100);
}

/// A frequency [%] rises half the way to 100 if all points are holes.
std::uint32_t risen(std::uint32_t frequency, std::uint32_t holes) {
  if (frequency == 0) return 0;
  return frequency + (100 - frequency) * holes / 200;
}

}  // namespace

generate::Constraints steered(const generate::Constraints& base, const coverage::Table& coverage) {
  generate::Constraints result = base;
  if (coverage.runs() == 0) return result;
  const Space& space = Space::all();
  for (auto& [verb, weight] : result.steps)
    weight = weighted(weight, holes_of(coverage, "step " + verb));
  for (auto& [verb, weight] : result.commands) {
    const auto point = space.find(coverage::Group::kCommand, verb);
    const bool hit = !point || coverage.runs_of(*point) != 0;
    weight = weighted(weight, hit ? 0 : 100);
  }
  generate::Features& features = result.features;
  features.monitored_fences =
      risen(features.monitored_fences, holes_of(coverage, "monitored fence"));
  features.cross_adapter_fences =
      risen(features.cross_adapter_fences, holes_of(coverage, "cross-adapter fence"));
  features.logs = risen(features.logs, holes_of(coverage, "log_flush_call"));
  return result;
}

}  // namespace fenceline::campaign
