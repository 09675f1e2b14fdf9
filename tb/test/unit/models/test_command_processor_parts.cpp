// Parts of the command processor that decide without SystemC: ranks of contexts, and fence names.
#include <catch2/catch.hpp>

#include "models/command_processor/fence_tags.h"
#include "models/command_processor/scheduling/context_ranks.h"

namespace fenceline::test_command_processor_parts {

using command_processor::ContextRanks;
using command_processor::FenceTags;
using command_processor::ScheduledContext;

namespace {

ScheduledContext context(std::uint64_t band, std::uint64_t level, std::uint64_t priority,
                         std::uint32_t vmid = 1) {
  ScheduledContext result;
  result.set_rank(band | level << 8 | priority << 16);
  result.vmid = vmid;
  return result;
}

}  // namespace

TEST_CASE("the band ranks contexts before the level and the level before the priority",
          "[scheduler]") {
  CHECK(context(3, 0, 0).above(context(2, 9, 9)));
  CHECK_FALSE(context(2, 9, 9).above(context(3, 0, 0)));
  CHECK(context(3, 1, 0).above(context(3, 0, 9)));
  CHECK(context(2, 0, 5).above(context(2, 0, 4)));
  CHECK_FALSE(context(2, 0, 5).above(context(2, 0, 5)));
}

TEST_CASE("priorities of different processes do not compare", "[scheduler]") {
  CHECK_FALSE(context(2, 0, 5, 1).above(context(2, 0, 4, 2)));
  CHECK_FALSE(context(2, 0, 4, 2).above(context(2, 0, 5, 1)));
  CHECK(context(3, 0, 0, 1).above(context(2, 0, 9, 2)));
}

TEST_CASE("a context makes room for a higher band after the grace of its own band", "[scheduler]") {
  ContextRanks ranks;
  ranks.set_band_grace(1, 50);
  CHECK(ranks.due(context(1, 0, 0), context(3, 0, 0), 1000, 0) == 1050);
  ScheduledContext ready = context(1, 0, 2);
  ready.grace_lower = 20;
  CHECK(ranks.due(context(1, 0, 1), ready, 1000, 0) == 1020);
  CHECK(ranks.due(ready, context(1, 0, 1), 1000, 0) == ContextRanks::kNever);
}

TEST_CASE("a context of equal rank waits for the end of the quantum and its grace", "[scheduler]") {
  const ContextRanks ranks;
  ScheduledContext at_node = context(1, 0, 1);
  const ScheduledContext ready = context(1, 0, 1);
  CHECK(ranks.due(at_node, ready, 1000, 900) == ContextRanks::kNever);
  at_node.quantum = 300;
  at_node.grace_same = 7;
  CHECK(ranks.due(at_node, ready, 1000, 900) == 1207);
  CHECK(ranks.due(at_node, ready, 1000, ContextRanks::kNever) == ContextRanks::kNever);
}

TEST_CASE("a fence name is current until its slot is retired", "[command_processor]") {
  FenceTags tags;
  CHECK(tags.current(abi::fence_name(3, 0)));
  CHECK_FALSE(tags.current(abi::fence_name(3, 1)));
  tags.retire(3);
  CHECK_FALSE(tags.current(abi::fence_name(3, 0)));
  CHECK(tags.current(abi::fence_name(3, 1)));
  CHECK(tags.current(abi::fence_name(4, 0)));
  tags.set(3, 9);
  CHECK(tags.current(abi::fence_name(3, 9)));
}

TEST_CASE("the tag of a slot starts again after the last one", "[command_processor]") {
  FenceTags tags;
  tags.set(5, abi::kFenceTags - 1);
  tags.retire(5);
  CHECK(tags.current(abi::fence_name(5, 0)));
}

TEST_CASE("a fence counts as signaled until its slot is retired", "[command_processor]") {
  FenceTags tags;
  CHECK_FALSE(tags.always_signaled(3));
  tags.make_always_signaled(3);
  CHECK(tags.always_signaled(3));
  CHECK(tags.always_signaled(abi::fence_name(3, 2)));
  CHECK_FALSE(tags.always_signaled(4));
  tags.retire(3);
  CHECK_FALSE(tags.always_signaled(3));
}

}  // namespace fenceline::test_command_processor_parts
