// How a queue of user mode is made to leave its node, and when a suspended context has left.
#include "models/command_processor/scheduling/turns.h"
#include "tb/test/unit/models/test_processor_parts.h"

namespace fenceline::test_command_processor::test_turns {

namespace {

using command_processor::CommandProcessorConfig;
using command_processor::Turn;

CommandProcessorConfig watched_config() {
  CommandProcessorConfig config = parts_config();
  config.engine_timeout = 5 * common::kMicrosecond;
  return config;
}

/// A policy that is never asked: there is one agent.
struct First : common::Policy {
  std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return 0;
  }
};

/// Whether hangs are looked for while orders are explored.
bool watched_while_exploring(bool can_hang) {
  CommandProcessorConfig config = watched_config();
  config.can_hang = can_hang;
  Parts parts(config);
  bool result = false;
  First first;
  parts.run([&] {
    parts.simulation.steps.begin_exploring(first, 10);
    result = parts.turns.watched();
  });
  return result;
}

}  // namespace

TEST_CASE("hangs are not looked for without a time limit", "[turns]") {
  const Parts parts;
  CHECK_FALSE(parts.turns.watched());
}

TEST_CASE("hangs are looked for with a time limit", "[turns]") {
  const Parts parts(watched_config());
  CHECK(parts.turns.watched());
}

TEST_CASE("an exploration looks for hangs only where an engine hangs", "[turns]") {
  CHECK_FALSE(watched_while_exploring(false));
}

TEST_CASE("an exploration looks for hangs where an engine hangs", "[turns]") {
  CHECK(watched_while_exploring(true));
}

TEST_CASE("the time limit of a queue begins with the first request to leave", "[turns]") {
  Parts parts(watched_config());
  parts.run([&] {
    parts.simulation.steps.elapse(common::kMicrosecond);
    parts.turns.ask_to_leave(parts.node);
    CHECK(parts.node.turn.asked);
    CHECK(parts.node.turn.progress == common::kMicrosecond);
    parts.simulation.steps.elapse(common::kMicrosecond);
    parts.turns.ask_to_leave(parts.node);
    CHECK(parts.node.turn.progress == common::kMicrosecond);
  });
  CHECK(parts.node.stop.wanted);
}

TEST_CASE("a queue has no time limit where hangs are not looked for", "[turns]") {
  Parts parts;
  parts.run([&] {
    parts.simulation.steps.elapse(common::kMicrosecond);
    parts.turns.ask_to_leave(parts.node);
  });
  CHECK_FALSE(parts.node.turn.asked);
  CHECK(parts.node.turn.progress == 0);
  CHECK(parts.node.stop.wanted);
}

TEST_CASE("a queue may stay when its request is taken back but not in a preemption", "[turns]") {
  Parts parts;
  parts.run([&] {
    parts.turns.ask_to_leave(parts.node);
    parts.node.preemption = 1;
    parts.turns.let_stay(parts.node);
    CHECK(parts.node.stop.wanted);
    parts.node.preemption = 0;
    parts.turns.let_stay(parts.node);
    CHECK_FALSE(parts.node.stop.wanted);
  });
}

TEST_CASE("a queue that makes room yields and has no later time for it", "[turns]") {
  Parts parts;
  parts.run([&] {
    parts.node.turn.due = 5;
    parts.turns.make_room(parts.node);
    CHECK(parts.node.turn.yields);
    CHECK(parts.node.turn.due == Turn::kNever);
    CHECK(parts.node.stop.wanted);
  });
}

TEST_CASE("a queue leaves its node when it yields or is removed or reset", "[turns]") {
  Parts parts;
  parts.bring();
  CHECK_FALSE(parts.turns.must_leave(parts.node, parts.user));
  parts.user.removed = true;
  CHECK(parts.turns.must_leave(parts.node, parts.user));
  parts.user.removed = false;
  parts.node.turn.yields = true;
  CHECK(parts.turns.must_leave(parts.node, parts.user));
  parts.node.turn.yields = false;
  parts.node.stop.reset = true;
  CHECK(parts.turns.must_leave(parts.node, parts.user));
}

TEST_CASE("only a queue of user mode at the node must leave it", "[turns]") {
  Parts parts;
  parts.node.turn.yields = parts.node.stop.reset = true;
  CHECK_FALSE(parts.turns.must_leave(parts.node, parts.user));
  parts.bring();
  CHECK_FALSE(parts.turns.must_leave(parts.node, parts.driver));
  CHECK(parts.turns.must_leave(parts.node, parts.user));
}

