// Which context is served first, and when a node gives up its work.
#include <catch2/catch.hpp>

#include "tb/os/contexts/preemption_policy.h"
#include "tb/test/support/os/policy_bench.h"

namespace fenceline::os::test_preemption_policy {

using common::kMillisecond;
using Bench = support::PolicyBench;
using support::policy_options;
using support::policy_without_timeouts;
using Order = std::vector<ContextQueue*>;

TEST_CASE("contexts are served by priority and paging before all others") {
  Bench bench;
  ContextQueue& low = bench.add(-1);
  ContextQueue& high = bench.add(7);
  ContextQueue& paging = bench.add(-7, true);
  CHECK(bench.policy.by_rank() == Order{&paging, &high, &low});
}

TEST_CASE("contexts of one priority are served in the order of their turns") {
  Bench bench;
  ContextQueue& first = bench.add();
  ContextQueue& second = bench.add();
  CHECK(bench.policy.by_rank() == Order{&first, &second});
  first.turn = 1;
  CHECK(bench.policy.by_rank() == Order{&second, &first});
}

TEST_CASE("contexts are served in the order of their creation without preemption") {
  Bench bench{PreemptionOptions()};
  ContextQueue& low = bench.add(-1);
  ContextQueue& high = bench.add(7);
  CHECK(bench.policy.by_rank() == Order{&low, &high});
}

TEST_CASE("paging has no precedence where that rule is removed") {
  PreemptionOptions options = policy_options();
  options.paging_first = false;
  Bench bench(options);
  ContextQueue& other = bench.add(0);
  ContextQueue& paging = bench.add(0, true);
  CHECK(bench.policy.by_rank() == Order{&other, &paging});
  ContextQueue& high = bench.add(1);
  CHECK(bench.policy.by_rank() == Order{&other, &paging, &high});
}

TEST_CASE("a buffer of higher priority must replace running work and one of the same waits") {
  Bench bench;
  const ContextQueue& high = bench.add_waiting(1);
  const ContextQueue& same = bench.add_waiting(0);
  CHECK_FALSE(bench.policy.must_preempt(high, bench.node));  // the node is idle
  bench.add_running(0);
  CHECK(bench.policy.must_preempt(high, bench.node));
  CHECK_FALSE(bench.policy.must_preempt(same, bench.node));
}

TEST_CASE("a paging buffer queues behind the running work") {
  Bench bench;
  bench.add_running(0);
  CHECK_FALSE(bench.policy.must_preempt(bench.add_waiting(0, true), bench.node));
}

TEST_CASE("nothing is preempted where preemption is off") {
  Bench bench{PreemptionOptions()};
  bench.add_running(0);
  CHECK_FALSE(bench.policy.must_preempt(bench.add_waiting(1), bench.node));
  CHECK(bench.deadline() == 0);
}

TEST_CASE("a node of the Windows 7 model stops between buffers but not between parts of one") {
  Bench bench;
  bench.node.aware = false;
  const ContextQueue& high = bench.add_waiting(1);
  ContextQueue& running = bench.add_running(0);
  CHECK(bench.policy.must_preempt(high, bench.node));
  bench.node.kept = &running;
  CHECK_FALSE(bench.policy.must_preempt(high, bench.node));
  bench.node.kept = nullptr;
  bench.give(running, Bench::part_of_buffer(0, true));  // the whole buffer
  CHECK(bench.policy.must_preempt(high, bench.node));
  bench.give(running, Bench::part_of_buffer(8, true));  // the last part of another
  CHECK_FALSE(bench.policy.must_preempt(high, bench.node));
  bench.node.in_flight.pop_back();
  bench.give(running, Bench::part_of_buffer(0, false));  // the first part
  CHECK_FALSE(bench.policy.must_preempt(high, bench.node));
  bench.node.aware = true;
  CHECK(bench.policy.must_preempt(high, bench.node));
}

TEST_CASE("a node is asked at once for a waiting buffer of higher priority") {
  Bench bench;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  bench.add_waiting(0);
  ContextQueue& running = bench.add_running(0);
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  ContextQueue& high = bench.add_waiting(1);
  CHECK(bench.policy.should_preempt(bench.node));
  running.priority = 1;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  running.priority = 0;
  bench.node.preempting = true;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  bench.node.preempting = false;
  high.packets.front().kind = ContextQueue::Packet::Kind::kWait;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  high.preempted.emplace_back();
  CHECK(bench.policy.should_preempt(bench.node));
  running.preempted.emplace_back();
  running.priority = 2;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
}

TEST_CASE("a node is not asked for a context that it could not serve") {
  Bench bench;
  bench.add_running(0);
  ContextQueue& high = bench.add_waiting(1);
  REQUIRE(bench.policy.should_preempt(bench.node));
  high.holds = 1;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  high.holds = 0;
  high.ended = true;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  high.ended = false;
  high.lost = true;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  high.lost = false;
  high.node = 1;
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  high.node = 0;
  Allocation state(bench.machine.steps());
  state.reached = false;
  high.states = {&state};
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
  state.reached = true;
  CHECK(bench.policy.should_preempt(bench.node));
  high.packets.clear();
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
}

TEST_CASE("a context of another adapter is none of the node") {
  Bench bench;
  ContextNode other;
  other.aware = true;
  ContextQueue& running = bench.add(0);
  other.in_flight.push_back({1, &running, {}});
  bench.add_waiting(1);
  CHECK_FALSE(bench.policy.should_preempt(other));
}

TEST_CASE("a context that only leaves the node runs nothing") {
  Bench bench;
  ContextQueue::Packet leave;
  leave.leaves = true;
  bench.give(bench.add(0), leave);
  bench.add_waiting(1);
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
}

TEST_CASE("a quantum ends for a context of the same priority and for none of a lower one") {
  Bench bench;
  ContextQueue& running = bench.add_running(0);
  ContextQueue& other = bench.add_waiting(0);
  bench.after(kMillisecond - 1, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    bench.machine.steps().elapse(1);
    CHECK(bench.policy.should_preempt(bench.node));
    other.priority = -1;
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    other.packets.clear();
    other.priority = 0;
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    running.packets.emplace_back();  // its own
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
  });
}

