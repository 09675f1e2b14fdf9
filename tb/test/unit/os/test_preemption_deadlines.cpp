// When VidSch has to look at a node next, and what a search may do of it: PreemptionPolicy.
#include <catch2/catch.hpp>

#include "tb/os/contexts/preemption_policy.h"
#include "tb/test/support/os/policy_bench.h"

namespace fenceline::os::test_preemption_deadlines {

using common::kMillisecond;
using Bench = support::PolicyBench;
using support::policy_options;
using support::policy_without_timeouts;

TEST_CASE("the deadline of work that nobody shares is TdrDelay") {
  Bench bench;
  CHECK(bench.deadline() == 0);
  ContextQueue& running = bench.add_running(0);
  running.packets.emplace_back();
  bench.add_waiting(-1);
  bench.after(3 * kMillisecond, [&] {
    CHECK(bench.deadline() == 7 * kMillisecond);
    bench.machine.steps().elapse(7 * kMillisecond);
    CHECK(bench.deadline() == 1);  // it is over
    bench.machine.steps().elapse(1);
    CHECK(bench.deadline() == 1);
  });
}

TEST_CASE("the deadline of shared work is its quantum") {
  Bench bench;
  bench.add_running(0);
  ContextQueue& other = bench.add_waiting(0);
  CHECK(bench.deadline() == kMillisecond);
  other.packets.clear();
  CHECK(bench.deadline() == 10 * kMillisecond);
  other.in_flight = 1;  // behind the running one
  CHECK(bench.deadline() == kMillisecond);
  other.priority = -1;
  CHECK(bench.deadline() == 10 * kMillisecond);
  bench.give(other).holds = 1;  // its memory has to move
  CHECK(bench.deadline() == kMillisecond);
  bench.node.aware = false;
  CHECK(bench.deadline() == kMillisecond);
  bench.node.kept = &other;  // it is not asked
  CHECK(bench.deadline() == 10 * kMillisecond);
}

TEST_CASE("shared work has a deadline where no timeouts are detected") {
  Bench bench(policy_without_timeouts());
  bench.add_running(0);
  bench.add_waiting(0);
  CHECK(bench.deadline() == kMillisecond);
}

TEST_CASE("a quantum that is longer than TdrDelay does not defer the timeout") {
  PreemptionOptions options = policy_options();
  options.quantum = 20 * kMillisecond;
  Bench bench(options);
  bench.add_running(0);
  bench.add_waiting(0);
  CHECK(bench.deadline() == 10 * kMillisecond);
}

TEST_CASE("work of another node is no reason for a deadline") {
  Bench bench(policy_without_timeouts());
  bench.add_running(0);
  ContextQueue& other = bench.add(0);
  other.in_flight = 1;
  other.node = 1;
  CHECK(bench.deadline() == 0);
}

TEST_CASE("a preemption that is not acknowledged has TdrDelay as its deadline") {
  Bench bench;
  bench.add_running(0);
  bench.add_waiting(0);
  bench.node.preempting = true;
  CHECK(bench.deadline() == 10 * kMillisecond);
}

TEST_CASE("a preemption has a deadline if its last buffer is complete meanwhile") {
  Bench bench;
  CHECK(bench.node.idle());
  bench.node.preempting = true;
  CHECK_FALSE(bench.node.idle());
  CHECK(bench.deadline() == 10 * kMillisecond);
}

TEST_CASE("the earliest deadline of all nodes counts") {
  Bench bench;
  bench.add_running(0);
  ContextNode& second = bench.table.node_of(bench.machine.adapter(), 1);
  second.aware = true;
  ContextQueue& there = bench.add(0);
  there.node = 1;
  second.in_flight.push_back({1, &there, {}});
  bench.after(kMillisecond, [&] {
    CHECK(bench.deadline() == 9 * kMillisecond);
    bench.node.since = bench.machine.steps().simulated();
    second.since = bench.node.since - 4 * kMillisecond;
    CHECK(bench.deadline() == 6 * kMillisecond);
  });
}

TEST_CASE("a search ends few quanta and asks no node of the Windows 7 model") {
  Bench bench;
  bench.add_running(0);
  bench.add_waiting(0);
  bench.exploring([&] {
    CHECK_FALSE(bench.policy.not_asked(bench.node));
    CHECK(bench.policy.should_preempt(bench.node));
    bench.table.quanta = PreemptionPolicy::kMaxQuanta - 1;
    CHECK(bench.policy.should_preempt(bench.node));
    bench.table.quanta = PreemptionPolicy::kMaxQuanta;
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    bench.add_waiting(1);
    CHECK(bench.policy.should_preempt(bench.node));
    bench.node.aware = false;
    CHECK_FALSE(bench.policy.should_preempt(bench.node));
    CHECK(bench.policy.not_asked(bench.node));
    bench.node.in_flight.clear();
    CHECK_FALSE(bench.policy.not_asked(bench.node));
  });
}

TEST_CASE("a search lets one request or one buffer that is not asked time out") {
  Bench bench;
  bench.add_running(0);
  bench.add_waiting(0);
  bench.exploring([&] {
    CHECK(bench.deadline() == 0);
    bench.node.preempting = true;
    CHECK(bench.deadline() != 0);
    bench.table.recovered = true;
    CHECK(bench.deadline() == 0);
    bench.table.recovered = false;
    bench.node.preempting = false;
    bench.node.aware = false;
    CHECK(bench.deadline() != 0);
    bench.node.in_flight.clear();
    CHECK(bench.deadline() == 0);
    bench.node.preempting = true;  // its last buffer is complete meanwhile
    CHECK(bench.deadline() != 0);
  });
}

TEST_CASE("a search without timeouts has no deadline") {
  Bench bench(policy_without_timeouts());
  bench.add_running(0);
  bench.node.preempting = true;
  bench.exploring([&] { CHECK(bench.deadline() == 0); });
}

TEST_CASE("a node is asked for nothing outside a search only because it cannot stop") {
  Bench bench;
  bench.node.aware = false;
  bench.add_running(0);
  CHECK_FALSE(bench.policy.not_asked(bench.node));
}

}  // namespace fenceline::os::test_preemption_deadlines
