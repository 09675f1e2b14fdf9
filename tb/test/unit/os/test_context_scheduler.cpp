// The thread of VidSch that serves the contexts that the OS feeds.
#include <catch2/catch.hpp>
#include <utility>

#include "tb/os/allocations/allocation.h"
#include "tb/test/support/os/context_bench.h"

namespace fenceline::os::test_context_scheduler {

using common::kMillisecond;
using support::ContextBench;
using support::OsMachine;
using Works = std::vector<ListedWork>;

namespace {

PreemptionOptions short_times() {
  PreemptionOptions options = ContextBench::preempting();
  options.quantum = 10 * kMillisecond;
  options.tdr_delay = 100 * kMillisecond;
  return options;
}
/// A buffer that does not end is left alone, so that a run ends.
PreemptionOptions without_timeouts() {
  PreemptionOptions options = short_times();
  options.detects_timeouts = false;
  return options;
}
OsMachine::Config without_holds() {
  OsMachine::Config config;
  config.options.ordering.os.hold_gpu_waits = false;
  return config;
}

/// The thread runs beside the test.
struct Bench : ContextBench {
  explicit Bench(const PreemptionOptions& options = without_timeouts(),
                 const OsMachine::Config& config = {})
      : ContextBench(options, config) {
    machine.add("scheduler", [this] {
      machine.cpu().stop_thread();
      parts.run();
    });
  }
  /// Runs `body` as a thread; false if it does not come to its end.
  bool run(const std::function<void()>& body) {
    bool ended = false;
    ContextBench::run([&] {
      body();
      ended = true;
    });
    return ended;
  }
  void pause(common::Time time = kMillisecond) { machine.sleep(time); }
  std::shared_ptr<MonitoredFence> add_fence() {
    auto fence = std::make_shared<MonitoredFence>();
    fence->adapter = &machine.adapter();
    fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence->current = {false, machine.kernel().system.pages.allocate(kPage), kPage};
    return machine.kernel().system.monitored.add(fence);
  }
  void wait(ContextQueue& of, const std::shared_ptr<MonitoredFence>& fence) {
    parts.submission.wait(of, MonitoredFences::Point{fence, 5}, 1);
  }
  void signal(const std::shared_ptr<MonitoredFence>& fence) {
    CHECK(machine.kernel().system.monitored.signal({{fence, 5}}, nullptr) == STATUS_SUCCESS);
  }
  /// Events about listed allocations, which are those of `allocation`.
  void list_work() {
    parts.table.on_listed = [this](const Adapter&, const auto& listed, ListedWork work) {
      CHECK(listed == std::vector<Allocation*>{&allocation});
      works.push_back(work);
    };
  }
  void submit_listed(ContextQueue& context) {
    parts.submission.submit(context, 0x1000, 64, {&allocation});
  }

  Allocation allocation{machine.steps()};
  Works works;
};

/// Preemptions and resets of engines while a buffer hangs for three times TdrDelay.
std::pair<std::size_t, std::size_t> hang(const PreemptionOptions& options) {
  Bench bench(options);
  std::pair<std::size_t, std::size_t> result;
  CHECK(bench.run([&] {
    bench.machine.last_aborted = 1;
    bench.submit(bench.create());
    bench.pause(3 * options.tdr_delay + 5 * kMillisecond);
    result = {bench.machine.preemptions.size(), bench.machine.engine_resets.size()};
  }));
  return result;
}
using Counts = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("buffers are given to their node as long as it takes them") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    for (int i = 0; i < 3; ++i) bench.submit(context);
    bench.pause();
    CHECK(bench.machine.submits.size() == 2);
    CHECK(context.packets.size() == 1);
    bench.completed(1);
    bench.pause();
    CHECK(bench.machine.submits.size() == 3);
    CHECK(context.packets.empty());
  }));
}

TEST_CASE("a buffer behind a wait is given when the fence has the value") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    ContextQueue& other = bench.create();
    const auto fence = bench.add_fence();
    bench.wait(context, fence);
    bench.submit(context, 0x5000);
    bench.submit(other, 0x6000);
    bench.pause();
    REQUIRE(bench.machine.submits.size() == 1);
    CHECK(bench.machine.submits[0].DmaBufferVirtualAddress == 0x6000);
    bench.signal(fence);
    bench.pause();
    REQUIRE(bench.machine.submits.size() == 2);
    CHECK(bench.machine.submits[1].DmaBufferVirtualAddress == 0x5000);
    CHECK(context.packets.empty());
  }));
}

TEST_CASE("a buffer behind a wait is given at once where waits are not held") {
  Bench bench(without_timeouts(), without_holds());
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    const auto fence = bench.add_fence();
    bench.wait(context, fence);
    bench.submit(context);
    bench.pause();
    CHECK(bench.machine.submits.size() == 1);
    CHECK(context.passed.size() == 1);
    bench.signal(fence);
    bench.pause();
    CHECK(context.passed.empty());
  }));
}

