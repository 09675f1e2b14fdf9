#include "tb/check/fences/lost.h"

#include <algorithm>
#include <utility>

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::Hasher;
using common::ObjectKind;

bool WaiterChecks::satisfied(std::uint32_t fence, std::uint64_t value, std::uint64_t since) const {
  const FenceOrder& order = world_.fences[fence];
  if (order.always_signaled || order.home >= value) return true;
  if (order.highest < value) return false;
  if (since < order.history.first_index()) return true;  // too old: not in the history
  for (std::uint64_t p = since; p < order.history.end_index(); ++p)
    if (order.history[p].value >= value) return true;
  for (const Writer& writer : order.writers)
    for (std::uint64_t i = writer.pending.first_index(); i != writer.pending.end_index(); ++i)
      if (writer.pending[i].value >= value) return true;
  return false;
}

bool WaiterChecks::satisfied(std::uint32_t fence, const Registration& registration) const {
  return registration.read || satisfied(fence, registration.value, registration.position);
}

/// On a weakly ordered host the OS may load a value that was there before the wait.
void WaiterChecks::on(const At<event::CurrentValueRead>& event) {
  const bool os =
      event.reader == event::Reader::kOsResample || event.reader == event::Reader::kOsDpcScan;
  if (!os || std::as_const(fences_)[event.fence].waiters.empty()) return;
  const std::uint64_t value = world_.whole(event);
  if (world_.newest(event.fence, value) == kNever) return;  // a mixture of two values
  for (Registration& waiter : fences_[event.fence].waiters) {
    if (waiter.value <= value) waiter.read = true;
  }
}

void WaiterChecks::on(const At<event::CurrentValueVisible>& event) {
  Fence& fence = fences_[event.fence];
  if (fence.waiters.empty()) return;
  const auto& [value, before, signal] = world_.landed();
  if (value < before) {  // a value that was reached only for a moment needs no release
    for (Registration& waiter : fence.waiters) {
      if (waiter.value > value) waiter.crossed = kNever;
    }
    fence.next = 0;
  }
  if (value < fence.next) return;
  fence.next = UINT64_MAX;
  for (Registration& waiter : fence.waiters) {
    if (waiter.crossed != kNever) continue;
    if (waiter.value <= value) {
      waiter.crossed = world_.report.time();
    } else {
      fence.next = std::min(fence.next, waiter.value);
    }
  }
}

void WaiterChecks::on(const At<event::WaitAdd>& event) {
  Fence& fence = fences_[event.fence];
  Registration added;
  added.waiter = event.waiter;
  added.value = event.value;
  added.added = event.time;
  added.seq = world_.report.seq();
  added.position = world_.fences[event.fence].position;
  added.thread = event.thread;
  added.process = static_cast<std::uint32_t>(event.process);
  if (world_.fences[event.fence].home >= event.value) {
    added.crossed = event.time;
  } else {
    fence.next = std::min(fence.next, event.value);
  }
  fence.waiters.push_back(added);
  Waiter* waiter = waiters_.find(event.waiter);
  if (waiter == nullptr) waiter = &waiters_.open(event.waiter);
  ++waiter->total;
  ++waiter->live;
  const std::uint64_t kind = event.kind;
  if (kind == 1) waiter->kind = WaitKind::kAny;
  if (kind == 2) waiter->kind = WaitKind::kAll;
}

void WaiterChecks::on(const At<event::WaitRelease>& event) {
  world_.report.checked(Invariant::kNoEarly);
  std::uint64_t since = world_.fences[event.fence].position;
  bool read = false;
  for (Registration& waiter : fences_[event.fence].waiters) {
    if (waiter.waiter != event.waiter) continue;
    waiter.released = true;
    since = std::min(since, waiter.position);
    read = read || (waiter.read && waiter.value >= event.value);
  }
  if (!read && !satisfied(event.fence, event.value, since))
    fail_early(event.fence, event.waiter, event.value);
  if (Waiter* waiter = waiters_.find(event.waiter)) {
    waiter->released = true;
    waiter->satisfied = true;
  }
}

/// A wait for any ends with it; a wait for all continues with its other fences.
void WaiterChecks::on(const At<event::WaitLetGo>& event) {
  for (Registration& waiter : fences_[event.fence].waiters) {
    if (waiter.waiter == event.waiter) waiter.released = true;
  }
  Waiter* waiter = waiters_.find(event.waiter);
  if (waiter != nullptr && waiter->kind == WaitKind::kAny)
    waiter->released = waiter->satisfied = true;
}

void WaiterChecks::on(const At<event::FenceCreate>& event) {
  fences_[event.fence].unwaits_late = (event.flags & event::kFenceKeepsWaiters) != 0;
}

void WaiterChecks::on(const At<event::FenceOpen>& event) {
  for (auto& [process, count] : fences_[event.fence].opens) {
    if (process != event.process) continue;
    ++count;
    return;
  }
  fences_[event.fence].opens.emplace_back(event.process, 1);
}

