#include "tb/report/record/fence_timeline.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::At;

namespace {

/// [ps] per tick of the CPU's counter, KeQueryPerformanceCounter.
constexpr std::uint64_t kCpuTick = 100'000;
/// [ticks] Minimum distance of two comparisons. Each is exact to one tick, so the rate is exact to
/// 0.2 %.
constexpr std::uint64_t kApart = 1000;
constexpr double kSecond = 1e12;

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::vector<common::EventKind> FenceTimeline::kinds() {
  return common::Handlers<FenceTimeline>::kinds();
}

void FenceTimeline::on_event(const common::Event& event) {
  common::Handlers<FenceTimeline>::hand(*this, event);
}

template <class E>
void FenceTimeline::add_queued(const At<E>& event, bool wait) {
  tracks_[{event.queue, wait}].queued.push_back({event.time / kCpuTick * kCpuTick, event.value,
                                                 ++recorded_, event.fence,
                                                 static_cast<std::uint32_t>(event.user_handle)});
}

void FenceTimeline::on(const At<event::SignalQueued>& event) { add_queued(event, false); }

void FenceTimeline::on(const At<event::WaitQueued>& event) { add_queued(event, true); }

void FenceTimeline::on(const At<event::LogEntryIssued>& event) {
  stamped_[{event.log, event.index}] = event.time;
}

void FenceTimeline::on(const At<event::LogEntryRead>& event) {
  entry_ = {};
  entry_.value = event.value;
  entry_.end = event.end_time;
  entry_.stamped = stamped_[{event.log, event.index}];
}

void FenceTimeline::on(const At<event::LogEntryTimes>& event) {
  entry_.observed = event.observed_time;
  entry_.handle = static_cast<std::uint32_t>(event.user_handle.value);
  entry_.adapter = event.adapter.value;
  entry_.lost_before = std::exchange(lost_[event.log], 0);
  tracks_[{event.queue.value, event.operation != 0}].entries.push_back(entry_);
}

void FenceTimeline::on(const At<event::LogOverrun>& event) { lost_[event.log] += event.lost; }

void FenceTimeline::on(const At<event::ClockCalibrated>& event) {
  clocks_[event.adapter].push_back({event.gpu_counter, event.cpu_counter, event.frequency});
}

/// Linear interpolation between two comparisons of the clocks. Before the first and after the last
/// comparison it uses the rate of the nearest pair. With one comparison, or two that are too close,
/// it uses the frequency that the device reports.
std::uint64_t FenceTimeline::cpu_time(std::uint32_t adapter, std::uint64_t ticks) const {
  const auto known = clocks_.find(adapter);
  if (known == clocks_.end()) return 0;
  const std::vector<Clock>& clocks = known->second;
  std::size_t next = 1;
  while (next + 1 < clocks.size() && clocks[next].gpu < ticks) ++next;
  const Clock& first = clocks[next - 1];
  double tick = kSecond / static_cast<double>(first.hertz);
  if (clocks.size() > 1 && clocks[next].gpu > first.gpu && clocks[next].cpu >= first.cpu + kApart)
    tick = static_cast<double>((clocks[next].cpu - first.cpu) * kCpuTick) /
           static_cast<double>(clocks[next].gpu - first.gpu);
  const double time = static_cast<double>(first.cpu * kCpuTick) +
                      (static_cast<double>(ticks) - static_cast<double>(first.gpu)) * tick;
  return time > 0 ? static_cast<std::uint64_t>(time) : 0;
}

FenceOperation FenceTimeline::operation_of(const TrackKey& key, const Queued& queued) const {
  FenceOperation operation;
  operation.queue = key.first;
  operation.wait = key.second;
  operation.fence = queued.fence;
  operation.value = queued.value;
  operation.queued = queued.time;
  operation.order = queued.order;
  return operation;
}

/// A time of 0 is absent: a linked adapter may leave out the write.
void FenceTimeline::add_times(const Entry& entry, FenceOperation& operation) const {
  operation.state = FenceOperation::State::kLogged;
  if (entry.end != 0) operation.executed = cpu_time(entry.adapter, entry.end);
  if (operation.wait && entry.observed != 0)
    operation.observed = cpu_time(entry.adapter, entry.observed);
  operation.stamped = entry.stamped;
}

/// Entries and records have the same order. An entry belongs to the next record with its handle and
/// value; records that are skipped have lost their entries.
void FenceTimeline::join(const TrackKey& key, const Track& track,
                         std::vector<FenceOperation>& all) const {
  std::size_t next = 0;
  for (const Entry& entry : track.entries) {
    const std::size_t from = std::min<std::size_t>(next + entry.lost_before, track.queued.size());
    const auto begin = track.queued.begin() + static_cast<std::ptrdiff_t>(from);
    const auto found = std::find_if(begin, track.queued.end(), [&](const Queued& it) {
      return it.handle == entry.handle && it.value == entry.value;
    });
    if (found == track.queued.end()) {
      FenceOperation unknown;
      unknown.queue = key.first;
      unknown.wait = key.second;
      unknown.value = entry.value;
      unknown.order = next < track.queued.size() ? track.queued[next].order : recorded_;
      add_times(entry, unknown);
      all.push_back(unknown);
      continue;
    }
    for (; next < static_cast<std::size_t>(found - track.queued.begin()); ++next) {
      all.push_back(operation_of(key, track.queued[next]));
      all.back().state = FenceOperation::State::kLost;
    }
    all.push_back(operation_of(key, *found));
    add_times(entry, all.back());
    ++next;
  }
  for (; next < track.queued.size(); ++next) all.push_back(operation_of(key, track.queued[next]));
}

std::vector<FenceOperation> FenceTimeline::join() const {
  std::vector<FenceOperation> all;
  if (!captured()) return all;
  for (const auto& [key, track] : tracks_) join(key, track, all);
  std::stable_sort(all.begin(), all.end(), [](const FenceOperation& a, const FenceOperation& b) {
    return std::tie(a.queue, a.order) < std::tie(b.queue, b.order);
  });
  return all;
}

void FenceTimeline::add_counters(RunReport& report) const {
  if (!captured()) return;
  std::uint64_t joined = 0;
  std::uint64_t lost = 0;
  std::uint64_t open = 0;
  std::uint64_t error = 0;
  for (const FenceOperation& it : join()) {
    joined += it.queued && it.state == FenceOperation::State::kLogged ? 1 : 0;
    lost += it.state == FenceOperation::State::kLost ? 1 : 0;
    open += it.state == FenceOperation::State::kOpen ? 1 : 0;
    if (it.executed && it.stamped) error = std::max(error, distance(*it.executed, *it.stamped));
  }
  const auto add = [&](const char* name, const char* unit, const char* meaning,
                       std::uint64_t value) {
    report.counters.push_back({name, unit, meaning, value});
  };
  add("fence_trace.joined", "count", "signals and waits found in records and logs", joined);
  add("fence_trace.lost", "count", "signals and waits whose log entries were overwritten", lost);
  add("fence_trace.open", "count", "signals and waits without an entry that was read", open);
  add("fence_trace.max_error", "ps", "farthest that a rebuilt time is from the real one", error);
}

void write_fences_csv(const std::vector<FenceOperation>& operations, const Names& names,
                      Output& out) {
  out.text("queue,operation,fence,value,queued_ps,observed_ps,executed_ps,stamped_ps,state\n");
  const auto time = [](const std::optional<std::uint64_t>& it) {
    return (it ? std::to_string(*it) : "") + ",";
  };
  for (const FenceOperation& it : operations) {
    std::string line(names.object(common::ObjectKind::kQueue, it.queue));
    line += it.wait ? ",wait," : ",signal,";
    line += std::string(names.object(common::ObjectKind::kFence, it.fence)) + ",";
    line += std::to_string(it.value) + ",";
    line += time(it.queued) + time(it.observed) + time(it.executed) + time(it.stamped);
    switch (it.state) {
      case FenceOperation::State::kLogged:
        line += "logged\n";
        break;
      case FenceOperation::State::kLost:
        line += "lost\n";
        break;
      case FenceOperation::State::kOpen:
        line += "open\n";
        break;
    }
    out.text(line);
  }
}

namespace {

/// Slices of a queue, one after another. A queue executes its operations in order.
class Spans {
 public:
  explicit Spans(Timeline& timeline) : timeline_(timeline) {}

