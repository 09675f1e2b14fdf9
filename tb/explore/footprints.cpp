#include "tb/explore/footprints.h"

#include <algorithm>

namespace fenceline::explore {

namespace {
void normalize(Touched& touched) {
  std::sort(touched.begin(), touched.end(), [](const auto& a, const auto& b) {
    return a.location != b.location ? a.location < b.location : a.write > b.write;
  });
  touched.erase(std::unique(touched.begin(), touched.end(),
                            [](const auto& a, const auto& b) { return a.location == b.location; }),
                touched.end());
}
}  // namespace

Touched touched_by(const std::vector<common::Steps::Touch>& record) {
  Touched touched;
  touched.reserve(record.size());
  for (const common::Steps::Touch& touch : record) touched.push_back(touch.access);
  normalize(touched);
  return touched;
}

bool conflict(const Touched& a, const Touched& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->location < j->location) {
      ++i;
    } else if (j->location < i->location) {
      ++j;
    } else {
      if (i->write || j->write) return true;
      ++i;
      ++j;
    }
  }
  return false;
}

std::uint64_t Footprints::key(const common::Candidate& candidate) {
  common::Hasher hasher;
  hasher.add(candidate.history)
      .add(std::uint64_t{candidate.agent} << 8 | static_cast<std::uint64_t>(candidate.operation));
  for (std::size_t i = 0; i < candidate.footprint.size(); ++i)
    hasher.add(candidate.footprint[i].location);
  return hasher.value();
}

void Footprints::learn(const common::Candidate& candidate,
                       const std::vector<common::Steps::Touch>& record, const Touched& touched) {
  for (const common::Steps::Touch& touch : record) {
    Location& location = locations_[touch.access.location];
    const bool before = location.shared();
    if (location.agent == 0) location.agent = touch.agent;
    location.several |= location.agent != touch.agent;
    location.written |= touch.access.write;
    if (before || !location.shared()) continue;
    ++shared_;
    outdated_ |= location.relied;
  }
  // The same situation may differ in what the agent does not know: everything seen counts.
  Touched& known = known_[key(candidate)];
  if (known.empty()) {
    known = touched;
    return;
  }
  known.insert(known.end(), touched.begin(), touched.end());
  normalize(known);
}

bool Footprints::is_private(const common::Candidate& candidate) const {
  const auto known = known_.find(key(candidate));
  if (known == known_.end()) return false;
  return std::none_of(known->second.begin(), known->second.end(), [&](const auto& access) {
    const auto location = locations_.find(access.location);
    return location != locations_.end() && location->second.shared();
  });
}

bool Footprints::rely(const Touched& touched) {
  for (const auto& access : touched) {
    Location& location = locations_[access.location];
    if (location.shared()) return false;
    location.relied = true;
  }
  return true;
}

}  // namespace fenceline::explore