TEST_CASE("a node that cannot stop between packets is left by a reset only", "[turns]") {
  CommandProcessorConfig config = parts_config();
  config.stops = {{false, false}};
  Parts parts(config);
  parts.bring();
  parts.user.removed = parts.node.turn.yields = true;
  CHECK_FALSE(parts.turns.must_leave(parts.node, parts.user));
  parts.node.stop.reset = true;
  CHECK(parts.turns.must_leave(parts.node, parts.user));
}

TEST_CASE("a suspension is due when no removed queue of the context is at its node", "[turns]") {
  Parts parts;
  CHECK(parts.suspensions.due() == nullptr);
  parts.ranks.of(Parts::kContext).suspend = 7;
  REQUIRE(parts.suspensions.due() != nullptr);
  CHECK(parts.suspensions.due()->slot == Parts::kContext);
  parts.bring();
  CHECK(parts.suspensions.due() != nullptr);  // the queue is in the run list
  parts.user.removed = true;
  CHECK(parts.suspensions.due() == nullptr);
  parts.node.turn.queue = 0;
  CHECK(parts.suspensions.due() != nullptr);
  parts.node.turn.held = true;
  CHECK(parts.suspensions.due() == nullptr);
  parts.user.enabled = false;
  CHECK(parts.suspensions.due() != nullptr);
}

TEST_CASE("a suspension is due whatever queues of other contexts do", "[turns]") {
  Parts parts;
  parts.ranks.of(Parts::kContext + 1).suspend = 7;
  parts.bring();
  parts.user.removed = true;
  CHECK(parts.suspensions.due() != nullptr);
}

TEST_CASE("the report of a suspension ends the waits of removed queues", "[turns]") {
  Parts parts;
  parts.ranks.of(Parts::kContext).suspend = 7;
  parts.user.removed = parts.user.waiting = parts.user.parked = true;
  parts.user.ring.fetched.resize(8);
  parts.run([&] { parts.suspensions.report(Parts::kContext); });
  CHECK(parts.ranks.of(Parts::kContext).suspend == 0);
  CHECK_FALSE(parts.user.waiting);
  CHECK_FALSE(parts.user.parked);
  CHECK(parts.user.ring.fetched.empty());
  CHECK(parts.user.state == event::QueueStateKind::kSuspended);
  CHECK(parts.engine.others == std::vector{abi::Opcode::kSuspended});
}

TEST_CASE("a context that was resumed before is not reported as suspended", "[turns]") {
  Parts parts;
  parts.user.removed = parts.user.waiting = true;
  parts.run([&] { parts.suspensions.report(Parts::kContext); });
  CHECK(parts.user.waiting);
  CHECK(parts.engine.others.empty());
}

TEST_CASE("a queue makes room only for one that its node can take", "[scheduler]") {
  Parts parts;
  constexpr std::uint32_t kSlot = 3, kContext = 2;
  constexpr std::uint64_t kRealtime = 3;
  command_processor::HardwareQueue& other = parts.shared.queues.create(kSlot);
  other.table[abi::kQueueContext / 8] = kContext;
  other.enabled = true;
  other.place = parts.simulation.steps.new_place();
  other.ring.end = 8;
  parts.shared.queues.attach(other);
  parts.bring();
  command_processor::ScheduledContext& context = parts.ranks.of(kContext);
  context.set_rank(kRealtime);
  parts.run([&] {
    context.holder = kSlot + 2;
    parts.scheduler.become_ready(other);
    CHECK_FALSE(parts.node.turn.yields);
    context.holder = kSlot + 1;
    parts.scheduler.become_ready(other);
    CHECK(parts.node.turn.yields);
  });
}

TEST_CASE("the scheduler reports a new rank for each queue of the context", "[scheduler]") {
  Parts parts;
  constexpr std::uint64_t kRealtime = 3, kLevel = 5, kPriority = 9;
  for (const std::uint64_t context : {Parts::kContext, Parts::kContext + 1})
    parts.registers.write(abi::kHwContextTable + abi::kHwContextBytes * context + abi::kContextRank,
                          kRealtime | kLevel << 8 | kPriority << 16);
  const auto taken = parts.events.of<event::ContextRankTaken>();
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].queue == Parts::kUserObject);
  CHECK(taken[0].band == kRealtime);
  CHECK(taken[0].level == kLevel);
  CHECK(taken[0].in_process == kPriority);
}

}  // namespace fenceline::test_command_processor::test_turns
