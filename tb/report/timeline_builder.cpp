#include "tb/report/timeline_builder.h"

#include <algorithm>
#include <string_view>

#include "tb/report/grown.h"

namespace fenceline::report {

using common::EventKind;
using common::ObjectKind;

namespace {

constexpr std::uint64_t pair_key(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

}  // namespace

TimelineBuilder::TimelineBuilder(const Names& names, std::uint64_t events) : names_(names) {
  timeline_.slices.reserve(static_cast<std::size_t>(events));
}

std::size_t TimelineBuilder::begin(Lane lane, std::uint64_t object, SliceKind kind,
                                   const Event& event, std::uint64_t detail, std::uint32_t fence) {
  Slice slice;
  slice.begin = slice.end = event.time;
  slice.detail = detail;
  slice.object = static_cast<std::uint32_t>(object);
  slice.fence = fence;
  slice.lane = lane;
  slice.kind = kind;
  slice.open = true;
  timeline_.slices.push_back(slice);
  return timeline_.slices.size() - 1;
}

void TimelineBuilder::end(std::size_t slice, std::uint64_t time) {
  if (slice == kNoSlice) return;
  timeline_.slices[slice].end = time;
  timeline_.slices[slice].open = false;
}

void TimelineBuilder::end(Open& open, std::uint64_t key, std::uint64_t time) {
  const auto it = open.find(key);
  if (it == open.end()) return;
  end(it->second, time);
  open.erase(it);
}

std::size_t TimelineBuilder::mark(Lane lane, std::uint64_t object, InstantKind kind,
                                  const Event& event, std::uint64_t detail, std::uint32_t fence) {
  timeline_.instants.push_back(
      {event.time, detail, static_cast<std::uint32_t>(object), fence, lane, kind});
  return timeline_.instants.size() - 1;
}

void TimelineBuilder::take(const Event& event) {
  if (take_signal(event) || take_wait(event) || take_driver(event) || take_interrupt(event)) return;
  take_activity(event);
}

bool TimelineBuilder::take_signal(const Event& event) {
  switch (event.kind) {
    case EventKind::kSignalBegin: {
      const std::size_t slice =
          begin(Lane::kQueue, event.c, SliceKind::kSignal, event, event.a, event.object);
      signal_ends_[event.b] = slice;
      grown(signals_, event.b, kNoSlice) = slice;
      begin_signal(slice, event);
      return true;
    }
    case EventKind::kSignalEnd:
      end(signal_ends_, event.b, event.time);
      return true;
    case EventKind::kCpuSignal:
      cpu_signal(event);
      return true;
    case EventKind::kCurrentValueVisible:
      reach(event);
      return true;
    default:
      return false;
  }
}

void TimelineBuilder::begin_signal(std::size_t slice, const Event& event) {
  grown(fences_, event.object).signals.push_back({event.a, slice, false});
}

/// A thread of a program that signals has an agent of its name.
void TimelineBuilder::cpu_signal(const Event& event) {
  Lane lane = Lane::kSystem;
  std::uint32_t thread = 0;
  const std::string_view agent = names_.object(ObjectKind::kAgent, event.agent);
  for (std::uint32_t i = 1; i <= names_.count(ObjectKind::kThread); ++i) {
    if (names_.object(ObjectKind::kThread, i) != agent) continue;
    lane = Lane::kThread;
    thread = i;
  }
  end(cpu_signals_, event.object, event.time);
  const std::size_t slice =
      begin(lane, thread, SliceKind::kCpuSignal, event, event.a, event.object);
  end(slice, event.time);
  cpu_signals_[event.object] = slice;
  begin_signal(slice, event);
}

void TimelineBuilder::reach(const Event& event) {
  Fence& fence = grown(fences_, event.object);
  end(cpu_signals_, event.object, event.time);
  if (!fence.reached.empty() && fence.reached.back().value >= event.a) return;
  constexpr std::ptrdiff_t kLookBack = 256;
  auto& signals = fence.signals;
  const auto stop =
      signals.rend() - signals.rbegin() > kLookBack ? signals.rbegin() + kLookBack : signals.rend();
  std::size_t found = kNoSlice;
  for (auto it = signals.rbegin(); it != stop && found == kNoSlice; ++it) {
    if (it->visible || it->value != event.a) continue;
    it->visible = true;
    found = it->slice;
  }
  fence.reached.push_back({event.a, event.time, found});
}

bool TimelineBuilder::take_wait(const Event& event) {
  switch (event.kind) {
    case EventKind::kWaitAdd:
      waits_.open(event.b) = begin(Lane::kThread, event.c & 0xFFFFFFFF, SliceKind::kCpuWait, event,
                                   event.a, event.object);
      return true;
    case EventKind::kWaitRelease:
      if (const auto* wait = waits_.find(event.b)) release(*wait, event, 0);
      return true;
    case EventKind::kWaitDone:
    case EventKind::kWaitTimeout:
      if (const auto* wait = waits_.find(event.b)) end(*wait, event.time);
      waits_.close(event.b);
      return true;
    case EventKind::kGpuWaitBegin:
      end(gpu_waits_, event.c, event.time);
      gpu_waits_[event.c] =
          begin(Lane::kQueue, event.c, SliceKind::kGpuWait, event, event.a, event.object);
      return true;
    case EventKind::kGpuWaitUnblock: {
      const auto it = gpu_waits_.find(event.c);
      if (it != gpu_waits_.end()) release(it->second, event, event.b);
      end(gpu_waits_, event.c, event.time);
      return true;
    }
    default:
      return false;
  }
}

std::size_t TimelineBuilder::releasing_signal(const Event& event, std::uint64_t number,
                                              std::uint64_t begun) {
  if (number != 0) return grown(signals_, number, kNoSlice);
  const auto& reached = grown(fences_, event.object).reached;
  const auto it = std::lower_bound(
      reached.begin(), reached.end(), event.a,
      [](const Reached& entry, std::uint64_t value) { return entry.value < value; });
  if (it == reached.end() || it->time < begun) return kNoSlice;  // there before the wait began
  return it->slice;
}

void TimelineBuilder::release(std::size_t wait, const Event& event, std::uint64_t signal_number) {
  const Slice& slice = timeline_.slices[wait];
  const std::size_t signal = releasing_signal(event, signal_number, slice.begin);
  const std::size_t instant =
      mark(slice.lane, slice.object, InstantKind::kReleased, event, event.a, event.object);
  if (signal == kNoSlice || timeline_.slices[signal].begin > event.time) return;
  timeline_.flows.push_back({signal, wait, instant});
}

bool TimelineBuilder::take_driver(const Event& event) {
  switch (event.kind) {
    case EventKind::kUpdateMonitoredCall:
      updates_.open(event.b) =
          begin(Lane::kDriver, event.c, SliceKind::kUpdate, event, event.a, event.object);
      return true;
    case EventKind::kUpdateMonitoredReturn:
      if (const auto* update = updates_.find(event.b)) end(*update, event.time);
      updates_.close(event.b);
      return true;
    case EventKind::kShadowIssued:
      shadows_[pair_key(event.object, event.b)] =
          begin(Lane::kCmp, event.b, SliceKind::kShadowWrite, event, event.a, event.object);
      return true;
    case EventKind::kShadowVisible:
      end(shadows_, pair_key(event.object, event.b), event.time);
      return true;
    case EventKind::kDdiCall:
      ddis_[pair_key(event.object, event.a)] =
          begin(Lane::kDriver, event.object, SliceKind::kDdi, event, event.a);
      return true;
    case EventKind::kDdiReturn:
      end(ddis_, pair_key(event.object, event.a), event.time);
      return true;
    default:
      return false;
  }
}

/// The adapter whose name an agent's name begins with; the first if none does.
std::uint32_t TimelineBuilder::adapter_of(common::AgentId agent) {
  std::uint32_t& known = grown(agent_adapter_, agent);
  if (known != 0) return known;
  known = 1;
  const std::string_view name = names_.object(ObjectKind::kAgent, agent);
  std::size_t longest = 0;
  for (std::uint32_t i = 1; i <= names_.count(ObjectKind::kAdapter); ++i) {
    const std::string_view adapter = names_.object(ObjectKind::kAdapter, i);
    if (name.substr(0, adapter.size()) != adapter || adapter.size() <= longest) continue;
    longest = adapter.size();
    known = i;
  }
  return known;
}

bool TimelineBuilder::take_interrupt(const Event& event) {
  switch (event.kind) {
    case EventKind::kCmpDecision:
      mark(Lane::kCmp, adapter_of(event.agent),
           (event.c & 1) != 0 ? InstantKind::kCmpRaises : InstantKind::kCmpSilent, event, event.a,
           event.object);
      return true;
    case EventKind::kInterruptRaised:
      mark(Lane::kCmp, event.object, InstantKind::kRaised, event, event.b,
           static_cast<std::uint32_t>(event.a));
      return true;
    case EventKind::kMessageSent:
      mark(Lane::kCmp, event.object, InstantKind::kMessage, event, event.a);
      return true;
    case EventKind::kIsrBegin:
      isrs_[event.a] = begin(Lane::kCore, event.a, SliceKind::kIsr, event, event.object);
      return true;
    case EventKind::kIsrEnd:
      end(isrs_, event.a, event.time);
      return true;
    case EventKind::kDpcBegin:
      dpcs_[event.a] = begin(Lane::kCore, event.a, SliceKind::kDpc, event, event.object);
      return true;
    case EventKind::kDpcEnd:
      end(dpcs_, event.a, event.time);
      return true;
    default:
      return false;
  }
}

void TimelineBuilder::take_activity(const Event& event) {
  switch (event.kind) {
    case EventKind::kPacketBegin:
      begin_packet(event);
      break;
    case EventKind::kPacketEnd:
      for (const std::size_t slice : grown(packets_, event.object)) end(slice, event.time);
      grown(packets_, event.object).clear();
      break;
    case EventKind::kDoorbell:
      mark(Lane::kQueue, event.object, InstantKind::kDoorbell, event, event.a);
      break;
    case EventKind::kMark:
      mark(Lane::kThread, event.object, InstantKind::kMark, event, event.a);
      break;
    case EventKind::kPcieTransfer:
      transfer(event);
      break;
    case EventKind::kThreadState:
      change_thread(event);
      break;
    case EventKind::kLogHeaderRead:
    case EventKind::kLogEntryRead:
      log_read_[event.object] = event.time;
      break;
    case EventKind::kLogOverrun:
      lose_entries(event);
      break;
    case EventKind::kLogEntryTorn:
      mark(Lane::kLog, event.object, InstantKind::kSuspect, event, event.a);
      break;
    case EventKind::kBugCheck:
    case EventKind::kIrqlViolation:
    case EventKind::kDriverMisuse:
      mark(Lane::kDriver, event.object, InstantKind::kSuspect, event, event.a);
      break;
    default:
      break;
  }
}

void TimelineBuilder::begin_packet(const Event& event) {
  auto& open = grown(packets_, event.object);
  for (const std::size_t slice : open) end(slice, event.time);
  open = {begin(Lane::kQueue, event.object, SliceKind::kPacket, event, event.a)};
  if (event.c != 0) {
    open.push_back(begin(Lane::kEngine, event.c, SliceKind::kPacket, event, event.a));
  }
}

void TimelineBuilder::transfer(const Event& event) {
  const std::size_t slice = begin(Lane::kLink, event.object, SliceKind::kTransfer, event, event.a);
  timeline_.slices[slice].begin = event.b;
  end(slice, event.b + event.c);
}

void TimelineBuilder::add_idle(const IdlePeriod& period) {
  Event event{};
  event.time = period.begin;
  const std::size_t slice = begin(Lane::kCore, period.core, SliceKind::kIdle, event, period.state);
  end(slice, period.end);
}

void TimelineBuilder::change_thread(const Event& event) {
  end(threads_, event.object, event.time);
  const auto state = static_cast<common::ThreadState>(event.a);
  if (state != common::ThreadState::kRunning && state != common::ThreadState::kReady) return;
  const SliceKind kind =
      state == common::ThreadState::kRunning ? SliceKind::kRunning : SliceKind::kReady;
  threads_[event.object] = begin(Lane::kThreadState, event.object, kind, event, 0);
}

// The lost entries were written at some time since the OS last read the log.
void TimelineBuilder::lose_entries(const Event& event) {
  const std::size_t slice = begin(Lane::kLog, event.object, SliceKind::kLost, event, event.a);
  const auto read = log_read_.find(event.object);
  timeline_.slices[slice].begin = read == log_read_.end() ? 0 : read->second;
  end(slice, event.time);
  log_read_[event.object] = event.time;
}

Timeline TimelineBuilder::finish(std::uint64_t end_time) {
  timeline_.end_time = end_time;
  for (Slice& slice : timeline_.slices) {
    if (slice.open) slice.end = std::max(end_time, slice.begin);
  }
  // Sort by begin; flows name slices by index, so they move along.
  std::vector<std::size_t> order(timeline_.slices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const Slice &one = timeline_.slices[x], &other = timeline_.slices[y];
    return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
  });
  std::vector<Slice> sorted;
  sorted.reserve(order.size());
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(timeline_.slices[order[i]]);
    place[order[i]] = i;
  }
  timeline_.slices = std::move(sorted);
  for (Flow& flow : timeline_.flows) {
    flow.signal = place[flow.signal];
    flow.wait = place[flow.wait];
  }
  return std::move(timeline_);
}

}  // namespace fenceline::report
