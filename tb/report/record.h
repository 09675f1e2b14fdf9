#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/fence_timeline.h"
#include "tb/report/names.h"
#include "tb/report/recorder.h"
#include "tb/report/run_report.h"
#include "tb/report/statistics.h"

namespace fenceline::report {

/// What is kept of one run beside its RunReport. Whoever runs the scenario calls attach() before
/// the first event and finish() after the last.
struct Record {
  Statistics statistics;
  Recorder recorder;
  FenceTimeline fences;
  Names names;  ///< the runner fills labels; finish() the rest

  /// Keeps at most `limit` events; none of them with 0, then the stream calls only the statistics.
  explicit Record(std::uint64_t limit = Recorder::kUnlimited) : recorder(limit), limit_(limit) {}

  /// @param state events that stand for what came before; nobody else on the stream gets them.
  void attach(common::EventStream& stream, const std::vector<common::Event>& state = {});
  /// Takes the names from `stream` and `report.scenario`, and fills counters, latencies and event
  /// count. @pre report.end_time is set, and report.scenario if C-states are to have names.
  void finish(const common::EventStream& stream, RunReport& report);

 private:
  std::uint64_t limit_;
};

}  // namespace fenceline::report
