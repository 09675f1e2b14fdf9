#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include "tb/explore/minimize.h"
#include "tb/explore/search/arena.h"
#include "tb/explore/search/footprints.h"
#include "tb/explore/search/random_policies.h"
#include "tb/test/support/can_explore.h"

namespace fenceline::explore_tests::test_parts {

using fenceline::common::Candidate;
using fenceline::common::Footprint;
using fenceline::common::Operation;
using fenceline::common::Place;
using fenceline::common::Steps;
using fenceline::explore::AgentSet;
using fenceline::explore::Arena;
using fenceline::explore::conflict;
using fenceline::explore::DicePolicy;
using fenceline::explore::Footprints;
using fenceline::explore::minimize;
using fenceline::explore::PriorityPolicy;
using fenceline::explore::Touched;
using fenceline::explore::touched_by;
using fenceline::explore::wakes;

namespace {

Footprint::Access read(std::uint64_t index) {
  return Footprint::access(Place::kRegister, index, false);
}
Footprint::Access write(std::uint64_t index) {
  return Footprint::access(Place::kRegister, index, true);
}
bool lies_in(const Arena& arena, const void* block) {
  const auto* at = static_cast<const char*>(block);
  return at >= arena.begin() && at < arena.begin() + arena.used();
}
std::vector<Candidate> two() {
  return {{1, Operation::kWrite, {}, 0}, {2, Operation::kWrite, {}, 0}};
}
std::uint64_t no_state() { return 0; }

}  // namespace

TEST_CASE("only objects made in the scope of an arena lie in it", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Arena arena(1 << 20);
  std::unique_ptr<int> before = std::make_unique<int>(1);
  std::unique_ptr<int> inside;
  std::unique_ptr<int> outside;
  {
    const Arena::Scope scope(arena);
    inside = std::make_unique<int>(2);
    const Arena::Outside heap;
    outside = std::make_unique<int>(3);
  }
  CHECK_FALSE(lies_in(arena, before.get()));
  CHECK(lies_in(arena, inside.get()));
  CHECK_FALSE(lies_in(arena, outside.get()));
  inside.reset();  // given back to the arena although the scope is over
}

TEST_CASE("an arena hands out again what was given back", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Arena arena(1 << 20);
  const Arena::Scope scope(arena);
  auto first = std::make_unique<std::array<char, 100>>();
  const void* const place = first.get();
  first.reset();
  const std::size_t used = arena.used();
  auto second = std::make_unique<std::array<char, 100>>();
  CHECK(second.get() == place);
  CHECK(arena.used() == used);
}

TEST_CASE("a copy of an arena put back returns everything in it", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  Arena arena(1 << 20);
  std::vector<char> copy;
  std::vector<int>* list = nullptr;
  {
    const Arena::Scope scope(arena);
    list = new std::vector<int>{1, 2, 3};
  }
  copy.assign(arena.begin(), arena.begin() + arena.used());
  {
    const Arena::Scope scope(arena);
    for (int i = 0; i < 1000; ++i) list->push_back(i);
  }
  std::memcpy(arena.begin(), copy.data(), copy.size());
  CHECK(*list == std::vector<int>{1, 2, 3});
}

TEST_CASE("steps conflict where they share a place that one of them writes", "[explore]") {
  const Touched reads{read(1), read(2)};
  const Touched writes{write(2)};
  CHECK(conflict(reads, writes));
  CHECK(conflict(writes, reads));
  CHECK_FALSE(conflict(reads, reads));
  CHECK_FALSE(conflict(reads, {write(3)}));
  // A place that was read and written counts as written, once.
  const std::vector<Steps::Touch> record{{read(5), 1}, {write(5), 1}, {read(4), 1}};
  const Touched touched = touched_by(record);
  REQUIRE(touched.size() == 2);
  CHECK(touched[1].write);
}

TEST_CASE("waiting for fewer writes covers waiting for more of them", "[explore]") {
  const auto mark = [](bool write) { return Footprint::access(Place::kMark, 1, write); };
  const Touched waits{mark(false)};
  const Touched sends{mark(true)};
  CHECK(conflict(waits, sends));
  CHECK_FALSE(
      wakes(sends, waits));  // to wait behind less was looked at: to wait behind more is less
  CHECK(wakes(waits, sends));
  // Whatever else they share counts as ever.
  CHECK(wakes({mark(true), write(2)}, {mark(false), read(2)}));
  CHECK(wakes({write(2)}, {read(2)}));
  CHECK(wakes({read(2)}, {write(2)}));
  CHECK_FALSE(wakes({read(2)}, {read(2)}));
}

namespace {
AgentSet agents(std::initializer_list<std::size_t> numbers) {
  AgentSet set;
  for (const std::size_t number : numbers) set.set(number);
  return set;
}

/// Whose steps come first, all agents being at position 0.
AgentSet first(const Footprints& footprints, const std::vector<Candidate>& candidates,
               const AgentSet& alive, const AgentSet& asleep) {
  const Footprints::Positions positions{};
  AgentSet enabled;
  for (const Candidate& candidate : candidates) enabled.set(candidate.agent);
  return footprints.independent({candidates, enabled, alive, positions}, asleep);
}
}  // namespace

TEST_CASE("a step comes first until another agent touches what it writes", "[explore]") {
  Footprints footprints;
  const Candidate mine{1, Operation::kWrite, {}, 7};
  const Candidate theirs{2, Operation::kRead, {}, 7};
  const AgentSet all = agents({1, 2});
  const auto now = [&] { return first(footprints, {mine, theirs}, all, {}); };
  CHECK(now() == all);  // nothing is known
  footprints.learn(mine, {{write(1), 1}}, {write(1)}, {});
  CHECK(now() == agents({1}));
  CHECK(footprints.rely({write(1)}, agents({2})));
  CHECK_FALSE(footprints.outdated());
  footprints.learn(theirs, {{read(1), 2}}, {read(1)}, {});
  CHECK(now() == all);
  CHECK(footprints.outdated());  // a step came first that should not have
  CHECK_FALSE(footprints.rely({write(1)}, agents({2})));
  // Who has ended interferes with nobody.
  CHECK(first(footprints, {mine}, agents({1}), {}) == agents({1}));
}

TEST_CASE("words of memory that became known too late are one with those around them",
          "[explore]") {
  const auto word = [](std::uint64_t index) {
    return Footprint::access(Place::kMemory, index, true);
  };
  Footprints footprints;
  const Candidate mine{1, Operation::kWrite, {}, 7};
  const Candidate theirs{2, Operation::kWrite, {}, 7};
  const AgentSet all = agents({1, 2});
  const auto now = [&] { return first(footprints, {mine, theirs}, all, {}); };
  footprints.learn(mine, {{word(64), 1}}, {word(64)}, {});
  footprints.learn(theirs, {{word(65), 2}}, {word(65)}, {});
  CHECK(now().count() == 1);
  CHECK(footprints.rely({word(64)}, agents({2})));
  footprints.learn(theirs, {{word(64), 2}}, {word(64)}, {});
  CHECK(footprints.outdated());
  footprints.begin_again();
  CHECK_FALSE(footprints.outdated());
  // Nobody has touched this one, but both touch words beside it; the next block is another place.
  CHECK_FALSE(footprints.rely({word(127)}, agents({2})));
  CHECK(footprints.rely({word(128)}, agents({2})));
  CHECK(now() == all);
}

TEST_CASE("readers of what a step reads do not interfere", "[explore]") {
  Footprints footprints;
  const Candidate mine{1, Operation::kRead, {}, 7};
  const Candidate theirs{2, Operation::kRead, {}, 7};
  footprints.learn(mine, {{read(1), 1}}, {read(1)}, {});
  footprints.learn(theirs, {{read(1), 2}}, {read(1)}, {});
  CHECK(first(footprints, {mine, theirs}, agents({1, 2}), {}).count() == 1);
  CHECK(footprints.rely({read(1)}, agents({2})));
  footprints.learn(theirs, {{read(1), 2}}, {read(1)}, {});
  CHECK_FALSE(footprints.outdated());
  footprints.learn(theirs, {{write(1), 2}}, {write(1)}, {});
  CHECK(footprints.outdated());
}

TEST_CASE("an agent that marks pending writes may go first and one that sends more may not",
          "[explore]") {
  Footprints footprints;
  const Candidate waits{1, Operation::kRead, {}, 7};
  const Candidate sends{2, Operation::kDrain, {}, 7};
  const auto mark = [](bool write) { return Footprint::access(Place::kMark, 1, write); };
  footprints.learn(waits, {{mark(false), 1}}, {mark(false)}, {});
  footprints.learn(sends, {{mark(true), 2}}, {mark(true)}, {});
  CHECK(first(footprints, {waits, sends}, agents({1, 2}), {}) == agents({1}));
  CHECK(first(footprints, {waits, sends}, agents({1, 2}), agents({1})) == agents({1}));
  CHECK(footprints.rely({mark(false)}, agents({2, 3})));
  CHECK_FALSE(footprints.rely({mark(true)}, agents({1})));
  footprints.learn({3, Operation::kDrain, {}, 7}, {{mark(true), 3}}, {mark(true)}, {});
  CHECK_FALSE(footprints.outdated());
  CHECK(footprints.rely({mark(true)}, agents({4})));
  footprints.learn({4, Operation::kRead, {}, 7}, {{mark(false), 4}}, {mark(false)}, {});
  CHECK(footprints.outdated());  // it should have come first
}

TEST_CASE("who lets an agent take one step may let it take another", "[explore]") {
  Footprints footprints;
  const auto at = [](Operation operation) {
    Footprints::Positions positions{};
    positions[3] = static_cast<std::uint16_t>(static_cast<unsigned>(operation) << 1);
    return positions;
  };
  footprints.rely_on_waiting(agents({3}), agents({1}), at(Operation::kLock));
  footprints.learn_enabled(1, agents({3}), at(Operation::kIdle));
  CHECK_FALSE(footprints.outdated());
  footprints.learn_enabled(1, agents({3}), at(Operation::kRead));
  CHECK(footprints.outdated());
}

TEST_CASE("agents that share among themselves come before the rest", "[explore]") {
  Footprints footprints;
  const Candidate a{1, Operation::kWrite, {}, 0};
  const Candidate b{2, Operation::kWrite, {}, 0};
  const Candidate c{3, Operation::kWrite, {}, 0};
  const Candidate d{4, Operation::kWrite, {}, 0};
  footprints.learn(a, {{write(1), 1}}, {write(1)}, {});
  footprints.learn(b, {{write(1), 2}}, {write(1)}, {});
  for (const Candidate& it : {c, d}) footprints.learn(it, {{write(2), it.agent}}, {write(2)}, {});
  const AgentSet all = agents({1, 2, 3, 4});
  CHECK(first(footprints, {a, b, c, d}, all, {}) == agents({1, 2}));
  CHECK(first(footprints, {a, b, c, d}, all, agents({3})) == agents({3, 4}));  // one is awake
}

TEST_CASE("footprints pass to another process with steps that touch nothing", "[explore]") {
  Footprints here;
  const Candidate a{1, Operation::kWrite, {}, 0};
  const Candidate idle{2, Operation::kWrite, {}, 0};
  here.learn(a, {{write(1), 1}}, {write(1)}, {});
  here.learn(idle, {}, {}, {});
  Footprints there;
  there.add(here.bytes());
  CHECK(there.bytes().size() == here.bytes().size());
}

TEST_CASE("an agent that has to be waited for brings those who let it go on", "[explore]") {
  Footprints footprints;
  const Candidate a{1, Operation::kWrite, {}, 0};
  const Candidate b{2, Operation::kWrite, {}, 0};
  const Candidate waits{3, Operation::kWrite, {}, 0};
  footprints.learn(a, {{write(1), 1}}, {write(1)}, {});
  footprints.learn(waits, {{write(1), 3}}, {write(1)}, {});
  footprints.learn(b, {{write(2), 2}}, {write(2)}, {});
  const AgentSet all = agents({1, 2, 3});
  CHECK(first(footprints, {a, b}, all, agents({2})) == agents({2}));
  CHECK(first(footprints, {a, b}, all, agents({1})) == all);  // who lets 3 go on is not known
  footprints.learn_enabled(1, agents({3}), {});
  CHECK(first(footprints, {a, b}, all, agents({1})) == agents({1, 3}));
  CHECK(first(footprints, {a}, all, {}) == all);  // nobody else could go on
  footprints.rely_on_waiting(agents({3}), agents({2}), {});
  footprints.learn_enabled(2, agents({3}), {});
  CHECK(footprints.outdated());
  CHECK(first(footprints, {a, b}, all, agents({1})) == all);
}

TEST_CASE("what an agent does inside the step of another counts as its own", "[explore]") {
  Footprints footprints;
  const Candidate drain{1, Operation::kDrain, {}, 0};
  const Candidate own{9, Operation::kWrite, {}, 0};
  const Candidate other{5, Operation::kWrite, {}, 0};
  footprints.rely_on_waiting(agents({9}), agents({1}), {});
  footprints.learn(drain, {{write(1), 1}, {write(2), 9}}, {write(1), write(2)}, {});
  CHECK(footprints.outdated());  // and it was the other who let it go on
  footprints.learn(own, {{write(2), 9}}, {write(2)}, {});
  footprints.learn(other, {{write(3), 5}}, {write(3)}, {});
  CHECK(first(footprints, {own, other}, agents({1, 5, 9}), agents({5})) == agents({5}));
  CHECK(first(footprints, {own, other}, agents({1, 5, 9}), agents({9})) == agents({9}));
}

TEST_CASE("delta debugging leaves exactly what is needed", "[explore]") {
  std::vector<int> all(60);
  std::iota(all.begin(), all.end(), 0);
  int runs = 0;
  const auto fails = [&](const std::vector<int>& some) {
    ++runs;
    const std::set<int> set(some.begin(), some.end());
    return set.count(7) != 0 && set.count(33) != 0 && set.count(34) != 0;
  };
  CHECK(minimize(all, fails) == std::vector<int>{7, 33, 34});
  CHECK(runs < 200);
  CHECK(minimize(all, [](const auto&) { return true; }).empty());
  CHECK(minimize(all, [](const auto&) { return false; }) == all);
}

TEST_CASE("random priorities stick to an agent until a change", "[explore]") {
  std::set<std::size_t> first;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    PriorityPolicy policy(seed, 1, 100);  // no change at all
    const std::size_t chosen = policy.pick(two(), no_state);
    first.insert(chosen);
    for (int i = 0; i < 20; ++i) CHECK(policy.pick(two(), no_state) == chosen);
  }
  CHECK(first.size() == 2);
  PriorityPolicy changing(3, 2, 1);  // the change is at the first step
  PriorityPolicy same(3, 2, 1);
  CHECK(changing.pick(two(), no_state) == same.pick(two(), no_state));
}

TEST_CASE("the dice choose every way eventually", "[explore]") {
  DicePolicy dice(1);
  std::set<std::size_t> seen;
  for (int i = 0; i < 64; ++i) seen.insert(dice.pick(two(), no_state));
  CHECK(seen.size() == 2);
}

}  // namespace fenceline::explore_tests::test_parts
