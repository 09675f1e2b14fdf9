#include "tb/check/core/reporter.h"

#include <cstdio>

namespace fenceline::check {

using common::ObjectKind;

void Reporter::fail(Invariant invariant, std::uint64_t object, std::uint32_t fence,
                    const std::string& message) {
  Count& count = counts_[index(invariant)];
  ++count.broken;
  if (object >= count.reported.size()) count.reported.resize(object + 1);
  if (count.reported[object]) return;
  count.reported[object] = true;
  const InvariantInfo& about = info(invariant);
  Violation violation;
  violation.invariant = about.id;
  violation.name = about.name;
  violation.message = message + " (" + about.source + ")";
  violation.time = time_;
  violation.event = seq_;
  violation.fence = fence;
  violations_.push_back(violation);
}

std::vector<Exercise> Reporter::exercised() const {
  std::vector<Exercise> all;
  for (std::size_t i = 0; i < kInvariantCount; ++i) {
    const InvariantInfo& about = all_invariants()[i];
    all.push_back({about.id, about.name, counts_[i].checked, counts_[i].broken});
  }
  return all;
}

std::array<std::uint64_t, kInvariantCount> Reporter::tested() const {
  std::array<std::uint64_t, kInvariantCount> times{};
  for (std::size_t i = 0; i < kInvariantCount; ++i) times[i] = counts_[i].checked;
  return times;
}

std::string Reporter::fence(std::uint64_t number) const { return name(ObjectKind::kFence, number); }

std::string Reporter::name(ObjectKind kind, std::uint64_t number) const {
  if (number == 0) return "none";
  if (number <= stream_.object_count(kind)) {
    return "'" + stream_.name(kind, static_cast<std::uint32_t>(number)) + "'";
  }
  return "#" + text(number);
}

std::string text(std::uint64_t number) {
  return number == UINT64_MAX ? "UINT64_MAX" : std::to_string(number);
}

std::string hex(std::uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number));
  return digits;
}

std::string Reporter::now() const { return at_time(time_); }

std::string at_time(std::uint64_t time) { return "at " + std::to_string(time) + " ps"; }

}  // namespace fenceline::check
