// States of the checkers that are called equal, put to the test without a machine: two pasts that
// differ by a little, and the same random events after them.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tb/test/support/wild_events.h"

namespace fenceline::check::test_state_wild {

namespace {

using common::EventKind;
using Ids = std::set<std::string>;
using List = std::vector<WildEvent>;

std::string show(const List& events) {
  std::ostringstream all;
  for (const WildEvent& e : events)
    all << common::event_name(e.kind) << " agent " << e.agent << " object " << e.object << ": "
        << e.first << ' ' << e.second << ' ' << e.third << '\n';
  return all.str();
}

struct Tally {
  int equal = 0;   ///< pairs of pasts that are different lists and the same state
  int broken = 0;  ///< futures of these that broke something
};

class Trial {
 public:
  Trial(bool stale, std::uint32_t seed) : one_(stale), other_(stale), random_(seed) {}

  /// One past, a variation of it, and some futures of both if their states are the same.
  void run(Tally& tally) {
    one_.restart();
    draw_kinds();
    const List past = draw(one_, 4 + random_() % 24);
    const List varied = vary(past);
    if (!replay(other_, varied)) return;
    if (one_.script->checkers.state_hash() != other_.script->checkers.state_hash()) return;
    if (one_.machine() != other_.machine()) return;
    ++tally.equal;
    for (int future = 0; future < 6; ++future) {
      replay(one_, past);
      replay(other_, varied);
      draw_kinds();
      compare(past, varied, tally);
    }
  }

 private:
  /// A few kinds at a time bring more of what belongs together.
  void draw_kinds() {
    kinds_ = WildRun::kinds();
    std::shuffle(kinds_.begin(), kinds_.end(), random_);
    kinds_.resize(4 + random_() % 12);
  }
  WildEvent draw_event() { return WildRun::draw(kinds_[random_() % kinds_.size()], random_); }

  List draw(WildRun& run, std::size_t length) {
    List events;
    for (std::size_t tries = 0; events.size() < length && tries < 20 * length; ++tries) {
      const WildEvent event = draw_event();
      if (run.put(event)) events.push_back(event);
    }
    return events;
  }

  List vary(List events) {
    if (events.size() < 2) return events;
    const auto at = static_cast<std::ptrdiff_t>(random_() % (events.size() - 1));
    switch (random_() % 4) {
      case 0:
        events.erase(events.begin() + at);
        break;
      case 1:
        events[static_cast<std::size_t>(at)] = draw_event();
        break;
      default:
        std::swap(events[static_cast<std::size_t>(at)], events[static_cast<std::size_t>(at) + 1]);
    }
    return events;
  }

  static bool replay(WildRun& run, const List& events) {
    run.restart();
    bool all = true;
    for (const WildEvent& event : events) all = run.put(event) && all;
    return all;
  }

  static Ids broken_since(const WildRun& run, const std::vector<Exercise>& before) {
    Ids ids;
    const auto after = run.script->checkers.exercised();
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i].broken != before[i].broken) ids.insert(after[i].invariant);
    }
    return ids;
  }

  void compare(const List& past, const List& varied, Tally& tally) {
    const auto before = one_.script->checkers.exercised();
    const auto others = other_.script->checkers.exercised();
    List future;
    for (std::size_t tries = 0; future.size() < 12 && tries < 100; ++tries) {
      const WildEvent event = draw_event();
      if (!one_.put(event)) continue;
      future.push_back(event);
      if (!other_.put(event)) return;  // what the one can do now the other cannot
    }
    for (WildRun* run : {&one_, &other_}) {
      run->script->quiescent();
      run->script->checkers.finish();
    }
    const Ids ids = broken_since(one_, before);
    tally.broken += ids.empty() ? 0 : 1;
    if (ids == broken_since(other_, others)) return;
    INFO("one past:\n"
         << show(past) << "the other:\n"
         << show(varied) << "then:\n"
         << show(future));
    REQUIRE(ids == broken_since(other_, others));
  }

  WildRun one_, other_;
  std::mt19937 random_;
  std::vector<EventKind> kinds_;
};

Tally trials(bool stale, std::uint32_t seed, int count) {
  Tally tally;
  Trial trial(stale, seed);
  for (int i = 0; i < count; ++i) trial.run(tally);
  return tally;
}

}  // namespace

TEST_CASE("the same state has the same future whatever comes", "[check][slow]") {
  const Tally tally = trials(false, 1, 6000);
  CHECK(tally.equal > 2000);
  CHECK(tally.broken > 500);
}

TEST_CASE("the same state has the same future whatever is read", "[check][slow]") {
  const Tally tally = trials(true, 2, 6000);
  CHECK(tally.equal > 2000);
  CHECK(tally.broken > 500);
}

}  // namespace fenceline::check::test_state_wild
