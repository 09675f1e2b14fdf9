#include "tb/check/world.h"

#include <algorithm>

namespace fenceline::check {

using common::AgentId;
using common::Event;

void FenceOrder::clear() {
  writers.clear();
  early.clear();
  history.clear();
  history.push({});
  home = position = highest = 0;
  created = ended = always_signaled = narrow = cross_adapter = false;
  cpu_value = 0;
}

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

void World::signal_begin(const Event& event) {
  Signal& signal = signals.open(event.b);
  signal.fence = event.object;
  signal.value = event.a;
  signal.queue = static_cast<std::uint32_t>(event.c);
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

Signal* World::signal_of_write(const Event& event) {
  if (event.b == 0) return nullptr;
  Signal* signal = signals.find(event.b);
  if (signal == nullptr) {
    signal = &signals.open(event.b);
    signal->fence = event.object;
    signal->value = event.a;
    signal->agent = event.agent;
    signal->begin_seq = report.seq();
  }
  signal->issued = true;
  return signal;
}

Signal* World::issued(const Event& event) {
  FenceOrder& order = fences[event.object];
  order.highest = std::max(order.highest, event.a);
  Signal* signal = signal_of_write(event);
  auto& early = order.early;
  for (std::uint64_t i = early.first_index(); i != early.end_index(); ++i) {
    const FenceOrder::Early seen = early[i];
    if (seen.number != 0 ? seen.number != event.b : seen.value != event.a) continue;
    if (signal != nullptr && seen.seq < signal->begin_seq) continue;
    early.erase(i);
    if (signal == nullptr) return nullptr;
    signal->position = seen.position;
    signal->visible_seq = seen.seq;
    return signal;
  }
  writer(order, event.agent).pending.push({event.b, event.a, report.seq()});
  return nullptr;
}

World::Flight World::in(Writer& writer, const Event& event) {
  for (std::uint64_t i = writer.pending.first_index(); i != writer.pending.end_index(); ++i) {
    const Writer::Pending& pending = writer.pending[i];
    const bool same = event.c != 0 ? pending.number == event.c : pending.value == event.a;
    if (same) return {&writer, i};
  }
  return {};
}

World::Flight World::find(FenceOrder& order, const Event& event) {
  Flight best;
  for (Writer& writer : order.writers) {
    const Flight found = in(writer, event);
    if (found.writer == nullptr) continue;
    if (writer.agent == event.agent) return found;
    const bool older = best.writer == nullptr ||
                       writer.pending[found.index].seq < best.writer->pending[best.index].seq;
    if (older) best = found;
  }
  return best;
}

void World::passed(std::uint32_t fence, Writer& writer, std::uint64_t value) {
  if (!report.broken(Invariant::kCvMono, fence)) return;
  report.add(Invariant::kCvMono, fence,
             "fence " + report.fence(fence) + ": the write of " + text(value) + " became visible " +
                 at_time(report.time()) + " before the earlier write of " +
                 text(writer.pending.front().value) + " by the same agent " +
                 report.name(common::ObjectKind::kAgent, writer.agent));
}

Signal* World::visible(const Event& event) {
  FenceOrder& order = fences[event.object];
  order.highest = std::max(order.highest, event.a);
  order.append(event.a);
  const Flight flight = find(order, event);
  if (flight.writer == nullptr) {
    order.early.push({event.c, event.a, order.position, report.seq()});
    return nullptr;
  }
  report.checked(Invariant::kCvMono);
  auto& pending = flight.writer->pending;
  const std::uint64_t number = pending[flight.index].number;
  if (flight.index == pending.first_index()) {
    pending.pop_front();
  } else {
    passed(event.object, *flight.writer, event.a);
    pending.erase(flight.index);
  }
  Signal* signal = signals.find(number);
  if (signal == nullptr) return nullptr;
  signal->position = order.position;
  signal->visible_seq = report.seq();
  return signal;
}

void World::signal_end(const Event& event) {
  Signal* signal = signals.find(event.b);
  if (signal == nullptr) return;
  signal->ended = true;
  if (!signal->issued || signal->visible()) signals.close(*signal);
}

void World::cpu_signal(const Event& event) {
  constexpr std::uint64_t kAlwaysSignaled = 1;
  constexpr std::uint64_t kNotificationOnly = 2;
  FenceOrder& order = fences[event.object];
  if ((event.b & kAlwaysSignaled) != 0) order.always_signaled = true;
  if ((event.b & kNotificationOnly) != 0) return;
  order.highest = std::max(order.highest, event.a);
  order.cpu_value = event.a;
}

namespace {
constexpr std::uint64_t kLow = 0xFFFFFFFF;

/// The value nearest to `from` whose low half is that of `word`.
std::uint64_t nearest(std::uint64_t from, std::uint64_t word) {
  const auto step = static_cast<std::int32_t>(static_cast<std::uint32_t>(word - from));
  return from + static_cast<std::uint64_t>(std::int64_t{step});
}
}  // namespace

std::uint64_t World::whole_write(const Event& event) const {
  const FenceOrder& order = fences[event.object];
  if (!order.narrow) return event.a;
  for (const Writer& writer : order.writers)
    for (std::uint64_t i = writer.pending.first_index(); i != writer.pending.end_index(); ++i)
      if ((writer.pending[i].value & kLow) == (event.a & kLow)) return writer.pending[i].value;
  if ((order.cpu_value & kLow) == (event.a & kLow)) return order.cpu_value;
  return nearest(order.home, event.a);
}

std::uint64_t World::whole_read(const Event& event) const {
  const FenceOrder& order = fences[event.object];
  if (!order.narrow) return event.a;
  for (std::uint64_t i = order.history.end_index(); i != order.history.first_index(); --i)
    if ((order.history[i - 1].value & kLow) == (event.a & kLow)) return order.history[i - 1].value;
  return nearest(order.home, event.a);
}

void World::fence_create(const Event& event) {
  FenceOrder& order = fences[event.object];
  if (!order.created) order.start(event.a);
}

void World::retire(Signal& signal) {
  if (signal.ended && signal.visible()) signals.close(signal);
}

void World::clear() {
  signals.clear();
  fences.clear();
}

std::uint64_t World::newest(std::uint32_t fence, std::uint64_t value) {
  const FenceOrder& order = fences[fence];
  for (std::uint64_t i = order.history.end_index(); i != order.history.first_index(); --i) {
    if (order.history[i - 1].value == value) return i - 1;
  }
  return kNever;
}

}  // namespace fenceline::check