/// After the last close of a process, none of its waits may be left.
void WaiterChecks::on(const At<event::FenceClose>& event) {
  Fence& fence = fences_[event.fence];
  const auto at = std::find_if(fence.opens.begin(), fence.opens.end(),
                               [&](const auto& open) { return open.first == event.process; });
  if (at == fence.opens.end() || --at->second != 0) return;
  fence.opens.erase(at);
  if (fence.unwaits_late) return;
  for (const Registration& registration : fence.waiters) {
    if (registration.process != event.process) continue;
    world_.report.checked(Invariant::kUnwaited);
    judge_left(event.fence, registration);
  }
}

/// Reports a registration whose handle is closed.
void WaiterChecks::judge_left(std::uint32_t fence, const Registration& registration) {
  const Waiter* waiter = waiters_.find(registration.waiter);
  if (registration.released || registration.process == 0 || waiter == nullptr) return;
  if (waiter->kind == WaitKind::kAny && waiter->released) return;
  Reporter& report = world_.report;
  report.fail_fence(Invariant::kUnwaited, fence,
                    "waiter " + text(registration.waiter) + " (thread " +
                        report.name(ObjectKind::kThread, registration.thread) +
                        ") still waits for fence " + report.fence(fence) + " to reach " +
                        text(registration.value) + ", and the handle that it waits by was closed " +
                        report.now());
}

/// Keeps the order of the others: of two registrations of a waiter the older one ends first.
void WaiterChecks::remove(Fence& fence, std::size_t index) {
  fence.waiters.erase(fence.waiters.begin() + static_cast<std::ptrdiff_t>(index));
  if (fence.waiters.empty()) fence.next = UINT64_MAX;
}

void WaiterChecks::on(const At<event::WaitDone>& event) {
  world_.report.checked(Invariant::kNoEarly);
  Fence& fence = fences_[event.fence];
  Waiter* waiter = waiters_.find(event.waiter);
  for (std::size_t i = 0; i < fence.waiters.size(); ++i) {
    if (fence.waiters[i].waiter != event.waiter) continue;
    const Registration registration = fence.waiters[i];
    remove(fence, i);
    ++ended_;
    if (waiter != nullptr) end(event, *waiter, registration);
    return;
  }
  // The wait was satisfied before it entered a list, or the fence is destroyed.
  if (!world_.fences[event.fence].ended && !satisfied(event.fence, event.value, 0))
    fail_early(event.fence, event.waiter, event.value);
}

/// Registrations of one waiter end one after the other; the last one allows the verdict.
void WaiterChecks::end(const At<event::WaitDone>& event, Waiter& waiter,
                       const Registration& registration) {
  if (satisfied(event.fence, registration)) {
    waiter.satisfied = true;
  } else if (!registration.released) {
    ++waiter.early;
    waiter.early_fence = event.fence;
    waiter.early_value = registration.value;
  }
  if (registration.crossed != kNever) {
    waiter.first_crossed = std::min(waiter.first_crossed, registration.crossed);
    waiter.last_crossed = std::max(waiter.last_crossed, registration.crossed);
  }
  if (--waiter.live != 0) return;
  const bool early = waiter.early != 0 && (waiter.kind == WaitKind::kAll || !waiter.satisfied);
  if (early) fail_early(waiter.early_fence, waiter.number, waiter.early_value);
  if (waiter.early != 0 && !early && waiter.kind == WaitKind::kUnsaid) ++unjudged_;
  measure(event, waiter, registration);
  waiters_.close(waiter);
}

void WaiterChecks::measure(const At<event::WaitDone>& event, const Waiter& waiter,
                           const Registration& registration) {
  if (waiter.first_crossed == kNever) return;
  const std::uint64_t crossed =
      waiter.kind == WaitKind::kAny ? waiter.first_crossed : waiter.last_crossed;
  const std::uint64_t since = std::max(registration.added, crossed);
  const std::uint64_t took = event.time > since ? event.time - since : 0;
  max_release_ = std::max(max_release_, took);
  Reporter& report = world_.report;
  report.checked(Invariant::kReleaseBound);
  if (release_bound_ == 0 || took <= release_bound_) return;
  report.fail_fence(
      Invariant::kReleaseBound, event.fence,
      "waiter " + text(waiter.number) + " of fence " + report.fence(event.fence) + " for value " +
          text(registration.value) + " resumed " + at_time(event.time) + ", " + text(took) +
          " ps after its value was there; the bound is " + text(release_bound_) + " ps");
}

void WaiterChecks::fail_early(std::uint32_t fence, std::uint64_t waiter, std::uint64_t value) {
  Reporter& report = world_.report;
  report.fail_fence(Invariant::kNoEarly, fence,
                    "waiter " + text(waiter) + " of fence " + report.fence(fence) +
                        " was released " + report.now() + " although nobody signalled " +
                        text(value) + " or more since it waits; the highest value signalled was " +
                        text(world_.fences[fence].highest));
}

void WaiterChecks::on(const At<event::WaitTimeout>& event) {
  Fence& fence = fences_[event.fence];
  for (std::size_t i = 0; i < fence.waiters.size(); ++i) {
    if (fence.waiters[i].waiter != event.waiter) continue;
    remove(fence, i);
    ++ended_;
    Waiter* waiter = waiters_.find(event.waiter);
    if (waiter != nullptr && --waiter->live == 0) waiters_.close(*waiter);
    return;
  }
}

