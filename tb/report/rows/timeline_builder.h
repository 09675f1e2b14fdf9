#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/recorder.h"
#include "tb/report/rows/causes.h"
#include "tb/report/rows/driver_rows.h"
#include "tb/report/rows/fence_rows.h"
#include "tb/report/rows/machine_rows.h"
#include "tb/report/rows/mark_rows.h"
#include "tb/report/rows/timeline_draft.h"
#include "tb/report/rows/work_rows.h"

namespace fenceline::report {

/// Builds a Timeline from events that come in the order of their time.
class TimelineBuilder {
 public:
  /// @param events expected number of events; an estimate that is too high costs no memory.
  /// @param scenario null: no slice has a place in it
  TimelineBuilder(const Names& names, std::uint64_t events,
                  const scenario::Scenario* scenario = nullptr);

  /// The kinds of events that begin, end or name a span, or are a mark with a sign of its own.
  static std::vector<common::EventKind> drawn();

  void take(const common::Event& event);
  void add_idle(const IdlePeriod& period) { machine_.add_idle(period); }
  Timeline finish(std::uint64_t end_time);

 private:
  TimelineDraft draft_;
  std::optional<Causes> causes_;
  FenceRows fences_;
  DriverRows driver_;
  WorkRows work_;
  MachineRows machine_;
  MarkRows marks_;
};

/// What a timeline shows of events of a kind: "span", "mark in ...", or why it shows none.
std::string shown_as(common::EventKind kind);

/// The timeline of a run, with its quantities over time. @param end_time [ps] @param scenario of
/// the run; null: no slice has a place in it
Timeline build_timeline(const Recorder& recorder, const Names& names, std::uint64_t end_time,
                        const scenario::Scenario* scenario = nullptr);

}  // namespace fenceline::report
