#include "tb/check/core/world.h"

#include <algorithm>

#include "kmd_stub/wddm/wddm.h"

namespace fenceline::check {

using common::AgentId;
using common::At;
using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;

World::World(Reporter& reporter, Roster& all) : report(reporter), checkers(all) { all.add(*this); }

void FenceOrder::start(std::uint64_t initial) {
  if (position == 0) {
    history[0].value = initial;
    home = initial;
  } else if (!created) {
    append(initial);
  }
  highest = std::max(highest, initial);
  created = true;
  ended = false;
}

void FenceOrder::append(std::uint64_t value) {
  home = value;
  ++position;
  history.push({value, 0, 0});
}

void World::on(const At<event::SignalBegin>& event) {
  Signal& signal = signals.open(event.signal);
  signal.fence = event.fence;
  signal.value = event.value;
  signal.queue = event.queue;
  signal.agent = event.agent;
  signal.begin_seq = report.seq();
}

Writer& World::writer(FenceOrder& order, AgentId agent) {
  for (Writer& known : order.writers) {
    if (known.agent == agent) return known;
  }
  order.writers.push_back({agent, {}});
  return order.writers.back();
}

Signal& World::signal_of_write(const At<event::CurrentValueIssued>& event) {
  Signal* signal = signals.find(event.signal);
  if (signal == nullptr) {
    signal = &signals.open(event.signal);
    signal->fence = event.fence;
    signal->value = event.value;
    signal->agent = event.agent;
    signal->begin_seq = report.seq();
  }
  signal->issued = true;
  return *signal;
}

void World::on(const At<event::CurrentValueIssued>& event) {
  FenceOrder& order = fences[event.fence];
  order.highest = std::max<std::uint64_t>(order.highest, event.value);
  const Signal& signal = signal_of_write(event);
  writer(order, signal.agent).pending.push({signal.number, event.value});
}

std::uint64_t Writer::index_of(std::uint64_t number) const {
  std::uint64_t i = pending.first_index();
  while (i != pending.end_index() && pending[i].number != number) ++i;
  return i;
}

void World::passed(std::uint32_t fence, Writer& writer, std::uint64_t value) {
  report.fail_fence(Invariant::kCvMono, fence,
                    "fence " + report.fence(fence) + ": the write of " + text(value) +
                        " became visible " + report.now() + " before the earlier write of " +
                        text(writer.pending.front().value) + " by the same agent " +
                        report.name(common::ObjectKind::kAgent, writer.agent));
}

Signal* World::land(const At<event::CurrentValueVisible>& event, std::uint64_t value) {
  FenceOrder& order = fences[event.fence];
  order.highest = std::max(order.highest, value);
  order.append(value);
  Signal* signal = signals.find(event.signal);
  if (signal == nullptr) return nullptr;
  Writer& from = writer(order, signal->agent);
  const std::uint64_t index = from.index_of(signal->number);
  if (index == from.pending.end_index()) return nullptr;
  report.checked(Invariant::kCvMono);
  if (index == from.pending.first_index()) {
    from.pending.pop_front();
  } else {
    passed(event.fence, from, value);
    from.pending.erase(index);
  }
  if (signal->value != value) return nullptr;  // torn
  signal->position = order.position;
  signal->visible_seq = report.seq();
  return signal;
}

void World::on(const At<event::CurrentValueVisible>& event) {
  landed_.value = whole(event);
  landed_.before = fences[event.fence].home;
  landed_.signal = land(event, landed_.value);
  teller_ = event.agent;
  unsettled_ = landed_.signal != nullptr;
}

void World::end_signal(std::uint64_t number) {
  Signal* signal = signals.find(number);
  if (signal == nullptr) return;
  signal->ended = true;
  if (!signal->issued || signal->visible()) signals.close(*signal);
}

void World::on(const At<event::CpuSignal>& event) {
  FenceOrder& order = fences[event.fence];
  if ((event.flags & Flags::kAlwaysSignaled) != 0) order.always_signaled = true;
  if ((event.flags & Flags::kNotificationOnly) != 0) return;
  order.highest = std::max<std::uint64_t>(order.highest, event.value);
  order.cpu_value = event.value;
}

void World::on(const At<event::FenceCreate>& event) {
  FenceOrder& order = fences[event.fence];
  if (!order.created) order.start(event.initial);
}

void World::settle_all() {
  unsettled_ = false;
  if (Signal* const signal = landed_.signal) {
    for (Checker* checker : checkers.take_visible()) checker->on_visible(*signal, teller_);
    if (signal->ended && signal->visible()) signals.close(*signal);
    landed_.signal = nullptr;
  }
  if (ending_ != 0) end_signal(ending_);
  ending_ = 0;
  if (destroyed_ != 0) {
    for (Checker* checker : checkers.all()) checker->on_destroyed(destroyed_);
    fences[destroyed_].created = false;
    fences[destroyed_].ended = true;
    destroyed_ = 0;
  }
  if (freed_ != 0) {
    for (Checker* checker : checkers.all()) checker->forget(freed_);
    fences.forget(freed_);
    freed_ = 0;
  }
}

namespace {
constexpr std::uint64_t kLow = 0xFFFFFFFF;

/// The value nearest to `from` whose low half equals that of `word`.
std::uint64_t nearest(std::uint64_t from, std::uint64_t word) {
  const auto step = static_cast<std::int32_t>(static_cast<std::uint32_t>(word - from));
  return from + static_cast<std::uint64_t>(std::int64_t{step});
}
}  // namespace

std::uint64_t World::whole(const At<event::CurrentValueVisible>& event) const {
  const FenceOrder& order = fences[event.fence];
  if (!order.narrow) return event.value;
  const Signal* signal = signals.find(event.signal);
  const std::uint64_t written = signal != nullptr ? signal->value : order.cpu_value;
  if ((written & kLow) == (event.value & kLow)) return written;
  return nearest(order.home, event.value);
}

std::uint64_t World::whole(const At<event::CurrentValueRead>& event) const {
  const FenceOrder& order = fences[event.fence];
  if (!order.narrow) return event.value;
  for (std::uint64_t i = order.history.end_index(); i != order.history.first_index(); --i)
    if ((order.history[i - 1].value & kLow) == (event.value & kLow))
      return order.history[i - 1].value;
  return nearest(order.home, event.value);
}

std::uint64_t World::newest(std::uint32_t fence, std::uint64_t value) {
  const FenceOrder& order = fences[fence];
  for (std::uint64_t i = order.history.end_index(); i != order.history.first_index(); --i) {
    if (order.history[i - 1].value == value) return i - 1;
  }
  return kNever;
}

}  // namespace fenceline::check