TEST_CASE("a signal is made when the buffers before it are complete") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    const auto fence = bench.add_fence();
    bench.submit(context);
    bench.parts.submission.signal(context, std::vector<MonitoredFences::Point>{{fence, 5}});
    bench.pause();
    CHECK(fence->last == 0);
    bench.completed(1);
    bench.pause();
    CHECK(fence->last == 5);
  }));
}

TEST_CASE("preempted buffers come before those that were submitted later") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    for (const std::uint64_t address : {0x1000U, 0x2000U, 0x3000U}) bench.submit(context, address);
    bench.pause();
    bench.parts.returns.preempt(bench.node());
    bench.preempted(1, 0);
    bench.pause();
    REQUIRE(bench.machine.submits.size() == 4);
    CHECK(bench.machine.submits[2].DmaBufferVirtualAddress == 0x1000);
    CHECK(bench.machine.submits[3].DmaBufferVirtualAddress == 0x2000);
    CHECK(context.preempted.empty());
    CHECK(context.packets.size() == 1);
  }));
}

TEST_CASE("a signal does not pass preempted buffers") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    const auto fence = bench.add_fence();
    bench.submit(context);
    bench.parts.submission.signal(context, std::vector<MonitoredFences::Point>{{fence, 5}});
    bench.pause();
    bench.parts.returns.preempt(bench.node());
    bench.preempted(1, 0);
    bench.pause();
    CHECK(bench.machine.submits.size() == 2);
    CHECK(fence->last == 0);
    bench.completed(2);
    bench.pause();
    CHECK(fence->last == 5);
  }));
}

TEST_CASE("all packets of a device in error are dropped and its waits leave their fences") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.list_work();
    ContextQueue& context = bench.create(&bench);
    const auto fence = bench.add_fence();
    bench.wait(context, fence);
    bench.submit_listed(context);
    bench.submit(context);
    bench.pause();
    CHECK(fence->waiters.size() == 1);
    bench.parts.lost_work.end(bench.machine.adapter(), &bench);
    bench.parts.table.work.set();
    bench.pause();
    CHECK(context.packets.empty());
    CHECK(fence->waiters.empty());
    CHECK(bench.works == Works{ListedWork::kDropped});
    CHECK(bench.machine.submits.empty());
  }));
}

TEST_CASE("work that lists allocations ends when its buffer is complete") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.list_work();
    ContextQueue& context = bench.create();
    bench.submit(context);
    bench.submit_listed(context);
    bench.pause();
    bench.completed(1);
    bench.pause();
    CHECK(bench.works == Works{ListedWork::kBegins});
    bench.completed(2);
    bench.pause();
    CHECK(bench.works == Works{ListedWork::kBegins, ListedWork::kEnds});
    CHECK(context.lists.empty());
  }));
}

TEST_CASE("a node is preempted at the end of the quantum if another context waits") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.submit(context);
    bench.submit(context);
    bench.submit(bench.create());
    bench.pause(5 * kMillisecond);
    CHECK(bench.machine.preemptions.empty());
    bench.pause(10 * kMillisecond);
    CHECK(bench.machine.preemptions.size() == 1);
    CHECK(bench.machine.engine_resets.empty());
  }));
}

TEST_CASE("no node is preempted where that is off") {
  PreemptionOptions options = short_times();
  options.enabled = false;
  CHECK(hang(options) == Counts{0, 0});
}

TEST_CASE("an engine that does not stop is preempted and then reset") {
  CHECK(hang(short_times()) == Counts{1, 1});
}

TEST_CASE("an engine that does not stop stays where timeouts are not detected") {
  CHECK(hang(without_timeouts()) == Counts{0, 0});
}

TEST_CASE("an engine that does not stop is reset at once where it is not preempted first") {
  PreemptionOptions options = short_times();
  options.preempts_first = false;
  CHECK(hang(options) == Counts{0, 1});
}

TEST_CASE("the devices of faulted buffers are put in error by the thread") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&bench);
    bench.submit(context);
    bench.pause();
    bench.faulted(1);
    CHECK_FALSE(context.ended);
    bench.pause();
    CHECK(context.ended);
  }));
}

TEST_CASE("the thread makes a node leave a context before it gives it other work") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& other = bench.create();
    ContextQueue& context = bench.create();
    context.leaving = true;
    bench.submit(other);
    bench.pause();
    REQUIRE(bench.machine.submits.size() == 2);
    CHECK(bench.machine.submits[0].Flags.Value == DXGK_SUBMITCOMMANDFLAGS::kContextSwitch);
    CHECK(bench.machine.submits[1].Flags.Value == 0);
  }));
}

}  // namespace fenceline::os::test_context_scheduler