  void add(const FenceOperation& it) {
    if (it.queue != queue_) end_lost(timeline_.end_time);
    if (it.queue != queue_) free_ = 0;
    queue_ = it.queue;
    if (it.state == FenceOperation::State::kLost) {
      if (lost_++ == 0) lost_since_ = std::max(free_, it.queued.value_or(0));
      return;
    }
    Slice slice;
    slice.object = it.queue;
    slice.fence = it.fence;
    slice.detail = it.value;
    slice.kind = it.wait ? SliceKind::kGpuWait : SliceKind::kSignal;
    slice.open = it.state == FenceOperation::State::kOpen;
    slice.end = it.executed.value_or(slice.open ? timeline_.end_time : free_);
    // Lost operations were executed at an unknown time before this one.
    const bool waited = it.wait && it.observed;
    end_lost(waited ? *it.observed : slice.end);
    slice.begin =
        std::min(std::max(free_, waited ? *it.observed : it.queued.value_or(0)), slice.end);
    free_ = slice.end;
    timeline_.slices.push_back(slice);
  }
  void end_lost(std::uint64_t until) {
    if (lost_ == 0) return;
    Slice slice;
    slice.object = queue_;
    slice.kind = SliceKind::kLost;
    slice.detail = std::exchange(lost_, 0);
    slice.begin = lost_since_;
    slice.end = free_ = std::max(until, lost_since_);
    timeline_.slices.push_back(slice);
  }

