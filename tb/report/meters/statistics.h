#pragma once

#include <cstdint>
#include <string>

#include "models/common/events.h"
#include "tb/report/meters/activity_meter.h"
#include "tb/report/meters/display_meter.h"
#include "tb/report/meters/event_counters.h"
#include "tb/report/meters/fault_list.h"
#include "tb/report/meters/latency_tracker.h"
#include "tb/report/meters/memory_meter.h"
#include "tb/report/record/names.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Computes every counter and latency of stats.json while the run goes on: no event is kept.
class Statistics final : public common::EventSink {
 public:
  void on_event(const common::Event& event) override;

  /// Events seen.
  std::uint64_t events() const { return events_; }
  /// Fills `report.counters`, `report.latencies`, `report.faults` and `report.event_count`, for a
  /// run that ended at `report.end_time`.
  void finish(const Names& names, RunReport& report);

 private:
  std::uint64_t events_ = 0;
  EventCounters counters_;
  LatencyTracker latencies_;
  ActivityMeter activity_;
  DisplayMeter display_;
  MemoryMeter memory_;
  FaultList faults_;
};

/// Value of the counter called `name`, or null when the run has none.
const Counter* find_counter(const RunReport& report, const std::string& name);
/// The latency called `name`, or null when the run has none.
const Latency* find_latency(const RunReport& report, const std::string& name);

}  // namespace fenceline::report
