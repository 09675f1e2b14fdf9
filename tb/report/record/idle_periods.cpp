#include "tb/report/record/idle_periods.h"

#include <algorithm>

#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

namespace {

/// A state that a core left, and its residency.
struct Left {
  std::uint64_t state;
  std::uint64_t residency;  ///< [ps]
};

struct Core {
  std::uint64_t state = 0;
  std::uint64_t time = 0;  ///< [ps] of the last event
  std::vector<Left> left;  ///< by the events at `time`
};

/// Adds the states left by the events at `core.time`: they end one after the other at that time.
void place(std::uint32_t number, Core& core, std::vector<IdlePeriod>& periods) {
  const auto first = static_cast<std::ptrdiff_t>(periods.size());
  std::uint64_t end = core.time;
  for (auto it = core.left.rbegin(); it != core.left.rend(); ++it) {
    const std::uint64_t begin = end - std::min(end, it->residency);
    if (it->state != 0 && end > begin) periods.push_back({number, it->state, begin, end});
    end = begin;
  }
  std::reverse(periods.begin() + first, periods.end());
  core.left.clear();
}

}  // namespace

std::vector<IdlePeriod> idle_periods(const Recorder& recorder, std::uint64_t end_time) {
  std::vector<Core> cores;
  std::vector<IdlePeriod> periods;
  recorder.for_each([&](const common::Event& event, std::uint64_t) {
    if (!event.is<event::PowerState>()) return;
    const auto power = event.as<event::PowerState>();
    Core& core = at_or_grow(cores, power.core);
    if (event.time != core.time) place(power.core, core, periods);
    core.left.push_back({core.state, power.residency});
    core.state = power.state;
    core.time = event.time;
  });
  for (std::uint32_t i = 0; i < cores.size(); ++i) {
    Core& core = cores[i];
    place(i, core, periods);
    if (core.state != 0 && end_time > core.time) {
      periods.push_back({i, core.state, core.time, end_time});
    }
  }
  return periods;
}

}  // namespace fenceline::report
