#include "tb/report/meters/statistics.h"

#include <algorithm>

#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::Event;
using common::Handlers;

namespace {

template <typename T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

void Statistics::on_event(const Event& event) {
  ++events_;
  counters_.on_event(event);
  Handlers<LatencyTracker>::hand(latencies_, event);
  Handlers<ActivityMeter>::hand(activity_, event);
  Handlers<DisplayMeter>::hand(display_, event);
  Handlers<MemoryMeter>::hand(memory_, event);
  Handlers<FaultList>::hand(faults_, event);
}

void Statistics::finish(const Names& names, RunReport& report) {
  report.event_count = events_;
  report.counters.clear();
  counters_.report_always(report.counters);
  activity_.report(names, report.end_time, report.counters);
  counters_.report_used(report.counters);
  display_.report(report.counters);
  memory_.report(report.counters);
  faults_.report(names, report);
  report.latencies = latencies_.summarise();
}

const Counter* find_counter(const RunReport& report, const std::string& name) {
  return find_named(report.counters, name);
}

const Latency* find_latency(const RunReport& report, const std::string& name) {
  return find_named(report.latencies, name);
}

}  // namespace fenceline::report
