#include "tb/check/timeline.h"

#include <cmath>

namespace fenceline::check {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kCpuTick = 100'000;  ///< [ps] of the CPU's counter
constexpr double kSecond = 1e12;
constexpr double kSlack = 1e6;    ///< [ps] that a calibration may be wrong by
constexpr double kDrift = 0.001;  ///< by which the clocks may run apart since

double as_double(std::uint64_t value) { return static_cast<double>(value); }
}  // namespace

void TimelineChecks::on_queued(const Event& event) {
  const bool wait = event.kind == EventKind::kWaitQueued;
  tracks_[2 * event.c + (wait ? 1 : 0)].records.push(
      {event.a, event.b, world_.report.time(), event.object});
}

void TimelineChecks::on_calibrated(const Event& event) {
  Clock& clock = clocks_[event.object];
  clock.before = clock.last;
  clock.last = {event.a, event.b * kCpuTick};
  ++clock.count;
  clock.tick = event.c == 0 ? 0 : kSecond / as_double(event.c);
  clock.timed = std::abs(as_double(world_.report.time()) - as_double(clock.last.cpu)) <= kSlack;
}

void TimelineChecks::on_entry_read(const Event& event) {
  entries_[event.agent] = {event.b, event.c};
}

/// Records and entries are in one order; what is passed over has lost its entry.
std::optional<TimelineChecks::Record> TimelineChecks::record_of(std::uint64_t queue, bool wait,
                                                                std::uint64_t handle,
                                                                std::uint64_t value) {
  auto& records = tracks_[2 * queue + (wait ? 1 : 0)].records;
  for (std::uint64_t at = records.first_index(); at != records.end_index(); ++at) {
    const Record found = records[at];
    if (found.handle != handle || found.value != value) continue;
    while (records.first_index() <= at) records.pop_front();
    return found;
  }
  return std::nullopt;
}

void TimelineChecks::on_entry_times(const Event& event) {
  const Entry entry = entries_[event.agent];
  const auto queue = static_cast<std::uint32_t>(event.c);
  const auto record = record_of(queue, event.a >> 32 != 0, event.a & 0xFFFFFFFFU, entry.value);
  const Clock& clock = clocks_[event.c >> 32];
  if (!record || entry.end == 0 || clock.count == 0 || !clock.timed) return;
  double tick = clock.tick;
  double drift = kDrift;
  if (clock.count > 1 && clock.last.gpu > clock.before.gpu && clock.last.cpu > clock.before.cpu) {
    const double apart = as_double(clock.last.cpu - clock.before.cpu);
    tick = apart / as_double(clock.last.gpu - clock.before.gpu);
    drift += 2 * as_double(kCpuTick) / apart;  // each calibration is exact to a tick
  }
  const double since = (as_double(entry.end) - as_double(clock.last.gpu)) * tick;
  judge(*record, queue, as_double(clock.last.cpu) + since, kSlack + std::abs(since) * drift);
}

void TimelineChecks::judge(const Record& record, std::uint32_t queue, double executed,
                           double slack) {
  Reporter& report = world_.report;
  report.checked(Invariant::kTimeline);
  const bool early = executed + slack < as_double(record.time);
  const bool late = executed - slack > as_double(report.time());
  if ((!early && !late) || !report.broken(Invariant::kTimeline, queue)) return;
  report.add(Invariant::kTimeline, record.fence,
             "queue " + report.name(ObjectKind::kQueue, queue) + ": by its log value " +
                 text(record.value) + " of fence " + report.fence(record.fence) + " was executed " +
                 (early ? "before it was recorded, " : "after its entry was read, ") +
                 at_time(report.time()));
}

void TimelineChecks::clear() {
  tracks_.clear();
  clocks_.clear();
  entries_.clear();
}

}  // namespace fenceline::check
