#include "tb/check/update.h"

#include <algorithm>

namespace fenceline::check {

using common::AgentId;
using common::Event;

UpdateChecks::Slot& UpdateChecks::slot(std::uint32_t fence, std::uint64_t adapter) {
  std::vector<Slot>& all = fences_[fence].all;
  for (Slot& candidate : all) {
    if (candidate.adapter == adapter) return candidate;
  }
  all.emplace_back();
  all.back().adapter = static_cast<std::uint32_t>(adapter);
  all.back().updates.push({});
  return all.back();
}

const UpdateChecks::Slot* UpdateChecks::find(std::uint32_t fence, std::uint32_t adapter) const {
  const std::vector<Slot>& all = fences_[fence].all;
  if (adapter == 0) return all.size() == 1 ? &all.front() : nullptr;
  for (const Slot& candidate : all) {
    if (candidate.adapter == adapter) return &candidate;
  }
  return nullptr;
}

UpdateChecks::Slot* UpdateChecks::find(std::uint32_t fence, std::uint32_t adapter) {
  const UpdateChecks& self = *this;
  return const_cast<Slot*>(self.find(fence, adapter));
}

/// The newest update in memory that has the value and is not older than the last one issued, or 0.
std::uint64_t UpdateChecks::held(const Slot& at, std::uint64_t value) {
  const std::uint64_t last = at.updates.end_index() - 1;
  const std::uint64_t oldest = std::max(at.issued, at.updates.first_index());
  for (std::uint64_t i = std::min(at.memory, last); i > 0 && i >= oldest; --i) {
    if (at.updates[i].value == value) return i;
  }
  return 0;
}

void UpdateChecks::on_call(const Event& event) {
  slot(event.object, event.c).updates.push({event.b, event.a, kNever, kNever, event.agent});
}

void UpdateChecks::on_return(const Event& event) {
  Slot& at = slot(event.object, event.c);
  for (std::uint64_t i = at.updates.end_index(); i != at.updates.first_index(); --i) {
    Update& update = at.updates[i - 1];
    if (update.number != event.b) continue;
    update.returned = world_.report.seq();
    return;
  }
}

void UpdateChecks::on_monitored_visible(const Event& event) {
  Slot& at = slot(event.object, event.b);
  const std::uint64_t before = at.memory == kNever ? 0 : at.memory;
  at.memory = before;
  for (std::uint64_t i = std::max(before + 1, at.updates.first_index()); i < at.updates.end_index();
       ++i) {
    if (at.updates[i].value != event.a) continue;
    at.memory = i;
    return;
  }
}

void UpdateChecks::on_shadow_issued(const Event& event) {
  Slot& at = slot(event.object, event.b);
  agents_[event.agent].adapter = at.adapter;
  const std::uint64_t update = held(at, event.a);
  if (update == 0) {
    check_whole(event, at, "was copied into the shadow as ");
    return;
  }
  at.issued = update;
  const bool arrived = at.known && at.value == event.a && at.shadow == update;
  if (!arrived) at.flights.push(update);
}

void UpdateChecks::on_shadow_visible(const Event& event) {
  Slot& at = slot(event.object, event.b);
  at.value = event.a;
  at.known = true;
  auto& flights = at.flights;
  while (!flights.empty() && flights.front() < at.updates.first_index()) flights.pop_front();
  const bool issued = !flights.empty() && at.updates[flights.front()].value == event.a;
  const std::uint64_t update = issued ? flights.front() : held(at, event.a);
  if (issued) flights.pop_front();
  at.shadow = std::max(at.shadow, update);
}

std::uint64_t UpdateChecks::version_read(Slot& at, const Event& event) {
  if (at.known && at.value == event.a) return at.shadow;
  for (std::uint64_t i = at.shadow; i > at.updates.first_index(); --i) {
    if (at.updates[i].value == event.a) return i;  // a stale copy
  }
  const bool initial = event.a == UINT64_MAX || event.a == 0;
  if (initial && at.updates.first_index() == 0) return 0;
  check_whole(event, at, "was read from the shadow as ");
  return at.shadow;
}

void UpdateChecks::check_whole(const Event& event, const Slot& at, const char* what) {
  world_.report.checked(Invariant::kNoTear);
  if (event.a == UINT64_MAX || event.a == 0) return;
  for (std::uint64_t i = at.updates.first_index(); i < at.updates.end_index(); ++i) {
    if (at.updates[i].value == event.a) return;
  }
  if (!world_.report.broken(Invariant::kNoTear, event.object)) return;
  world_.report.add(Invariant::kNoTear, event.object,
                    "MonitoredValue of fence " + world_.report.fence(event.object) + " " + what +
                        hex(event.a) + " " + at_time(event.time) +
                        ", a value that nobody wrote as a whole");
}

void UpdateChecks::on_shadow_read(const Event& event) {
  world_.report.checked(Invariant::kNoTear);
  Slot& at = slot(event.object, event.b);
  Agent& agent = agents_[event.agent];
  agent.adapter = at.adapter;
  agent.fence = event.object;
  agent.value = event.a;
  agent.version = version_read(at, event);
}

std::uint64_t UpdateChecks::monitored_read(AgentId agent, std::uint32_t fence) {
  const Agent& last = agents_[agent];
  return last.version != kNever && last.fence == fence ? last.value : UINT64_MAX;
}

void UpdateChecks::on_decision(const Event& event) {
  Agent& agent = agents_[event.agent];
  const std::uint64_t version = agent.fence == event.object ? agent.version : kNever;
  agent.version = kNever;
  Signal* signal = world_.signals.find(event.b);
  if (signal == nullptr) return;
  signal->decided = true;
  if (version == kNever) return;
  signal->adapter = agent.adapter;
  signal->version = version;
  signal->suppressed = event.c == 0;
  if (signal->suppressed && signal->visible()) judge(*signal);
}

void UpdateChecks::on_visible(Signal& signal) {
  if (signal.suppressed) judge(signal);
}

void UpdateChecks::judge(const Signal& signal) {
  Slot* at = find(signal.fence, signal.adapter);
  if (at == nullptr) return;
  auto& history = world_.fences[signal.fence].history;
  if (signal.position >= history.first_index() && signal.position < history.end_index()) {
    history[signal.position].suppressed = signal.version + 1;
    history[signal.position].adapter = signal.adapter;
  }
  for (std::uint64_t i = std::max(signal.version + 1, at->updates.first_index());
       i < at->updates.end_index(); ++i) {
    judge_pair(signal, at->updates[i]);
  }
}

void UpdateChecks::judge_pair(const Signal& signal, const Update& update) {
  if (signal.value <= update.value) return;
  world_.report.checked(Invariant::kUmvPost);
  if (update.returned < signal.visible_seq) {
    fail(Invariant::kUmvPost, signal, update, "had returned before that write was visible");
  }
  if (update.read == kNever) return;
  world_.report.checked(Invariant::kStep2);
  if (update.read < signal.position) {
    fail(Invariant::kStep2, signal, update, "was followed by a CMP read that missed that write");
  }
}

void UpdateChecks::on_cmp_read(const Event& event) {
  Agent& agent = agents_[event.agent];
  agent.cmp_fence = event.object;
  agent.cmp_position = world_.newest(event.object, event.a);
  Slot* at = find(event.object, agent.adapter);
  agent.cmp_update = at == nullptr ? 0 : at->issued;
}

void UpdateChecks::on_cmp_decision(const Event& event) {
  Agent& agent = agents_[event.agent];
  const bool fresh = agent.cmp_fence == event.object && agent.cmp_position != kNever;
  agent.cmp_fence = 0;
  const auto decider = static_cast<common::Decider>(event.c >> 1);
  if (!fresh || decider != common::Decider::kMonitoredUpdate) return;
  Slot* at = find(event.object, agent.adapter);
  const std::uint64_t index = agent.cmp_update;
  if (at == nullptr || index == 0 || index < at->updates.first_index()) return;
  std::uint64_t& read = at->updates[index].read;  // the CMP may look twice for one update
  read = std::min(read, agent.cmp_position);
  judge_stale_read(event, *at, index, agent.cmp_position);
}

/// Signals that became visible after the position that the CMP read, before it decided.
void UpdateChecks::judge_stale_read(const Event& event, const Slot& at, std::uint64_t index,
                                    std::uint64_t position) {
  const Update& update = at.updates[index];
  world_.report.checked(Invariant::kStep2);
  const auto& history = world_.fences[event.object].history;
  for (std::uint64_t p = std::max(position + 1, history.first_index()); p < history.end_index();
       ++p) {
    const Write& write = history[p];
    const bool silenced = write.suppressed != 0 && write.adapter == at.adapter &&
                          write.suppressed - 1 < index && write.value > update.value;
    if (!silenced) continue;
    Signal signal;
    signal.fence = event.object;
    signal.value = write.value;
    fail(Invariant::kStep2, signal, update, "was followed by a CMP read that missed that write");
  }
}

void UpdateChecks::fail(Invariant invariant, const Signal& signal, const Update& update,
                        const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, signal.fence)) return;
  const std::string number = signal.number == 0 ? "" : text(signal.number) + " ";
  report.add(invariant, signal.fence,
             "fence " + report.fence(signal.fence) + ": signal " + number + "of value " +
                 text(signal.value) + " was silenced by an older MonitoredValue, and update " +
                 text(update.number) + " to MonitoredValue " + text(update.value) + " " + what +
                 ", noticed " + at_time(report.time()));
}

const Update* UpdateChecks::settled(std::uint32_t fence, std::uint32_t adapter) {
  Slot* at = find(fence, adapter);
  if (at == nullptr || at->updates.size() < 2) return nullptr;
  const Update& last = at->updates.back();
  return last.number != 0 && last.returned != kNever ? &last : nullptr;
}

void UpdateChecks::on_destroy(std::uint32_t fence) { fences_.forget(fence); }

void UpdateChecks::clear() {
  fences_.clear();
  agents_.clear();
}

}  // namespace fenceline::check
