// I21 and I28: memory that driver and device may use for a time only.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_scope {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

S& store(S& s, std::uint32_t f, std::uint32_t adapter = 1) {
  return s.on(S::kCpu, event::MonitoredValueStored{f, 0, adapter});
}
S& retire(S& s) { return s.on(S::kCpu, event::LogRetired{1}); }
S& entry_visible(S& s) { return s.on(S::kEngine, event::LogEntryVisible{1, 0, 1}); }

}  // namespace

TEST_CASE("I21: the driver stores MonitoredValue after the call has returned", "[check]") {
  S s;
  store(s.create().call(1, 0, 1), 1).ret(1, 0, 1);
  CHECK(s.checkers.violations().empty());
  store(s, 1);
  CHECK(s.broken() == Ids{"I21"});
  CHECK(s.checked("I21") == 2);
}

TEST_CASE("I21: a call for another fence or on another adapter does not cover it", "[check]") {
  S s;
  store(s.create().create(2).call(2, 0, 1), 1);
  CHECK(s.broken() == Ids{"I21"});
  S t;
  store(t.create().call(1, 0, 1), 1, 2);
  CHECK(t.broken() == Ids{"I21"});
}

TEST_CASE("I21: one of two calls under way is enough", "[check]") {
  S s;
  store(s.create().call(1, 0, 1).call(1, 1, 2).ret(1, 0, 1), 1).ret(1, 1, 2);
  CHECK(s.broken().empty());
}

TEST_CASE("I28: an entry or a header that reaches a log given back", "[check]") {
  S s;
  entry_visible(retire(s));
  CHECK(s.broken() == Ids{"I28"});
  S t;
  retire(t).on(S::kEngine, event::LogHeaderVisible{1, 1});
  CHECK(t.broken() == Ids{"I28"});
}

TEST_CASE("I28: what came before is in time", "[check]") {
  S s;
  retire(entry_visible(s.on(S::kEngine, event::LogEntryIssued{1, 0, 1, 1})));
  CHECK(s.broken().empty());
  CHECK(s.checked("I28") == 1);
}

}  // namespace fenceline::check::test_scope
