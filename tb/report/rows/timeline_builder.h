#pragma once

#include <cstdint>

#include "models/common/events.h"
#include "tb/report/record/recorder.h"
#include "tb/report/rows/driver_rows.h"
#include "tb/report/rows/fence_rows.h"
#include "tb/report/rows/machine_rows.h"
#include "tb/report/rows/timeline_draft.h"
#include "tb/report/rows/work_rows.h"

namespace fenceline::report {

/// Builds a Timeline from events that come in the order of their time.
class TimelineBuilder {
 public:
  /// @param events expected number of events; an estimate that is too high costs no memory.
  TimelineBuilder(const Names& names, std::uint64_t events);

  void take(const common::Event& event);
  void add_idle(const IdlePeriod& period) { machine_.add_idle(period); }
  Timeline finish(std::uint64_t end_time) { return draft_.finish(end_time); }

 private:
  TimelineDraft draft_;
  FenceRows fences_;
  DriverRows driver_;
  WorkRows work_;
  MachineRows machine_;
};

/// The timeline of a run, with its quantities over time. @param end_time [ps]
Timeline build_timeline(const Recorder& recorder, const Names& names, std::uint64_t end_time);

}  // namespace fenceline::report
