#include "tb/report/rows/fence_rows.h"

#include <algorithm>
#include <string_view>

#include "models/common/event_handlers.h"
#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

void FenceRows::take(const common::Event& event) {
  common::Handlers<FenceRows>::hand(*this, event);
}

void FenceRows::on(const At<event::SignalBegin>& event) {
  const std::size_t slice = draft_.begin(SliceKind::kSignal, event.time,
                                         {Lane::kQueue, event.queue, event.value, event.fence});
  signal_ends_[event.signal] = slice;
  at_or_grow(signals_, event.signal, TimelineDraft::kNoSlice) = slice;
  begin_signal(slice, event.fence, event.value);
}

void FenceRows::on(const At<event::SignalEnd>& event) {
  draft_.end(signal_ends_, event.signal, event.time);
}

void FenceRows::begin_signal(std::size_t slice, std::uint32_t fence, std::uint64_t value) {
  at_or_grow(fences_, fence).signals.push_back({value, slice, false});
}

/// A thread of a program that signals has an agent of its name.
void FenceRows::on(const At<event::CpuSignal>& event) {
  Lane lane = Lane::kSystem;
  std::uint32_t thread = 0;
  const std::string_view agent = names_.object(ObjectKind::kAgent, event.agent);
  for (std::uint32_t i = 1; i <= names_.count(ObjectKind::kThread); ++i) {
    if (names_.object(ObjectKind::kThread, i) != agent) continue;
    lane = Lane::kThread;
    thread = i;
  }
  draft_.end(cpu_signals_, event.fence, event.time);
  const std::size_t slice =
      draft_.begin(SliceKind::kCpuSignal, event.time, {lane, thread, event.value, event.fence});
  draft_.end(slice, event.time);
  cpu_signals_[event.fence] = slice;
  begin_signal(slice, event.fence, event.value);
}

void FenceRows::on(const At<event::CurrentValueVisible>& event) {
  Fence& fence = at_or_grow(fences_, event.fence);
  draft_.end(cpu_signals_, event.fence, event.time);
  if (!fence.reached.empty() && fence.reached.back().value >= event.value) return;
  fence.reached.push_back({event.value, event.time, find_signal(fence, event.value)});
}

/// The slice of the latest signal to `value` that was not visible yet.
std::size_t FenceRows::find_signal(Fence& fence, std::uint64_t value) {
  constexpr std::ptrdiff_t kLookBack = 256;
  auto& signals = fence.signals;
  const auto stop =
      signals.rend() - signals.rbegin() > kLookBack ? signals.rbegin() + kLookBack : signals.rend();
  for (auto it = signals.rbegin(); it != stop; ++it) {
    if (it->visible || it->value != value) continue;
    it->visible = true;
    return it->slice;
  }
  return TimelineDraft::kNoSlice;
}

void FenceRows::on(const At<event::WaitAdd>& event) {
  auto* waits = waits_.find(event.waiter);
  if (waits == nullptr) waits = &waits_.open(event.waiter);
  const std::size_t slice =
      draft_.begin(SliceKind::kCpuWait, event.time,
                   {Lane::kThread, event.thread.value, event.value, event.fence});
  waits->push_back({event.fence, event.value, slice});
}

/// The wait of a waiter for one fence; kNoSlice if it is not known.
std::size_t FenceRows::wait_of(const event::ThreadWait& event) {
  if (const auto* waits = waits_.find(event.waiter))
    for (const Wait& it : *waits)
      if (it.fence == event.fence && it.value == event.value) return it.slice;
  return TimelineDraft::kNoSlice;
}

/// A thread goes on later, with WaitDone; a wait that only sets an event ends here.
void FenceRows::on(const At<event::WaitRelease>& event) {
  const std::size_t wait = wait_of(event);
  if (wait == TimelineDraft::kNoSlice) return;
  draft_.end(wait, event.time);
  release({wait, event.time, event.fence, event.value, 0});
}

void FenceRows::on(const At<event::WaitDone>& event) { end_wait(event, event.time); }

void FenceRows::on(const At<event::WaitTimeout>& event) { end_wait(event, event.time); }

void FenceRows::on(const At<event::WaitLetGo>& event) { end_wait(event, event.time); }

void FenceRows::end_wait(const event::ThreadWait& event, std::uint64_t time) {
  const std::size_t slice = wait_of(event);
  if (slice == TimelineDraft::kNoSlice) return;
  draft_.end(slice, time);
  auto& waits = *waits_.find(event.waiter);
  waits.erase(
      std::find_if(waits.begin(), waits.end(), [&](const Wait& it) { return it.slice == slice; }));
  if (waits.empty()) waits_.close(event.waiter);
}

void FenceRows::on(const At<event::GpuWaitBegin>& event) {
  draft_.end(gpu_waits_, event.queue, event.time);
  gpu_waits_[event.queue] = draft_.begin(SliceKind::kGpuWait, event.time,
                                         {Lane::kQueue, event.queue, event.value, event.fence});
}

void FenceRows::on(const At<event::GpuWaitUnblock>& event) {
  const auto it = gpu_waits_.find(event.queue);
  if (it != gpu_waits_.end())
    release({it->second, event.time, event.fence, event.value, event.signal});
  draft_.end(gpu_waits_, event.queue, event.time);
}

std::size_t FenceRows::releasing_signal(const Release& release) {
  if (release.signal != 0) return at_or_grow(signals_, release.signal, TimelineDraft::kNoSlice);
  const auto& reached = at_or_grow(fences_, release.fence).reached;
  const auto it = std::lower_bound(
      reached.begin(), reached.end(), release.value,
      [](const Reached& entry, std::uint64_t value) { return entry.value < value; });
  const std::uint64_t wait_begin = draft_.timeline.slices[release.wait].begin;
  if (it == reached.end() || it->time < wait_begin)
    return TimelineDraft::kNoSlice;  // there before the wait
  return it->slice;
}

void FenceRows::release(const Release& release) {
  const Slice& slice = draft_.timeline.slices[release.wait];
  const std::size_t signal = releasing_signal(release);
  const std::size_t instant = draft_.mark(InstantKind::kReleased, release.time,
                                          {slice.lane, slice.object, release.value, release.fence});
  draft_.timeline.instants[instant].place = slice.place;
  if (signal == TimelineDraft::kNoSlice || draft_.timeline.slices[signal].begin > release.time)
    return;
  draft_.timeline.flows.push_back({signal, release.wait, instant});
}

}  // namespace fenceline::report
