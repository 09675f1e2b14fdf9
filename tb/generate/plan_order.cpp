// How a plan orders its actions: by signals and waits.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tb/generate/plan.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

const Signal* first_signal(const FencePlan& fence, std::uint64_t value) {
  for (const Signal& signal : fence.signals)
    if (signal.value >= value) return &signal;
  return nullptr;
}

}  // namespace

std::string Plan::engine_of(AgentId id) const {
  return scenario_.processes[agents_[id].process].adapter + "/" + agents_[id].engine;
}

/// Engines whose contexts the signal needs, and whose work is not over when the agent waits.
std::set<std::string> Plan::engines_before(AgentId id, const Signal& signal) const {
  std::set<std::string> engines;
  for (AgentId other = 0; other < agents_.size(); ++other)
    if (agents_[other].kind == Agent::Kind::kContext &&
        signal.needs.over(other) > agents_[id].known.over(other))
      engines.insert(engine_of(other));
  return engines;
}

/// Waits of buffers on the engine may need work of the other engine.
bool Plan::may_wait_for_engine(const std::string& engine, const std::string& other) const {
  std::set<std::string> met{engine};
  std::vector<std::string> left{engine};
  while (!left.empty() && met.count(other) == 0) {
    const auto found = engine_waits_.find(left.back());
    left.pop_back();
    if (found == engine_waits_.end()) continue;
    for (const std::string& next : found->second)
      if (met.insert(next).second) left.push_back(next);
  }
  return met.count(other) != 0;
}

/// A context that waits inside a buffer keeps its engine. All work of that engine on which the
/// signal depends has to be over before, and no engine may wait for another one that waits for it.
/// Memory that moves waits for all buffers: none may wait.
bool Plan::may_wait(AgentId id, std::size_t fence, const Signal& signal) const {
  const Agent& agent = agents_[id];
  if (!can_use(id, fences_[fence], Use::kWait)) return false;
  if (agent.kind != Agent::Kind::kContext || monitored(id, fence)) return true;
  if (moves_memory(id)) return false;
  for (AgentId other = 0; other < agents_.size(); ++other)
    if (other != id && agents_[other].engine == agent.engine &&
        signal.needs.over(other) > agent.known.over(other))
      return false;
  const std::set<std::string> before = engines_before(id, signal);
  return std::none_of(before.begin(), before.end(), [&](const std::string& engine) {
    return may_wait_for_engine(engine, engine_of(id));
  });
}

void Plan::depend(AgentId id, std::size_t fence, std::uint64_t value) {
  if (const Signal* signal = first_signal(fences_[fence], value)) {
    if (agents_[id].kind == Agent::Kind::kContext && !monitored(id, fence))
      engine_waits_[engine_of(id)].merge(engines_before(id, *signal));
    agents_[id].needs.learn(signal->needs);
  }
  use(id, fence);
  fences_[fence].waited.learn(Event{id, agents_[id].acts});
}

void Plan::learn(AgentId id, std::size_t fence, std::uint64_t value) {
  depend(id, fence, value);
  if (is_given_up(fence)) return;
  Agent& agent = agents_[id];
  if (const Signal* signal = first_signal(fences_[fence], value)) agent.known.learn(signal->over);
  agent.seen[fence] = std::max(agent.seen[fence], value);
}

bool Plan::wait_for(AgentId id, std::size_t fence, std::uint64_t value) {
  const Signal* signal = first_signal(fences_[fence], value);
  if (signal != nullptr && !may_wait(id, fence, *signal)) return false;
  const scenario::Expression wanted{value};
  if (agents_[id].kind == Agent::Kind::kThread) {
    if (!order(id, fences_[fence].made)) return false;
    scenario::WaitStep wait;
    wait.points.push_back({name_of(id, fence), wanted});
    step(id, std::move(wait));
  } else {
    if (!open(id, fences_[fence].made)) return false;
    command(id, scenario::WaitCommand{{name_of(id, fence), wanted}});
    note_buffer(id, fence);
  }
  learn(id, fence, value);
  return true;
}

bool Plan::order_by_signals(AgentId id, const Event& event) {
  if (event.agent == id || agents_[id].known.knows(event)) return true;
  std::vector<std::pair<std::size_t, std::uint64_t>> ways;
  for (const std::size_t fence : usable_fences(id))
    for (const Signal& signal : fences_[fence].signals)
      if (!is_given_up(fence) && signal.over.knows(event) &&
          agents_[id].known.knows(fences_[fence].made) && may_wait(id, fence, signal)) {
        ways.emplace_back(fence, signal.value);
        break;
      }
  if (ways.empty()) return false;
  const auto [fence, value] = draw_.one_of(ways);
  return wait_for(id, fence, value);
}

