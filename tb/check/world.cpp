#include "tb/check/world.h"

#include <algorithm>

namespace fenceline::check {

using common::Event;

void FenceOrder::clear() {
  writers.clear();
  history.clear();
  history.push({});
  home = position = highest = 0;
  created = always_signaled = false;
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
}

void World::issued(const Event& event) {
  FenceOrder& order = fences[event.object];
  order.highest = std::max(order.highest, event.a);
  auto writer = order.writers.begin();
  while (writer != order.writers.end() && writer->agent != event.agent) ++writer;
  if (writer == order.writers.end()) {
    order.writers.push_back({event.agent, {}});
    writer = order.writers.end() - 1;
  }
  writer->pending.push({event.b, event.a});
  if (event.b == 0) return;
  Signal* signal = signals.find(event.b);
  if (signal == nullptr) {
    signal = &signals.open(event.b);
    signal->fence = event.object;
    signal->value = event.a;
  }
  signal->issued = true;
}

World::Match World::match(std::uint32_t fence, common::AgentId agent, std::uint64_t value,
                          std::uint64_t& number) {
  bool known = false;
  for (Writer& writer : fences[fence].writers) {
    if (writer.agent != agent) continue;
    auto& pending = writer.pending;
    known = !pending.empty();
    for (std::uint64_t i = pending.begin(); i != pending.end(); ++i) {
      if (pending[i].value != value) continue;
      number = pending[i].number;
      report.checked(Invariant::kCvMono);
      if (i == pending.begin()) {
        pending.pop_front();
      } else {
        passed(fence, writer, value);
        pending.erase(i);
      }
      return Match::kOwn;
    }
  }
  return known ? Match::kHalf : Match::kUnknown;
}

void World::passed(std::uint32_t fence, const Writer& writer, std::uint64_t value) {
  if (!report.broken(Invariant::kCvMono, fence)) return;
  report.add(Invariant::kCvMono, fence,
             "fence " + report.fence(fence) + ": the write of " + text(value) + " became visible " +
                 at_time(report.time()) + " before the earlier write of " +
                 text(writer.pending[writer.pending.begin()].value) + " by the same agent " +
                 report.name(common::ObjectKind::kAgent, writer.agent));
}

Signal* World::visible(const Event& event) {
  std::uint64_t number = 0;
  const Match matched = match(event.object, event.agent, event.a, number);
  FenceOrder& order = fences[event.object];
  if (matched == Match::kHalf) {
    order.home = event.a;
    return nullptr;
  }
  order.highest = std::max(order.highest, event.a);
  order.append(event.a);
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
  if ((event.b & kNotificationOnly) == 0) order.highest = std::max(order.highest, event.a);
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
  for (std::uint64_t i = order.history.end(); i != order.history.begin(); --i) {
    if (order.history[i - 1].value == value) return i - 1;
  }
  return kNever;
}

}  // namespace fenceline::check
