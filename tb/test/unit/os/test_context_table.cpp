// Contexts that the OS feeds, and their nodes.
#include <catch2/catch.hpp>

#include "tb/os/allocations/allocation.h"
#include "tb/test/support/os/context_bench.h"

namespace fenceline::os::test_context_table {

using support::ContextBench;

namespace {
int first_process = 0;  // stand for processes
int second_process = 0;
}  // namespace

TEST_CASE("there is one node for each ordinal of an adapter") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextNode& node = bench.node(1);
    CHECK(&bench.node(1) == &node);
    CHECK(&bench.node(2) != &node);
    CHECK(node.node == 1);
    CHECK(node.adapter == &bench.machine.adapter());
    CHECK(node.aware);  // as the caps of the driver say
    bench.create(&first_process, 3);
    CHECK(bench.parts.table.nodes.size() == 3);
  }));
}

TEST_CASE("a node of a driver without preemption awareness is not aware") {
  support::OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].scheduling &= ~DXGK_VIDSCHCAPS::kPreemptionAware;
  ContextBench bench(ContextBench::preempting(), config);
  CHECK(bench.run([&] { CHECK_FALSE(bench.node().aware); }));
}

TEST_CASE("a node runs the context of its first buffer and not one that it only leaves") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& left = bench.create();
    ContextQueue& context = bench.create();
    CHECK(bench.node().runs() == nullptr);
    ContextQueue::Packet leave;
    leave.leaves = true;
    bench.node().in_flight.push_back({1, &left, leave});
    CHECK(bench.node().runs() == nullptr);
    bench.node().in_flight.push_back({2, &context, {}});
    CHECK(bench.node().runs() == &context);
    CHECK(bench.node().find(2)->context == &context);
    CHECK(bench.node().find(3) == bench.node().in_flight.end());
  }));
}

TEST_CASE("a hold counts for all contexts of one process until each is released") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextTable& table = bench.parts.table;
    ContextQueue& mine = bench.create(&first_process);
    ContextQueue& yours = bench.create(&second_process);
    table.hold(&first_process);
    table.hold(&first_process);
    CHECK(mine.holds == 2);
    CHECK(yours.holds == 0);
    table.work.clear();
    table.release(&first_process);
    CHECK(mine.holds == 1);
    CHECK(table.work.signaled);
    table.release(&first_process);
    table.release(&first_process);
    CHECK(mine.holds == 0);
  }));
}

TEST_CASE("a process is quiet while the driver has none of its buffers") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& mine = bench.create(&first_process);
    bench.create(&second_process);
    bench.submit(mine);
    CHECK(bench.parts.table.quiet(&first_process));
    bench.give(mine);
    CHECK_FALSE(bench.parts.table.quiet(&first_process));
    CHECK(bench.parts.table.quiet(&second_process));
    bench.completed(1);
    CHECK(bench.parts.table.quiet(&first_process));
  }));
}

TEST_CASE("an adapter is busy while one of its contexts has an incomplete buffer") {
  support::OsMachine::Config config;
  config.platform.gpus.emplace_back().name = "gpu1";
  ContextBench bench(ContextBench::preempting(), config);
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    CHECK_FALSE(bench.parts.table.busy(bench.machine.adapter()));
    bench.submit(context);
    CHECK(bench.parts.table.busy(bench.machine.adapter()));
    CHECK_FALSE(bench.parts.table.busy(bench.machine.kernel().adapter(1)));
    bench.give(context);
    bench.completed(1);
    CHECK_FALSE(bench.parts.table.busy(bench.machine.adapter()));
  }));
}

TEST_CASE("a mark is passed when what was submitted before it is complete or lost") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.create(&second_process);
    bench.run_buffers(context);
    const auto marks = bench.parts.table.marks(&first_process);
    REQUIRE(marks.size() == 1);
    CHECK(marks[0].context == &context);
    bench.submit(context);  // later work does not count
    CHECK_FALSE(marks[0].passed());
    context.ended = true;  // the driver still has it
    CHECK_FALSE(marks[0].passed());
    context.ended = false;
    bench.completed(1);
    CHECK(marks[0].passed());
    const auto later = bench.parts.table.marks(&first_process);
    CHECK_FALSE(later[0].passed());
    context.ended = true;
    CHECK(later[0].passed());
  }));
}

TEST_CASE("a context has its state memory when the GPU reaches all of it") {
  ContextBench bench;
  ContextQueue context(bench.machine.steps(), bench.machine.adapter());
  Allocation first(bench.machine.steps());
  Allocation second(bench.machine.steps());
  CHECK(context.has_states());
  context.states = {&first, &second};
  CHECK(context.has_states());
  second.reached = false;
  CHECK_FALSE(context.has_states());
}

TEST_CASE("a new priority is work for the scheduler") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.parts.table.work.clear();
    bench.parts.table.set_priority(context, 7);
    CHECK(context.priority == 7);
    CHECK(bench.parts.table.work.signaled);
  }));
}

}  // namespace fenceline::os::test_context_table
