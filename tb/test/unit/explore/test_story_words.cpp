#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/common/steps/steps.h"
#include "tb/explore/story/story.h"

namespace fenceline::explore_tests::test_story_words {

namespace {

/// The second sentence for a counterexample that needs `orders` orders of two agents.
std::string orders_in_words(std::size_t orders) {
  common::EventStream events;
  common::Steps steps(events);
  const common::AgentId writer = steps.add_agent("writer", [] {});
  const common::AgentId reader = steps.add_agent("reader", [] {});
  common::HoldRule order;
  order.operation.agent = writer;
  order.until.agent = reader;
  const report::Names names;
  const explore::StoryTeller teller{steps, names, {}};
  return teller.why({}, {}, std::vector<common::HoldRule>(orders, order), {}).at(1);
}

}  // namespace

TEST_CASE("a counterexample names every order when it needs four", "[explore][story]") {
  CHECK(orders_in_words(4) ==
        "It happens when reader before writer, and reader before writer, and reader before writer, "
        "and reader before writer.");
}

TEST_CASE("a counterexample names four orders and counts the others", "[explore][story]") {
  CHECK(orders_in_words(7) ==
        "It happens when reader before writer, and reader before writer, and reader before writer, "
        "and reader before writer, and 3 more orders hold, which the story marks.");
}

}  // namespace fenceline::explore_tests::test_story_words
