#include "tb/explore/search/footprints.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace fenceline::explore {

namespace {
void normalize(Touched& touched) {
  std::sort(touched.begin(), touched.end(), [](const auto& a, const auto& b) {
    return a.location != b.location ? a.location < b.location : a.write > b.write;
  });
  touched.erase(std::unique(touched.begin(), touched.end(),
                            [](const auto& a, const auto& b) { return a.location == b.location; }),
                touched.end());
}
}  // namespace

Touched touched_by(const std::vector<common::Steps::Touch>& record) {
  Touched touched;
  touched.reserve(record.size());
  for (const common::Steps::Touch& touch : record) touched.push_back(touch.access);
  normalize(touched);
  return touched;
}

namespace {

/// True if `matters(location, write of a, write of b)` holds for any location that both touch.
template <typename Matters>
bool share(const Touched& a, const Touched& b, Matters&& matters) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->location < j->location) {
      ++i;
    } else if (j->location < i->location) {
      ++j;
    } else {
      if (matters(i->location, i->write, j->write)) return true;
      ++i;
      ++j;
    }
  }
  return false;
}

bool is_mark(std::uint64_t location) {
  return common::Footprint::place_of(location) == common::Place::kMark;
}

}  // namespace

bool conflict(const Touched& a, const Touched& b) {
  return share(a, b, [](std::uint64_t /*location*/, bool one, bool other) { return one || other; });
}

bool wakes(const Touched& taken, const Touched& asleep) {
  return share(taken, asleep, [](std::uint64_t location, bool taken_writes, bool asleep_writes) {
    return asleep_writes || (taken_writes && !is_mark(location));
  });
}

namespace {

bool is_memory(std::uint64_t location) {
  return common::Footprint::place_of(location) == common::Place::kMemory;
}

/// Name of the block that a word of memory is in.
std::uint64_t block_of(std::uint64_t location) {
  constexpr std::uint64_t kBlock = 1ULL << 59;  // no word has so large a number
  constexpr unsigned kWords = 6;                // 512 bytes
  return (location & kBlock) != 0 ? location : kBlock | location >> kWords;
}

}  // namespace

std::uint64_t Footprints::name_of(std::uint64_t location) const {
  if (blocks_.empty() || !is_memory(location)) return location;
  const std::uint64_t block = block_of(location);
  return blocks_.count(block) != 0 ? block : location;
}

void Footprints::doubt(std::uint64_t location) {
  outdated_ = true;
  if (is_memory(location)) doubtful_.insert(block_of(location));
}

void Footprints::merge_block(std::uint64_t block) {
  Location& whole = at(block);
  if (!blocks_.insert(block).second) return;
  std::unordered_set<const Location*> merged;
  for (const auto& [name, word] : locations_) {
    if (!is_memory(name) || block_of(name) != block || &word == &whole) continue;
    whole.readers |= word.readers;
    whole.writers |= word.writers;
    whole.relied_no_readers |= word.relied_no_readers;
    whole.relied_no_writers |= word.relied_no_writers;
    merged.insert(&word);
  }
  const auto is_merged = [&](const Use& use) { return merged.count(use.location) != 0; };
  for (auto& [situation, uses] : known_) {
    if (std::none_of(uses.begin(), uses.end(), is_merged)) continue;
    const std::vector<Use> before = std::exchange(uses, {});
    for (const Use& use : before) note(uses, is_merged(use) ? &whole : use.location, use.write);
  }
}

Footprints::Location& Footprints::at(std::uint64_t where) {
  const std::uint64_t location = name_of(where);
  const auto [known, fresh] = locations_.try_emplace(location);
  if (fresh) {
    known->second.mark = is_mark(location);
    known->second.number = static_cast<std::uint32_t>(locations_.size());
  }
  return known->second;
}

std::size_t Footprints::place_of(std::size_t agent, const Positions& positions) {
  constexpr std::size_t kStep = 2 * (static_cast<std::size_t>(common::Operation::kTimer) + 1);
  return agent * common::Steps::kPositions + std::min<std::size_t>(positions[agent], kStep);
}

std::uint64_t Footprints::key(const common::Candidate& candidate) {
  common::Hasher hasher;
  hasher.add(candidate.history)
      .add(std::uint64_t{candidate.agent} << 8 | static_cast<std::uint64_t>(candidate.operation));
  for (std::size_t i = 0; i < candidate.footprint.size(); ++i)
    hasher.add(candidate.footprint[i].location);
  return hasher.value();
}