 private:
  Timeline& timeline_;
  std::uint32_t queue_ = 0;
  std::uint64_t free_ = 0;  ///< [ps] end of the previous operation of the queue
  std::uint64_t lost_ = 0;
  std::uint64_t lost_since_ = 0;
};

/// The signal that ended a wait: the first one executed that is high enough and not later than the
/// end of the wait.
std::size_t signal_of(const Timeline& timeline, const Slice& wait) {
  std::size_t best = timeline.slices.size();
  for (std::size_t k = 0; k < timeline.slices.size(); ++k) {
    const Slice& it = timeline.slices[k];
    if (it.kind != SliceKind::kSignal || it.open || it.fence != wait.fence ||
        it.detail < wait.detail || it.end > wait.end)
      continue;
    if (best == timeline.slices.size() || it.end < timeline.slices[best].end) best = k;
  }
  return best;
}

}  // namespace

Timeline timeline_of(const std::vector<FenceOperation>& operations, std::uint64_t end_time) {
  Timeline timeline;
  timeline.end_time = end_time;
  Spans spans(timeline);
  for (const FenceOperation& it : operations) spans.add(it);
  spans.end_lost(end_time);
  std::stable_sort(timeline.slices.begin(), timeline.slices.end(),
                   [](const Slice& a, const Slice& b) {
                     return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                   });
  for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
    const Slice& wait = timeline.slices[i];
    if (wait.kind != SliceKind::kGpuWait || wait.open) continue;
    const std::size_t signal = signal_of(timeline, wait);
    if (signal == timeline.slices.size()) continue;
    timeline.flows.push_back({signal, i, timeline.instants.size()});
    timeline.instants.push_back(
        {wait.end, wait.detail, wait.object, wait.fence, Lane::kQueue, InstantKind::kReleased});
  }
  return timeline;
}

}  // namespace fenceline::report
