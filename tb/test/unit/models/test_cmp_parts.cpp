// Parts of the CMP: the requests that it has not served yet.
#include <catch2/catch.hpp>

#include "models/cmp/inbox.h"

namespace fenceline::test_cmp_parts {

using cmp::Inbox;
using cmp::Input;

namespace {

struct Bench {
  common::Simulation simulation{common::Ordering{}};
  Inbox inbox{simulation.steps};

  std::uint64_t hash() const {
    common::Hasher hasher;
    inbox.add_to(hasher);
    return hasher.value();
  }
};

}  // namespace

TEST_CASE("the CMP serves its inputs in order of arrival", "[cmp]") {
  Bench bench;
  bench.inbox.push({Input::Kind::kUpdate, 3});
  bench.inbox.push({Input::Kind::kNotice, 1});
  bench.inbox.push({Input::Kind::kFlush, 2});
  for (const std::uint32_t index : {3U, 1U, 2U}) {
    REQUIRE_FALSE(bench.inbox.empty());
    CHECK(bench.inbox.wait().index == index);
    bench.inbox.pop();
  }
  CHECK(bench.inbox.empty());
}

TEST_CASE("an input stays until it is taken", "[cmp]") {
  Bench bench;
  bench.inbox.push({Input::Kind::kRetire, 4});
  CHECK(bench.inbox.wait().kind == Input::Kind::kRetire);
  CHECK(bench.inbox.wait().index == 4);
  bench.inbox.pop();
  CHECK(bench.inbox.empty());
}

TEST_CASE("a notice that an update has served leaves the inputs", "[cmp]") {
  Bench bench;
  bench.inbox.push({Input::Kind::kNotice, 1});
  bench.inbox.push({Input::Kind::kEngine, 1});
  bench.inbox.push({Input::Kind::kNotice, 2});
  bench.inbox.remove_notice(1);
  CHECK(bench.inbox.wait().kind == Input::Kind::kEngine);
  bench.inbox.pop();
  CHECK(bench.inbox.wait().index == 2);
}

TEST_CASE("the state of the CMP tells the order of its inputs apart", "[cmp]") {
  Bench one;
  one.inbox.push({Input::Kind::kUpdate, 1});
  one.inbox.push({Input::Kind::kUpdate, 2});
  const std::uint64_t first = one.hash();
  one.inbox.pop();
  one.inbox.push({Input::Kind::kUpdate, 1});
  CHECK(one.hash() != first);
}

}  // namespace fenceline::test_cmp_parts
