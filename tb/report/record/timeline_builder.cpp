#include "tb/report/record/timeline_builder.h"

#include <algorithm>
#include <string_view>

#include "models/common/event_handlers.h"
#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

constexpr std::uint64_t pair_key(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

}  // namespace

TimelineBuilder::TimelineBuilder(const Names& names, std::uint64_t events) : names_(names) {
  timeline_.slices.reserve(static_cast<std::size_t>(events));
}

void TimelineBuilder::take(const common::Event& event) {
  common::Handlers<TimelineBuilder>::hand(*this, event);
}

std::size_t TimelineBuilder::begin(SliceKind kind, std::uint64_t time, const Shown& shown) {
  Slice slice;
  slice.begin = slice.end = time;
  slice.detail = shown.detail;
  slice.object = static_cast<std::uint32_t>(shown.object);
  slice.fence = shown.fence;
  slice.lane = shown.lane;
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

std::size_t TimelineBuilder::mark(InstantKind kind, std::uint64_t time, const Shown& shown) {
  timeline_.instants.push_back({time, shown.detail, static_cast<std::uint32_t>(shown.object),
                                shown.fence, shown.lane, kind});
  return timeline_.instants.size() - 1;
}

// --- signals

void TimelineBuilder::on(const At<event::SignalBegin>& event) {
  const std::size_t slice =
      begin(SliceKind::kSignal, event.time, {Lane::kQueue, event.queue, event.value, event.fence});
  signal_ends_[event.signal] = slice;
  at_or_grow(signals_, event.signal, kNoSlice) = slice;
  begin_signal(slice, event.fence, event.value);
}

void TimelineBuilder::on(const At<event::SignalEnd>& event) {
  end(signal_ends_, event.signal, event.time);
}

void TimelineBuilder::begin_signal(std::size_t slice, std::uint32_t fence, std::uint64_t value) {
  at_or_grow(fences_, fence).signals.push_back({value, slice, false});
}

/// A thread of a program that signals has an agent of its name.
void TimelineBuilder::on(const At<event::CpuSignal>& event) {
  Lane lane = Lane::kSystem;
  std::uint32_t thread = 0;
  const std::string_view agent = names_.object(ObjectKind::kAgent, event.agent);
  for (std::uint32_t i = 1; i <= names_.count(ObjectKind::kThread); ++i) {
    if (names_.object(ObjectKind::kThread, i) != agent) continue;
    lane = Lane::kThread;
    thread = i;
  }
  end(cpu_signals_, event.fence, event.time);
  const std::size_t slice =
      begin(SliceKind::kCpuSignal, event.time, {lane, thread, event.value, event.fence});
  end(slice, event.time);
  cpu_signals_[event.fence] = slice;
  begin_signal(slice, event.fence, event.value);
}

void TimelineBuilder::on(const At<event::CurrentValueVisible>& event) {
  Fence& fence = at_or_grow(fences_, event.fence);
  end(cpu_signals_, event.fence, event.time);
  if (!fence.reached.empty() && fence.reached.back().value >= event.value) return;
  fence.reached.push_back({event.value, event.time, find_signal(fence, event.value)});
}

/// The slice of the latest signal to `value` that was not visible yet.
std::size_t TimelineBuilder::find_signal(Fence& fence, std::uint64_t value) {
  constexpr std::ptrdiff_t kLookBack = 256;
  auto& signals = fence.signals;
  const auto stop =
      signals.rend() - signals.rbegin() > kLookBack ? signals.rbegin() + kLookBack : signals.rend();
  for (auto it = signals.rbegin(); it != stop; ++it) {
    if (it->visible || it->value != value) continue;
    it->visible = true;
    return it->slice;
  }
  return kNoSlice;
}

// --- waits

void TimelineBuilder::on(const At<event::WaitAdd>& event) {
  waits_.open(event.waiter) = begin(SliceKind::kCpuWait, event.time,
                                    {Lane::kThread, event.thread.value, event.value, event.fence});
}

void TimelineBuilder::on(const At<event::WaitRelease>& event) {
  if (const auto* wait = waits_.find(event.waiter))
    release({*wait, event.time, event.fence, event.value, 0});
}

void TimelineBuilder::on(const At<event::WaitDone>& event) { end_wait(event.waiter, event.time); }

void TimelineBuilder::on(const At<event::WaitTimeout>& event) {
  end_wait(event.waiter, event.time);
}

void TimelineBuilder::end_wait(std::uint64_t waiter, std::uint64_t time) {
  if (const auto* wait = waits_.find(waiter)) end(*wait, time);
  waits_.close(waiter);
}

void TimelineBuilder::on(const At<event::GpuWaitBegin>& event) {
  end(gpu_waits_, event.queue, event.time);
  gpu_waits_[event.queue] =
      begin(SliceKind::kGpuWait, event.time, {Lane::kQueue, event.queue, event.value, event.fence});
}

void TimelineBuilder::on(const At<event::GpuWaitUnblock>& event) {
  const auto it = gpu_waits_.find(event.queue);
  if (it != gpu_waits_.end())
    release({it->second, event.time, event.fence, event.value, event.signal});
  end(gpu_waits_, event.queue, event.time);
}

std::size_t TimelineBuilder::releasing_signal(const Release& release) {
  if (release.signal != 0) return at_or_grow(signals_, release.signal, kNoSlice);
  const auto& reached = at_or_grow(fences_, release.fence).reached;
  const auto it = std::lower_bound(
      reached.begin(), reached.end(), release.value,
      [](const Reached& entry, std::uint64_t value) { return entry.value < value; });
  const std::uint64_t wait_begin = timeline_.slices[release.wait].begin;
  if (it == reached.end() || it->time < wait_begin) return kNoSlice;  // there before the wait
  return it->slice;
}

void TimelineBuilder::release(const Release& release) {
  const Slice& slice = timeline_.slices[release.wait];
  const std::size_t signal = releasing_signal(release);
  const std::size_t instant = mark(InstantKind::kReleased, release.time,
                                   {slice.lane, slice.object, release.value, release.fence});
  if (signal == kNoSlice || timeline_.slices[signal].begin > release.time) return;
  timeline_.flows.push_back({signal, release.wait, instant});
}

// --- driver

void TimelineBuilder::on(const At<event::UpdateMonitoredCall>& event) {
  updates_.open(event.update) = begin(SliceKind::kUpdate, event.time,
                                      {Lane::kDriver, event.adapter, event.value, event.fence});
}

void TimelineBuilder::on(const At<event::UpdateMonitoredReturn>& event) {
  if (const auto* update = updates_.find(event.update)) end(*update, event.time);
  updates_.close(event.update);
}

void TimelineBuilder::on(const At<event::ShadowIssued>& event) {
  shadows_[pair_key(event.fence, event.adapter)] = begin(
      SliceKind::kShadowWrite, event.time, {Lane::kCmp, event.adapter, event.value, event.fence});
}

void TimelineBuilder::on(const At<event::ShadowVisible>& event) {
  end(shadows_, pair_key(event.fence, event.adapter), event.time);
}

void TimelineBuilder::on(const At<event::DdiCall>& event) {
  ddis_[pair_key(event.adapter, event.ddi)] =
      begin(SliceKind::kDdi, event.time, {Lane::kDriver, event.adapter, event.ddi});
}

void TimelineBuilder::on(const At<event::DdiReturn>& event) {
  end(ddis_, pair_key(event.adapter, event.ddi), event.time);
}

// --- interrupts

/// The adapter whose name an agent's name begins with; the first if none does.
std::uint32_t TimelineBuilder::adapter_of(common::AgentId agent) {
  std::uint32_t& known = at_or_grow(agent_adapter_, agent);
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

void TimelineBuilder::on(const At<event::CmpDecision>& event) {
  mark(event.raised ? InstantKind::kCmpRaises : InstantKind::kCmpSilent, event.time,
       {Lane::kCmp, adapter_of(event.agent), event.current, event.fence});
}

void TimelineBuilder::on(const At<event::InterruptRaised>& event) {
  mark(InstantKind::kRaised, event.time, {Lane::kCmp, event.adapter, event.value, event.fence});
}

void TimelineBuilder::on(const At<event::MessageSent>& event) {
  mark(InstantKind::kMessage, event.time, {Lane::kCmp, event.adapter, event.vector});
}

void TimelineBuilder::on(const At<event::IsrBegin>& event) {
  isrs_[event.core] = begin(SliceKind::kIsr, event.time, {Lane::kCore, event.core, event.adapter});
}

void TimelineBuilder::on(const At<event::IsrEnd>& event) { end(isrs_, event.core, event.time); }

void TimelineBuilder::on(const At<event::DpcBegin>& event) {
  dpcs_[event.core] = begin(SliceKind::kDpc, event.time, {Lane::kCore, event.core, event.adapter});
}

void TimelineBuilder::on(const At<event::DpcEnd>& event) { end(dpcs_, event.core, event.time); }

// --- engines, links, threads

void TimelineBuilder::on(const At<event::PacketBegin>& event) {
  auto& open = at_or_grow(packets_, event.queue);
  for (const std::size_t slice : open) end(slice, event.time);
  open = {begin(SliceKind::kPacket, event.time, {Lane::kQueue, event.queue, event.opcode})};
  if (event.engine == 0) return;
  open.push_back(
      begin(SliceKind::kPacket, event.time, {Lane::kEngine, event.engine, event.opcode}));
}

void TimelineBuilder::on(const At<event::PacketEnd>& event) {
  auto& open = at_or_grow(packets_, event.queue);
  for (const std::size_t slice : open) end(slice, event.time);
  open.clear();
}

void TimelineBuilder::on(const At<event::Doorbell>& event) {
  mark(InstantKind::kDoorbell, event.time, {Lane::kQueue, event.queue, event.write_pointer});
}

void TimelineBuilder::on(const At<event::Mark>& event) {
  mark(InstantKind::kMark, event.time, {Lane::kThread, event.thread, event.label});
}

void TimelineBuilder::on(const At<event::PcieTransfer>& event) {
  const std::uint64_t detail = pair_key(static_cast<std::uint64_t>(event.kind.value), event.bytes);
  end(begin(SliceKind::kTransfer, event.start, {Lane::kLink, event.link, detail}),
      event.start + event.duration);
}

void TimelineBuilder::add_idle(const IdlePeriod& period) {
  end(begin(SliceKind::kIdle, period.begin, {Lane::kCore, period.core, period.state}), period.end);
}

void TimelineBuilder::on(const At<event::ThreadState>& event) {
  using event::ThreadStateKind;
  end(threads_, event.thread, event.time);
  if (event.state != ThreadStateKind::kRunning && event.state != ThreadStateKind::kReady) return;
  const SliceKind kind =
      event.state == ThreadStateKind::kRunning ? SliceKind::kRunning : SliceKind::kReady;
  threads_[event.thread] = begin(kind, event.time, {Lane::kThreadState, event.thread});
}

// --- logs, faults

void TimelineBuilder::on(const At<event::LogHeaderRead>& event) {
  log_read_[event.log] = event.time;
}

void TimelineBuilder::on(const At<event::LogEntryRead>& event) {
  log_read_[event.log] = event.time;
}

// The lost entries were written at some time since the OS last read the log.
void TimelineBuilder::on(const At<event::LogOverrun>& event) {
  const auto read = log_read_.find(event.log);
  const std::uint64_t since = read == log_read_.end() ? 0 : read->second;
  end(begin(SliceKind::kLost, since, {Lane::kLog, event.log, event.lost}), event.time);
  log_read_[event.log] = event.time;
}

void TimelineBuilder::on(const At<event::LogEntryTorn>& event) {
  mark(InstantKind::kSuspect, event.time, {Lane::kLog, event.log, event.index});
}

void TimelineBuilder::on(const At<event::BugCheck>& event) {
  mark(InstantKind::kSuspect, event.time, {Lane::kDriver, event.adapter, event.code});
}

void TimelineBuilder::on(const At<event::IrqlViolation>& event) {
  mark(InstantKind::kSuspect, event.time, {Lane::kDriver, event.adapter, event.ddi});
}

void TimelineBuilder::on(const At<event::DriverMisuse>& event) {
  mark(InstantKind::kSuspect, event.time, {Lane::kDriver, event.adapter, event.misuse});
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