void Footprints::learn(const common::Candidate& candidate,
                       const std::vector<common::Steps::Touch>& record, const Touched& touched,
                       const Positions& positions) {
  for (const common::Steps::Touch& touch : record) {
    Location& location = at(touch.access.location);
    AgentSet& users = touch.access.write ? location.writers : location.readers;
    if (users[touch.agent]) continue;
    users.set(touch.agent);
    if ((touch.access.write ? location.relied_no_writers : location.relied_no_readers)[touch.agent])
      doubt(touch.access.location);
    if (touch.agent == candidate.agent) continue;
    AgentSet woken;
    learn_enabled(candidate.agent, woken.set(touch.agent), positions);
  }
  // Equal situations may touch different locations, because of state that the agent has not read
  // yet: all accesses seen are collected.
  std::vector<Use>& known = known_[key(candidate)];
  for (const auto& access : touched) note(known, &at(access.location), access.write);
}

void Footprints::note(std::vector<Use>& known, const Location* location, bool write) {
  // Binary search: in long runs one situation collects thousands of locations.
  const auto use = std::lower_bound(
      known.begin(), known.end(), location->number,
      [](const Use& it, std::uint32_t number) { return it.location->number < number; });
  if (use == known.end() || use->location != location)
    known.insert(use, {location, write});
  else
    use->write |= write;
}

void Footprints::learn_enabled(common::AgentId by, const AgentSet& agents,
                               const Positions& positions) {
  for (std::size_t agent = agents._Find_first(); agent < kMaxAgents;
       agent = agents._Find_next(agent)) {
    Place& from = place(agent, positions);
    if (agent == by || from.enablers[by]) continue;
    from.enablers.set(by);
    outdated_ |= from.relied_no_enablers[by];
  }
}

AgentSet Footprints::independent(const Standing& standing, const AgentSet& asleep) const {
  AgentSet best = standing.alive;
  std::size_t fewest = (standing.enabled & ~asleep).count();
  AgentSet tried;
  for (const common::Candidate& seed : standing.candidates) {
    if (fewest == 0) break;
    AgentSet rivals;
    if (tried[seed.agent] || !add_rivals(seed, rivals)) continue;
    const AgentSet set = closure(standing, seed.agent, rivals);
    if (set == standing.alive) continue;
    tried |= set;
    const std::size_t awake = (set & standing.enabled & ~asleep).count();
    if (awake >= fewest) continue;
    fewest = awake;
    best = set;
  }
  return best;
}

AgentSet Footprints::independent(const Standing& standing, common::AgentId agent,
                                 const Touched& touched) const {
  AgentSet rivals;
  for (const auto& access : touched) {
    const auto location = locations_.find(name_of(access.location));
    if (location != locations_.end()) rivals |= location->second.rivals(access.write);
  }
  return closure(standing, agent, rivals);
}

AgentSet Footprints::closure(const Standing& standing, common::AgentId seed,
                             const AgentSet& rivals) const {
  AgentSet set = rivals & standing.alive;
  AgentSet done;
  set.set(seed);
  done.set(seed);
  for (AgentSet open = set & ~done; open.any(); open = set & ~done) {
    const std::size_t agent = open._Find_first();
    done.set(agent);
    AgentSet more;
    if (!standing.enabled[agent]) {
      more = place(agent, standing.positions).enablers;
      if (more.none()) return standing.alive;
    } else {
      const auto candidate = std::find_if(standing.candidates.begin(), standing.candidates.end(),
                                          [&](const auto& it) { return it.agent == agent; });
      if (!add_rivals(*candidate, more)) return standing.alive;
    }
    set |= more & standing.alive;
    if ((standing.enabled & ~set).none()) return standing.alive;
  }
  return (standing.enabled & ~set).none() ? standing.alive : set;
}

/// Adds the agents whose steps may not commute with that of the candidate; false if its footprint
/// is not known.
bool Footprints::add_rivals(const common::Candidate& candidate, AgentSet& set) const {
  const auto known = known_.find(key(candidate));
  if (known == known_.end()) return false;
  for (const Use& use : known->second) set |= use.location->rivals(use.write);
  return true;
}

void Footprints::begin_again() {
  outdated_ = false;
  for (auto& [name, location] : locations_) {
    location.relied_no_readers.reset();
    location.relied_no_writers.reset();
  }
  for (Place& place : places_) place.relied_no_enablers.reset();
  for (const std::uint64_t block : std::exchange(doubtful_, {})) merge_block(block);
}

void Footprints::rely_on_waiting(const AgentSet& waiting, const AgentSet& outside,
                                 const Positions& positions) {
  for (std::size_t agent = waiting._Find_first(); agent < kMaxAgents;
       agent = waiting._Find_next(agent))
    place(agent, positions).relied_no_enablers |= outside;
}

bool Footprints::rely(const Touched& touched, const AgentSet& outside) {
  for (const auto& access : touched) {
    Location& location = at(access.location);
    if ((location.rivals(access.write) & outside).any()) {
      if (is_memory(access.location)) doubtful_.insert(block_of(access.location));
      return false;
    }
    if (access.write || !location.mark) location.relied_no_writers |= outside;
    if (access.write) location.relied_no_readers |= outside;
  }
  return true;
}

}  // namespace fenceline::explore