TEST_CASE("a quantum ends for a buffer of another context behind the running one") {
  Bench bench;
  ContextQueue& running = bench.add_running(0);
  bench.give(running);
  bench.after(kMillisecond, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    ContextQueue& lower = bench.add_running(-1);
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    lower.priority = 0;
    CHECK(bench.policy.should_preempt(bench.node));
    bench.node.since += kMillisecond;
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
  });
}

TEST_CASE("a quantum ends for memory that has to move") {
  Bench bench;
  ContextQueue& running = bench.add_running(0);
  bench.after(kMillisecond, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    running.holds = 1;
    CHECK(bench.policy.should_preempt(bench.node));
    running.holds = 0;
    ContextQueue::Packet leave;
    leave.leaves = true;
    bench.give(running, leave);
    CHECK(bench.policy.should_preempt(bench.node));
  });
}

TEST_CASE("a node that only leaves another context behind its work does not share it") {
  Bench bench;
  bench.add_running(0);
  ContextQueue::Packet leave;
  leave.leaves = true;
  bench.give(bench.add(0), leave);
  CHECK_FALSE(bench.policy.should_preempt(bench.node));
}

TEST_CASE("a buffer that takes longer than TdrDelay is asked to stop whoever waits") {
  Bench bench;
  bench.node.aware = false;
  ContextQueue& running = bench.add_running(0);
  bench.node.kept = &running;
  bench.after(10 * kMillisecond - 1, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    bench.machine.steps().elapse(1);
    CHECK(bench.policy.should_preempt(bench.node));
  });
}

TEST_CASE("a switch from a context that takes longer than TdrDelay is asked to stop") {
  Bench bench;
  ContextQueue::Packet leave;
  leave.leaves = true;
  bench.give(bench.add(0), leave);
  bench.after(10 * kMillisecond - 1, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    bench.machine.steps().elapse(1);
    CHECK(bench.policy.should_preempt(bench.node));
  });
}

TEST_CASE("a long buffer is left alone where no timeouts are detected") {
  Bench bench(policy_without_timeouts());
  bench.add_running(0);
  bench.after(20 * kMillisecond, [&] {
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    CHECK(bench.deadline() == 0);
  });
}

}  // namespace fenceline::os::test_preemption_policy
