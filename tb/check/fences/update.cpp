#include "tb/check/fences/update.h"

#include <algorithm>

namespace fenceline::check {

using common::AgentId;
using common::At;

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

/// The newest update in memory with the value that is not older than the last one issued, or 0.
std::uint64_t UpdateChecks::held(const Slot& at, std::uint64_t value) {
  const std::uint64_t last = at.updates.end_index() - 1;
  const std::uint64_t oldest = std::max(at.issued, at.updates.first_index());
  for (std::uint64_t i = std::min(at.memory, last); i > 0 && i >= oldest; --i) {
    if (at.updates[i].value == value) return i;
  }
  return 0;
}

void UpdateChecks::on(const At<event::UpdateMonitoredCall>& event) {
  slot(event.fence, event.adapter)
      .updates.push({event.update, event.value, kNever, kNever, event.agent});
}

void UpdateChecks::on(const At<event::UpdateMonitoredReturn>& event) {
  Slot& at = slot(event.fence, event.adapter);
  for (std::uint64_t i = at.updates.end_index(); i != at.updates.first_index(); --i) {
    Update& update = at.updates[i - 1];
    if (update.number != event.update) continue;
    update.returned = world_.report.seq();
    return;
  }
}

void UpdateChecks::on(const At<event::MonitoredValueVisible>& event) {
  Slot& at = slot(event.fence, event.adapter);
  const std::uint64_t before = at.memory == kNever ? 0 : at.memory;
  at.memory = before;
  for (std::uint64_t i = std::max(before + 1, at.updates.first_index()); i < at.updates.end_index();
       ++i) {
    if (at.updates[i].value != event.value) continue;
    at.memory = i;
    return;
  }
}

void UpdateChecks::on(const At<event::ShadowIssued>& event) {
  Slot& at = slot(event.fence, event.adapter);
  agents_[event.agent].adapter = at.adapter;
  const std::uint64_t update = held(at, event.value);
  if (update == 0) {
    check_whole(event.fence, event.value, at, "was copied into the shadow as ");
    return;
  }
  at.issued = update;
  const bool arrived = at.known && at.value == event.value && at.shadow == update;
  if (!arrived) at.flights.push(update);
}

void UpdateChecks::on(const At<event::ShadowVisible>& event) {
  Slot& at = slot(event.fence, event.adapter);
  at.value = event.value;
  at.known = true;
  auto& flights = at.flights;
  while (!flights.empty() && flights.front() < at.updates.first_index()) flights.pop_front();
  const bool issued = !flights.empty() && at.updates[flights.front()].value == event.value;
  const std::uint64_t update = issued ? flights.front() : held(at, event.value);
  if (issued) flights.pop_front();
  at.shadow = std::max(at.shadow, update);
}

/// Before the first write for a fence is there, its shadow is what the fence before it left.
std::uint64_t UpdateChecks::version_read(Slot& at, const At<event::ShadowRead>& event) {
  if (!at.known) return 0;
  if (at.value == event.value) return at.shadow;
  for (std::uint64_t i = at.shadow; i > at.updates.first_index(); --i) {
    if (at.updates[i].value == event.value) return i;  // a stale copy
  }
  const bool initial = event.value == UINT64_MAX || event.value == 0;
  if (initial && at.updates.first_index() == 0) return 0;
  check_whole(event.fence, event.value, at, "was read from the shadow as ");
  return at.shadow;
}

void UpdateChecks::check_whole(std::uint32_t fence, std::uint64_t value, const Slot& at,
                               const char* what) {
  world_.report.checked(Invariant::kNoTear);
  if (value == UINT64_MAX || value == 0) return;
  for (std::uint64_t i = at.updates.first_index(); i < at.updates.end_index(); ++i) {
    if (at.updates[i].value == value) return;
  }
  world_.report.fail_fence(Invariant::kNoTear, fence,
                           "MonitoredValue of fence " + world_.report.fence(fence) + " " + what +
                               hex(value) + " " + world_.report.now() +
                               ", a value that nobody wrote as a whole");
}

void UpdateChecks::on(const At<event::ShadowRead>& event) {
  if (world_.fences[event.fence].ended) return;
  world_.report.checked(Invariant::kNoTear);
  Slot& at = slot(event.fence, event.adapter);
  Agent& agent = agents_[event.agent];
  agent.adapter = at.adapter;
  agent.fence = event.fence;
  agent.value = event.value;
  agent.version = version_read(at, event);
}

void UpdateChecks::on(const At<event::Decision>& event) {
  Agent& agent = agents_[event.agent];
  const std::uint64_t version = agent.fence == event.fence ? agent.version : kNever;
  decided_above_ = version != kNever && event.value > agent.value;
  agent.version = kNever;
  Signal* signal = world_.signals.find(event.signal);
  if (signal == nullptr) return;
  signal->decided = true;
  if (version == kNever) return;
  signal->adapter = agent.adapter;
  signal->version = version;
  signal->suppressed = !event.above;
  if (signal->suppressed && signal->visible()) judge(*signal);
}

void UpdateChecks::on_visible(Signal& signal, AgentId /*writer*/) {
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

void UpdateChecks::on(const At<event::CurrentValueRead>& event) {
  if (event.reader != event::Reader::kCmp) return;
  Agent& agent = agents_[event.agent];
  agent.cmp_fence = event.fence;
  agent.cmp_position = world_.newest(event.fence, world_.whole(event));
  Slot* at = find(event.fence, agent.adapter);
  agent.cmp_update = at == nullptr ? 0 : at->issued;
}

void UpdateChecks::on(const At<event::CmpDecision>& event) {
  Agent& agent = agents_[event.agent];
  const bool fresh = agent.cmp_fence == event.fence && agent.cmp_position != kNever;
  agent.cmp_fence = 0;
  const auto decider = static_cast<event::Decider>(event.decider);
  if (!fresh || decider != event::Decider::kMonitoredUpdate) return;
  Slot* at = find(event.fence, agent.adapter);
  const std::uint64_t index = agent.cmp_update;
  if (at == nullptr || index == 0 || index < at->updates.first_index()) return;
  std::uint64_t& read = at->updates[index].read;  // The CMP may read twice for one update.
  read = std::min(read, agent.cmp_position);
  judge_stale_read(event, *at, index, agent.cmp_position);
}

/// Judges signals that became visible between the CMP's read of CurrentValue and its decision.
void UpdateChecks::judge_stale_read(const At<event::CmpDecision>& event, const Slot& at,
                                    std::uint64_t index, std::uint64_t position) {
  const Update& update = at.updates[index];
  world_.report.checked(Invariant::kStep2);
  const auto& history = world_.fences[event.fence].history;
  for (std::uint64_t p = std::max(position + 1, history.first_index()); p < history.end_index();
       ++p) {
    const Write& write = history[p];
    const bool silenced = write.suppressed != 0 && write.adapter == at.adapter &&
                          write.suppressed - 1 < index && write.value > update.value;
    if (!silenced) continue;
    Signal signal;
    signal.fence = event.fence;
    signal.value = write.value;
    fail(Invariant::kStep2, signal, update, "was followed by a CMP read that missed that write");
  }
}

void UpdateChecks::fail(Invariant invariant, const Signal& signal, const Update& update,
                        const std::string& what) {
  Reporter& report = world_.report;
  const std::string number = signal.number == 0 ? "" : text(signal.number) + " ";
  report.fail_fence(invariant, signal.fence,
                    "fence " + report.fence(signal.fence) + ": signal " + number + "of value " +
                        text(signal.value) +
                        " was silenced by an older MonitoredValue, and update " +
                        text(update.number) + " to MonitoredValue " + text(update.value) + " " +
                        what + ", noticed " + report.now());
}

const Update* UpdateChecks::settled(std::uint32_t fence, std::uint32_t adapter) {
  Slot* at = find(fence, adapter);
  if (at == nullptr || at->updates.size() < 2) return nullptr;
  const Update& last = at->updates.back();
  return last.number != 0 && last.returned != kNever ? &last : nullptr;
}

void UpdateChecks::on_destroyed(std::uint32_t fence) { fences_.forget(fence); }

}  // namespace fenceline::check
