#include "tb/report/rows/timeline_builder.h"

#include <cstddef>
#include <utility>

#include "models/common/event_handlers.h"
#include "tb/report/record/shown_events.h"
#include "tb/report/record/tracks.h"
#include "tb/report/rows/value_series.h"

namespace fenceline::report {

TimelineBuilder::TimelineBuilder(const Names& names, std::uint64_t events,
                                 const scenario::Scenario* scenario)
    : fences_(draft_, names),
      driver_(draft_, names),
      work_(draft_, names, scenario),
      machine_(draft_),
      marks_(draft_, names) {
  draft_.timeline.slices.reserve(static_cast<std::size_t>(events));
  if (scenario != nullptr) causes_.emplace(*scenario, names);
}

void TimelineBuilder::take(const common::Event& event) {
  if (causes_) draft_.place = causes_->take(event);
  fences_.take(event);
  driver_.take(event);
  work_.take(event);
  machine_.take(event);
  marks_.take(event);
}

std::vector<common::EventKind> TimelineBuilder::drawn() {
  std::vector<common::EventKind> all;
  const auto add = [&](const std::vector<common::EventKind>& kinds) {
    all.insert(all.end(), kinds.begin(), kinds.end());
  };
  add(common::Handlers<FenceRows>::kinds());
  add(common::Handlers<DriverRows>::kinds());
  add(common::Handlers<WorkRows>::kinds());
  add(common::Handlers<MachineRows>::kinds());
  return all;
}

Timeline TimelineBuilder::finish(std::uint64_t end_time) {
  Timeline timeline = draft_.finish(end_time);
  if (causes_) timeline.places = causes_->places();
  return timeline;
}

std::string shown_as(common::EventKind kind) {
  if (const EventMark* mark = event_mark(kind))
    return std::string("mark in ") + group_name(mark->lane);
  const char* reason = reason_for_no_row(kind);
  return reason == nullptr ? "span or mark" : reason;
}

Timeline build_timeline(const Recorder& recorder, const Names& names, std::uint64_t end_time,
                        const scenario::Scenario* scenario) {
  TimelineBuilder builder(names, recorder.size(), scenario);
  recorder.for_each([&](const common::Event& event, std::uint64_t) { builder.take(event); });
  for (const IdlePeriod& period : idle_periods(recorder, end_time)) builder.add_idle(period);
  Timeline timeline = builder.finish(end_time);
  timeline.series = value_series(recorder, names);
  return timeline;
}

}  // namespace fenceline::report