bool Plan::order(AgentId id, const Event& event) {
  if (order_by_signals(id, event)) return true;
  const AgentId speaker = agents_[event.agent].speaker.value_or(event.agent);
  // A thread that submits a signal of the queue would have to come after this event itself.
  const auto& open = agents_[speaker].open;
  if (agents_[event.agent].speaker && (!open || open->room == 0)) return false;
  const std::optional<std::size_t> fence = shared_fence(speaker, id);
  if (!fence || !signal(speaker, *fence)) return false;
  return wait_for(id, *fence, fences_[*fence].value);
}

bool Plan::order(AgentId id, const Clock& events) {
  for (AgentId other = 0; other < agents_.size(); ++other)
    if (!order(id, Event{other, events.over(other)})) return false;
  return true;
}

/// A fence that lives from the start, which one agent can signal for the other.
std::optional<std::size_t> Plan::shared_fence(AgentId from, AgentId to) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : usable_fences(from, Use::kSignal))
    if (can_use(to, fences_[fence], Use::kWait) && fences_[fence].made.index == 0 &&
        !fences_[fence].signalled_by_os && !is_given_up(fence) &&
        (agents_[to].kind != Agent::Kind::kContext || monitored(to, fence)))
      fences.push_back(fence);
  if (fences.empty()) return std::nullopt;
  return draw_.one_of(fences);
}

bool Plan::knows_signals(AgentId id, std::size_t fence) const {
  const Event& last = fences_[fence].last;
  const Agent& agent = agents_[id];
  const auto seen = agent.seen.find(fence);
  return last.agent == id || agent.known.knows(last) ||
         (seen != agent.seen.end() && seen->second >= fences_[fence].value);
}

/// To find a thread for a submission may take another signal of the fence: then it begins again.
bool Plan::prepare_signal(AgentId id, std::size_t fence) {
  constexpr int kTries = 4;
  if (fences_[fence].signalled_by_os || !can_use(id, fences_[fence], Use::kSignal)) return false;
  const bool thread = agents_[id].kind == Agent::Kind::kThread;
  for (int i = 0; i < kTries; ++i) {
    if (thread ? !order(id, fences_[fence].made) : !open(id, fences_[fence].made)) return false;
    if (knows_signals(id, fence)) return true;
    if (is_given_up(fence) || !wait_for(id, fence, fences_[fence].value)) return false;
  }
  return false;
}

std::uint64_t Plan::next_value(std::size_t fence) {
  const std::uint64_t value = fences_[fence].value;
  constexpr std::uint64_t kFar = 1ULL << 30U;
  if (!has_32_bits(scenario_) && draw_.chance(constraints_.features.large_values)) {
    const auto& names = fences_[fence].names;
    const bool monitored = std::any_of(names.begin(), names.end(),
                                       [](const auto& name) { return name.second.monitored; });
    // The first values above those whose low half is the highest.
    if (!monitored && draw_.chance(50)) return (value | UINT32_MAX) + draw_.between(1, 3);
    return value + draw_.between(1, kFar);
  }
  return value + (draw_.chance(80) ? 1 : draw_.between(2, 9));
}

Plan::Values Plan::next_values(std::size_t fence, std::uint64_t count) {
  const std::uint64_t first = next_value(fence);
  return {first, count, draw_.chance(60) ? 1 : draw_.between(2, 5)};
}

void Plan::note_signals(AgentId id, std::size_t fence, const Values& values, const Clock& before) {
  const Agent& agent = agents_[id];
  FencePlan& plan = fences_[fence];
  for (std::uint64_t round = 0; round + 1 < values.count; ++round)
    plan.signals.push_back({values.at(round), before, agent.needs});
  plan.value = values.at(values.count - 1);
  plan.last = {id, agent.acts};
  plan.signals.push_back({plan.value, agent.known, agent.needs});
  plan.used.learn(plan.last);
}

void Plan::note_signal(AgentId id, std::size_t fence, std::uint64_t value) {
  note_signals(id, fence, {value}, {});
}

void Plan::note_signal_of_several(AgentId id, std::size_t fence, std::uint64_t value,
                                  const Clock& before) {
  note_signal(id, fence, value);
  fences_[fence].signals.back().over = before;
}

bool Plan::signal(AgentId id, std::size_t fence) {
  if (!prepare_signal(id, fence)) return false;
  const std::uint64_t value = next_value(fence);
  const scenario::FencePoint point{name_of(id, fence), scenario::Expression{value}};
  if (agents_[id].kind == Agent::Kind::kThread) {
    scenario::SignalStep signal;
    signal.points.push_back(point);
    step(id, std::move(signal));
  } else {
    command(id, scenario::SignalCommand{point});
    note_buffer(id, fence);
  }
  note_signal(id, fence, value);
  return true;
}

}  // namespace fenceline::generate
