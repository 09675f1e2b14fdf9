#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>

#include "tb/test/support/event_script.h"

/// Pasts of the checkers and what becomes of them: whether their state tells apart what it must.
namespace fenceline::check {

using Events = std::function<void(EventScript&)>;

inline CheckOptions state_options(bool stale) {
  CheckOptions made;
  made.log_entries = 4;
  made.stale_reads = stale;
  return made;
}

inline std::uint64_t hash_of(const Events& past, bool stale = false) {
  EventScript s(state_options(stale));
  past(s);
  return s.checkers.state_hash();
}

/// Invariants that `future` breaks after `past`.
inline std::set<std::string> breaks(const Events& past, const Events& future, bool stale) {
  EventScript s(state_options(stale));
  past(s);
  const auto before = s.checkers.exercised();
  future(s);
  s.checkers.finish();
  const auto after = s.checkers.exercised();
  std::set<std::string> ids;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].broken != before[i].broken) ids.insert(after[i].invariant);
  }
  return ids;
}

/// `future` breaks `id` after the past `bad` and not after `good`: the states differ.
inline void told_apart(const char* id, const Events& bad, const Events& good, const Events& future,
                       bool stale = false) {
  CHECK(breaks(bad, future, stale).count(id) == 1);
  CHECK(breaks(good, future, stale).count(id) == 0);
  CHECK(hash_of(bad, stale) != hash_of(good, stale));
}

inline void alike(const Events& one, const Events& other, bool stale = false) {
  CHECK(hash_of(one, stale) == hash_of(other, stale));
}

}  // namespace fenceline::check
