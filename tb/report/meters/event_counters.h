#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Counters that add up events: how many of a kind there were, or the sum of one of their fields.
/// A new counter is a line in the table of the source file.
class EventCounters {
 public:
  EventCounters();

  void on_event(const common::Event& event);
  /// Appends the counters that every run has.
  void report_always(std::vector<Counter>& counters) const;
  /// Appends the counters of what not every run does, as far as this run did it.
  void report_used(std::vector<Counter>& counters) const;

 private:
  std::vector<std::uint64_t> values_;  ///< by index in the table
};

}  // namespace fenceline::report