void WaiterChecks::on_destroyed(std::uint32_t number) {
  Fence& fence = fences_[number];
  if (!fence.waiters.empty()) world_.report.checked(Invariant::kUnwaited);
  for (const Registration& registration : fence.waiters) {
    judge_left(number, registration);
    Waiter* waiter = waiters_.find(registration.waiter);
    if (waiter != nullptr && --waiter->live == 0) waiters_.close(*waiter);
  }
  fences_.forget(number);
}

bool WaiterChecks::waited_for(std::uint32_t number, std::uint64_t seq) {
  for (const Registration& registration : fences_[number].waiters) {
    if (registration.released || registration.seq >= seq) continue;
    // A wait for any that one fence has satisfied no longer waits for the others.
    const Waiter* waiter = waiters_.find(registration.waiter);
    if (waiter == nullptr || waiter->kind != WaitKind::kAny || !waiter->satisfied) return true;
  }
  return false;
}

std::uint64_t WaiterChecks::called_for(std::uint32_t number, bool all) {
  const std::uint64_t home = world_.fences[number].home;
  std::uint64_t lowest = UINT64_MAX;
  for (const Registration& waiter : fences_[number].waiters) {
    if (waiter.released || waiter.value == 0) continue;
    if (all || waiter.value > home) lowest = std::min(lowest, waiter.value - 1);
  }
  return lowest;
}

template <class Visit>
void WaiterChecks::each_open(Visit visit) {
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const auto fence = static_cast<std::uint32_t>(f);
    for (const Registration& registration : std::as_const(fences_)[f].waiters) {
      if (!registration.released) visit(fence, registration);
    }
  }
}

void WaiterChecks::finish_quiescent() {
  std::uint64_t left = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) left += std::as_const(fences_)[f].waiters.size();
  world_.report.checked(Invariant::kNoLostWaiter, ended_ + left);
  each_open([this](std::uint32_t fence, const Registration& registration) {
    Waiter* waiter = waiters_.find(registration.waiter);
    if (waiter == nullptr) return;
    ++waiter->open;
    if (registration.value <= world_.fences[fence].home) ++waiter->reached;
  });
  each_open([this](std::uint32_t fence, const Registration& registration) {
    judge_lost(fence, registration);
  });
}

void WaiterChecks::judge_lost(std::uint32_t fence, const Registration& registration) {
  Reporter& report = world_.report;
  const Waiter* waiter = waiters_.find(registration.waiter);
  const std::uint64_t home = world_.fences[fence].home;
  if (waiter == nullptr || registration.value > home) return;
  const bool any = waiter->kind == WaitKind::kAny && !waiter->released;
  const bool every =
      waiter->reached == waiter->open && (waiter->kind == WaitKind::kAll || !waiter->released);
  if (!any && !every) {
    if (waiter->kind == WaitKind::kUnsaid) ++unjudged_;
    return;
  }
  report.fail_fence(Invariant::kNoLostWaiter, fence,
                    "waiter " + text(registration.waiter) + " (thread " +
                        report.name(ObjectKind::kThread, registration.thread) +
                        ") waits for fence " + report.fence(fence) + " to reach " +
                        text(registration.value) + " since " + text(registration.added) +
                        " ps; CurrentValue is " + text(home) + " and nothing is left to do " +
                        report.now());
}

/// A waiter is identified by its fences, values and process; its number only groups registrations.
/// The time at which a value was reached matters only for the length of the release.
void WaiterChecks::add_to(Canonical& hash) const {
  struct Item {
    std::uint64_t waiter;
    std::uint64_t registrations;
    std::uint64_t count;
  };
  Few<Item, 16> items;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    for (const auto& [process, count] : fences_[f].opens)
      if (!fences_[f].waiters.empty()) hash.add(hash_values(f, pair_of(process, count)));
    for (const Registration& registration : fences_[f].waiters) {
      Item* item = items.begin();
      while (item != items.end() && item->waiter != registration.waiter) ++item;
      if (item == items.end()) {
        items.push({registration.waiter, 0, 0});
        item = items.end() - 1;
      }
      Hasher content;
      content.add(pair_of(f, registration.thread))
          .add(item->count++)
          .add(registration.value)
          .add(bits_of(registration.released,
                       world_.fences[f].highest >= registration.value &&
                           satisfied(static_cast<std::uint32_t>(f), registration)))
          .add(hash.logs() ? hash.before(registration.seq) : 0);  // for overruns of a log
      item->registrations += content.value();
    }
  }
  std::uint64_t sum = 0;
  for (const Item& item : items) {
    Hasher content;
    content.add(item.registrations);
    if (const Waiter* waiter = waiters_.find(item.waiter)) {
      content.add(static_cast<std::uint64_t>(waiter->kind))
          .add(bits_of(waiter->released, waiter->satisfied, waiter->early != 0));
    }
    sum += content.value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
