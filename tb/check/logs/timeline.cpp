#include "tb/check/logs/timeline.h"

#include <algorithm>
#include <cmath>

namespace fenceline::check {

using common::At;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kCpuTick = 100'000;  ///< [ps] per tick of the CPU's counter
constexpr double kSecond = 1e12;
constexpr double kSlack = 1e6;    ///< [ps] largest error of a calibration
constexpr double kDrift = 0.001;  ///< largest relative drift between the clocks since a calibration

double as_double(std::uint64_t value) { return static_cast<double>(value); }
}  // namespace

void TimelineChecks::on(const At<event::SignalQueued>& event) {
  tracks_[2 * event.queue].records.push({event.value, event.user_handle, event.time, event.fence});
}

void TimelineChecks::on(const At<event::WaitQueued>& event) {
  tracks_[2 * event.queue + 1].records.push(
      {event.value, event.user_handle, event.time, event.fence});
}

void TimelineChecks::on(const At<event::ClockCalibrated>& event) {
  Clock& clock = clocks_[event.adapter];
  clock.before = clock.last;
  clock.before_timed = clock.timed;
  clock.last = {event.gpu_counter, event.cpu_counter * kCpuTick};
  ++clock.count;
  clock.tick = event.frequency == 0 ? 0 : kSecond / as_double(event.frequency);
  clock.timed = std::abs(as_double(world_.report.time()) - as_double(clock.last.cpu)) <= kSlack;
}

void TimelineChecks::on(const At<event::LogEntryRead>& event) {
  entries_[event.agent] = {event.value, event.end_time};
}

/// The oldest record of the operation. Entries are not always read in order: an entry that is being
/// overwritten shows a newer operation.
std::optional<TimelineChecks::Record> TimelineChecks::record_of(const Reading& reading) {
  auto& records = tracks_[2 * reading.queue + (reading.wait ? 1 : 0)].records;
  for (std::uint64_t at = records.first_index(); at != records.end_index(); ++at) {
    const Record found = records[at];
    if (found.handle != reading.handle || found.value != reading.value) continue;
    records.erase(at);
    return found;
  }
  return std::nullopt;
}

void TimelineChecks::on(const At<event::LogEntryTimes>& event) {
  const Entry entry = entries_[event.agent];
  const Clock& clock = clocks_[event.adapter];
  if (entry.end == 0 || clock.count == 0 || !clock.timed) return;
  double tick = clock.tick;
  double drift = kDrift;
  if (clock.before_timed && clock.last.gpu > clock.before.gpu &&
      clock.last.cpu > clock.before.cpu) {
    const double apart = as_double(clock.last.cpu - clock.before.cpu);
    tick = apart / as_double(clock.last.gpu - clock.before.gpu);
    drift += 2 * kSlack / apart;  // each calibration has its error
  }
  const double since = (as_double(entry.end) - as_double(clock.last.gpu)) * tick;
  readings_.push_back({entry.value, event.user_handle, event.log, event.queue, event.operation != 0,
                       as_double(clock.last.cpu) + since, kSlack + std::abs(since) * drift,
                       event.time});
}

void TimelineChecks::on(const At<event::LogOverrun>& event) { discard(event.log); }

void TimelineChecks::discard(std::uint32_t log) {
  readings_.erase(std::remove_if(readings_.begin(), readings_.end(),
                                 [log](const Reading& one) { return one.log == log; }),
                  readings_.end());
}

void TimelineChecks::on(const At<event::LogReadDone>& event) {
  for (const Reading& reading : readings_)
    if (reading.log == event.log) judge(reading);
  discard(event.log);
}

void TimelineChecks::judge(const Reading& reading) {
  const auto record = record_of(reading);
  if (!record) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kTimeline);
  const bool early = reading.executed + reading.slack < as_double(record->time);
  const bool late = reading.executed - reading.slack > as_double(reading.time);
  if (!early && !late) return;
  report.fail(
      Invariant::kTimeline, reading.queue, record->fence,
      "queue " + report.name(ObjectKind::kQueue, reading.queue) + ": by its log value " +
          text(record->value) + " of fence " + report.fence(record->fence) + " was executed " +
          (early ? "before it was recorded, " : "after its entry was read, ") + report.now());
}

}  // namespace fenceline::check
