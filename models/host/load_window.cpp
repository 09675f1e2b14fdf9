#include "models/host/load_window.h"

#include <algorithm>

namespace fenceline::host {

using common::Footprint;
using common::Operation;
using common::Place;
using common::StoreHistory;

LoadWindow::LoadWindow(common::Simulation& simulation, const std::string& core_name)
    : simulation_(simulation),
      place_(simulation.steps.new_place()),
      reader_(simulation.store_history.add_reader(place_)),
      offered_(simulation.steps) {
  simulation.steps.add_agent(core_name + ".early", [this] { serve(); });
  simulation.steps.add_state(*this);
}

std::uint64_t LoadWindow::state_hash() const {
  std::uint64_t sum = 0;
  for (const Agent& agent : agents_) {
    common::Hasher hasher;
    hasher.add(agent.agent).add(simulation_.store_history.hash_since(agent.since));
    std::uint64_t limits = 0;
    for (const Seen& seen : agent.seen) {
      std::uint64_t undoable = 0;  // number of stores to the word that can still be undone
      for (std::uint64_t before = StoreHistory::kNow;
           (before = simulation_.store_history.last(seen.word * 8, 8, seen.store, before)) != 0;)
        ++undoable;
      limits += common::hash_values(seen.word, undoable);
    }
    hasher.add(limits);
    if (agent.loads) {
      std::uint64_t back = 0;
      for (std::uint64_t at = StoreHistory::kNow; at > agent.before; ++back)
        at = simulation_.store_history.last(agent.address, agent.bytes, agent.since, at);
      hasher.add(agent.address).add(agent.bytes).add(back);
    }
    sum += hasher.value();
  }
  return sum;
}

LoadWindow::Agent& LoadWindow::mine() {
  const common::AgentId me = simulation_.steps.current();
  const auto it = std::find_if(agents_.begin(), agents_.end(),
                               [me](const Agent& agent) { return agent.agent == me; });
  if (it != agents_.end()) return *it;
  agents_.push_back({me, simulation_.store_history.count(), {}});
  return agents_.back();
}

void LoadWindow::close() {
  if (!simulation_.steps.exploring()) return;
  simulation_.steps.touch(Place::kRegister, place_, true);
  Agent& agent = mine();
  agent.since = simulation_.store_history.count();
  agent.seen.clear();
  agent.loads = false;
  forget();
}

/// A load that has begun may not move further back.
void LoadWindow::close_all() {
  if (!simulation_.steps.exploring()) return;
  simulation_.steps.touch(Place::kRegister, place_, true);
  for (Agent& agent : agents_) {
    agent.since = simulation_.store_history.count();
    agent.seen.clear();
  }
  forget();
}

void LoadWindow::leave() {
  if (!simulation_.steps.exploring()) return;
  const common::AgentId me = simulation_.steps.current();
  simulation_.steps.touch(Place::kRegister, place_, true);
  agents_.erase(std::remove_if(agents_.begin(), agents_.end(),
                               [me](const Agent& agent) { return agent.agent == me; }),
                agents_.end());
  forget();
}

/// Frees the history that no agent on the core can reach.
void LoadWindow::forget() {
  std::uint64_t oldest = simulation_.store_history.count();
  for (const Agent& agent : agents_) oldest = std::min(oldest, agent.since);
  simulation_.store_history.reach_back(reader_, oldest);
}

/// Number of the last store to the loaded bytes that can no longer be undone.
std::uint64_t LoadWindow::oldest(const Agent& agent) const {
  std::uint64_t result = agent.since;
  for (const Seen& seen : agent.seen)
    if (seen.word * 8 < agent.address + agent.bytes && agent.address < seen.word * 8 + 8)
      result = std::max(result, seen.store);
  return result;
}

std::uint64_t LoadWindow::next(const Agent& agent) const {
  return simulation_.store_history.last(agent.address, agent.bytes, oldest(agent), agent.before);
}

void LoadWindow::offer(std::uint64_t address, std::size_t bytes) {
  if (!simulation_.steps.exploring()) return;
  Agent& agent = mine();
  agent.loads = true;
  agent.address = address;
  agent.bytes = bytes;
  agent.before = StoreHistory::kNow;
  simulation_.steps.touch(Place::kRegister, place_, true);
  offered_.open();
}

std::uint64_t LoadWindow::take() {
  if (!simulation_.steps.exploring()) return StoreHistory::kNow;
  simulation_.steps.touch(Place::kRegister, place_, true);
  Agent& agent = mine();
  agent.loads = false;
  // The core's own store may have left its buffer after the load was moved back.
  if (agent.before <= oldest(agent)) agent.before = StoreHistory::kNow;
  const std::uint64_t seen =
      agent.before == StoreHistory::kNow ? simulation_.store_history.count() : agent.before - 1;
  limit(agent, agent.address, agent.bytes, seen);
  return agent.before;
}

void LoadWindow::stored(std::uint64_t address, std::size_t bytes) {
  if (!simulation_.steps.exploring()) return;
  for (Agent& agent : agents_) limit(agent, address, bytes, simulation_.store_history.count());
}

void LoadWindow::limit(Agent& agent, std::uint64_t address, std::size_t bytes,
                       std::uint64_t store) {
  for (std::uint64_t word = address / 8; word * 8 < address + bytes; ++word) {
    const auto it = std::find_if(agent.seen.begin(), agent.seen.end(),
                                 [word](const Seen& seen) { return seen.word == word; });
    if (it != agent.seen.end())
      it->store = std::max(it->store, store);
    else if (store > agent.since)
      agent.seen.push_back({word, store});
  }
}

/// Moves pending loads further back.
void LoadWindow::serve() {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    Agent* early = nullptr;
    steps.wait_until(offered_, [&] {
      steps.touch(Place::kRegister, place_, false);
      early = nullptr;
      for (Agent& agent : agents_)
        if (early == nullptr && agent.loads && next(agent) != 0) early = &agent;
      return early != nullptr;
    });
    const common::AgentId agent = early->agent;
    steps.step(Operation::kRead, Footprint()
                                     .writes(Place::kRegister, place_)
                                     .reads(Place::kMemory, early->address / common::kLineBytes));
    // The load may have taken effect meanwhile.
    for (Agent& it : agents_)
      if (it.agent == agent && it.loads && next(it) != 0) it.before = next(it);
    steps.touch(Place::kRegister, place_, true);
  }
}

}  // namespace fenceline::host
