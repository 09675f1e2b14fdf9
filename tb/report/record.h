#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/meters/statistics.h"
#include "tb/report/record/fence_timeline.h"
#include "tb/report/record/names.h"
#include "tb/report/record/recorder.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Statistics and events of one run, from which its RunReport and its traces are made. The runner
/// calls attach() before the first event and finish() after the last.
struct Record {
  Statistics statistics;
  Recorder recorder;
  FenceTimeline fences;
  Names names;  ///< the runner fills `labels`; finish() fills the other lists

  /// @param limit of events to keep. With 0 the recorder is not subscribed at all.
  explicit Record(std::uint64_t limit = Recorder::kUnlimited) : recorder(limit), limit_(limit) {}

  /// @param state events for the state before the run; only this record gets them.
  void attach(common::EventStream& stream, const std::vector<common::Event>& state = {});
  /// Takes the names from `stream` and `report.scenario`, and fills counters, latencies and event
  /// count. @pre report.end_time is set, and report.scenario if C-states are to have names.
  void finish(const common::EventStream& stream, RunReport& report);

 private:
  std::uint64_t limit_;
};

}  // namespace fenceline::report
