// Contexts whose device is in error.
#include <catch2/catch.hpp>

#include "tb/test/support/os/context_bench.h"

namespace fenceline::os::test_lost_work {

using support::ContextBench;

namespace {
int first_process = 0;  // stand for processes
int second_process = 0;
using Owners = std::vector<const void*>;
}  // namespace

TEST_CASE("only buffers at the driver go on when a device is in error") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    ContextQueue& other = bench.create(&second_process);
    bench.run_buffers(context);
    bench.submit(context);
    int ends = 0;
    bench.parts.lost_work.on_ended = [&](const Adapter&) { ends += context.ended ? 1 : 0; };
    bench.parts.lost_work.end(bench.machine.adapter(), &first_process);
    CHECK(ends == 1);
    CHECK(context.ended);
    CHECK(context.buffers == 1);
    CHECK(context.in_flight == 1);
    CHECK(context.room.signaled);
    CHECK_FALSE(other.ended);
    CHECK(bench.parts.submission.submit(context, 0x1000, 64) == STATUS_DEVICE_REMOVED);
    const auto& told = bench.machine.watch<event::ContextEnded>();
    bench.parts.lost_work.end(bench.machine.adapter(), &first_process);  // again
    CHECK(told.empty());
    CHECK(ends == 1);
  }));
}

TEST_CASE("the first buffers of a node are lost with their processes and the others return") {
  ContextBench bench;
  CHECK(bench.run([&] {
    Owners aborted;
    bench.parts.lost_work.on_aborted = [&](const void* owner) { aborted.push_back(owner); };
    ContextQueue& lost = bench.create(&first_process);
    ContextQueue& spared = bench.create(&second_process);
    bench.run_buffers(lost);
    bench.run_buffers(spared);
    bench.node().kept = &lost;
    bench.parts.lost_work.abort(bench.node(), 1);
    CHECK(aborted == Owners{&first_process});
    CHECK(lost.ended);
    CHECK(lost.buffers == 0);
    CHECK_FALSE(spared.ended);
    CHECK(spared.preempted.size() == 1);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.node().kept == nullptr);
  }));
}

TEST_CASE("a process that loses several buffers is aborted once") {
  ContextBench bench;
  CHECK(bench.run([&] {
    Owners aborted;
    bench.parts.lost_work.on_aborted = [&](const void* owner) { aborted.push_back(owner); };
    bench.run_buffers(bench.create(&first_process), 2);
    bench.parts.lost_work.abort(bench.node(), 2);
    CHECK(aborted == Owners{&first_process});
  }));
}

TEST_CASE("all processes of a node lose their work where that rule is removed") {
  PreemptionOptions options = ContextBench::preempting();
  options.spares_others = false;
  ContextBench bench(options);
  CHECK(bench.run([&] {
    ContextQueue& lost = bench.create(&first_process);
    ContextQueue& other = bench.create(&second_process);
    bench.run_buffers(lost);
    bench.run_buffers(other);
    bench.parts.lost_work.abort(bench.node(), 1);
    CHECK(lost.ended);
    CHECK(other.ended);
  }));
}

TEST_CASE("a lost paging buffer counts as complete and its process is none") {
  ContextBench bench;
  CHECK(bench.run([&] {
    bool paging = false;
    bench.parts.lost_work.on_paging_lost = [&](const Adapter&) { paging = true; };
    ContextQueue& context = bench.create();
    context.paging = true;
    bench.run_buffers(context);
    bench.parts.lost_work.abort(bench.node(), 1);
    CHECK(paging);
    CHECK(context.completed == 1);
    CHECK_FALSE(context.ended);
  }));
}

TEST_CASE("a process whose memory is lost is in error") {
  ContextBench bench;
  CHECK(bench.run([&] {
    const auto& told = bench.machine.watch<event::Recovery>();
    Owners aborted;
    bench.parts.lost_work.on_aborted = [&](const void* owner) { aborted.push_back(owner); };
    ContextQueue& context = bench.create(&first_process);
    bench.parts.lost_work.lose_memory(bench.machine.adapter(), &first_process, 7);
    CHECK(context.ended);
    CHECK(aborted == Owners{&first_process});
    REQUIRE(told.size() == 1);
    CHECK(told[0].stage == event::RecoveryStage::kMemoryLost);
    CHECK(told[0].id == 7);
  }));
}

TEST_CASE("devices of faulted buffers are put in error once") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    CHECK_FALSE(bench.parts.lost_work.end_faulted());
    bench.parts.table.faulted.push_back(&context);
    bench.parts.table.faults = true;
    CHECK(bench.parts.lost_work.end_faulted());
    CHECK(context.ended);
    CHECK(bench.parts.table.faulted.empty());
    CHECK_FALSE(bench.parts.lost_work.end_faulted());
  }));
}

}  // namespace fenceline::os::test_lost_work
