// Contexts of hardware queues: the driver has them from the first queue to the last.
#include <catch2/catch.hpp>

#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_hw_contexts {

using support::OsMachine;

namespace {

OsMachine::Config scheduling(bool schedules = true) {
  OsMachine::Config config;
  config.options.adapter.system.context_scheduling.enabled = schedules;
  return config;
}

struct Bench {
  explicit Bench(const OsMachine::Config& config = {}) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      contexts().plan(*process, "first", 0);
      contexts().plan(*process, "second", 1);
      body();
    });
  }
  HwContexts& contexts() { return machine.kernel().hw_contexts; }
  HwContext& context(std::size_t which) { return *process->hw_contexts[which]; }
  NTSTATUS join(std::size_t which, UINT flags = 0) {
    return contexts().join(*process, queue, context(which), flags);
  }

  OsMachine machine;
  Process* process = nullptr;
  HwQueue queue;
};

}  // namespace

TEST_CASE("a hardware context is created with its first queue and destroyed with the last") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.machine.hw_contexts.empty());
    CHECK(HwContexts::find(*bench.process, "second") == nullptr);
    CHECK(bench.join(1) == STATUS_SUCCESS);
    CHECK(bench.join(1) == STATUS_SUCCESS);
    REQUIRE(bench.machine.hw_contexts.size() == 1);
    CHECK(bench.machine.hw_contexts[0].NodeOrdinal == 1);
    CHECK(bench.machine.hw_contexts[0].hHwContext == &bench.context(1));
    CHECK(bench.context(1).owner == bench.process);
    CHECK(bench.queue.context == &bench.context(1));
    CHECK(HwContexts::find(*bench.process, "second") == &bench.context(1));
    CHECK(HwContexts::find(*bench.process, "first") == nullptr);
    CHECK(HwContexts::find(*bench.process, "third") == nullptr);
    HwContexts::leave(bench.machine.adapter(), bench.context(1));
    CHECK(bench.machine.destroyed_hw_contexts.empty());
    HwContexts::leave(bench.machine.adapter(), bench.context(1));
    CHECK(bench.machine.destroyed_hw_contexts ==
          std::vector<HANDLE>{bench.context(1).driver_handle});
    CHECK(HwContexts::find(*bench.process, "second") == nullptr);
  }));
}

TEST_CASE("a queue does not join a hardware context that the driver refuses") {
  Bench bench(scheduling());
  bench.machine.hw_context_status = STATUS_NO_MEMORY;
  CHECK(bench.run([&] {
    CHECK(bench.join(0) == STATUS_NO_MEMORY);
    CHECK(bench.context(0).queues == 0);
    CHECK(bench.context(0).driver_handle == nullptr);
    CHECK(bench.context(0).number == 0);
    CHECK(bench.queue.context == nullptr);
  }));
}

TEST_CASE("the OS schedules a hardware context from its creation if it schedules at all") {
  Bench bench(scheduling());
  CHECK(bench.run([&] {
    const auto& queues = bench.machine.watch<event::ScheduledQueue>();
    bench.queue.object = 5;
    bench.join(0);
    CHECK(bench.context(0).number == 1);
    bench.join(0);
    CHECK(queues.size() == 2);
    bench.join(1);
    CHECK(bench.context(1).number == 2);
  }));
}

TEST_CASE("a hang of a queue has to be found unless it is excepted") {
  Bench bench(scheduling());
  CHECK(bench.run([&] {
    const auto& guarded = bench.machine.watch<event::QueueGuarded>();
    bench.join(0, D3DDDI_CREATEHWQUEUEFLAGS::kDisableGpuTimeout);
    CHECK(guarded.empty());
    bench.join(1);
    REQUIRE(guarded.size() == 1);
    CHECK(guarded[0].engine == 2);
  }));
}

TEST_CASE("no hang of a queue has to be found where timeouts are not detected") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& guarded = bench.machine.watch<event::QueueGuarded>();
    bench.join(0);
    CHECK(guarded.empty());
  }));
}

TEST_CASE("contexts with queues stand still while their memory is moved") {
  Bench bench(scheduling());
  CHECK(bench.run([&] {
    bench.join(0);
    HwContext& context = bench.context(0);
    bench.machine.on_suspend = [&] {
      bench.machine.dispatched([&] {
        bench.machine.kernel().system.hardware->completed(bench.machine.adapter(), &context,
                                                          context.fence);
      });
    };
    bench.contexts().hold(*bench.process, false);  // it is not held
    CHECK(bench.machine.resumed.empty());
    bench.contexts().hold(*bench.process, true);
    CHECK(bench.machine.suspensions.size() == 1);
    CHECK(context.held);
    CHECK_FALSE(bench.context(1).held);
    bench.contexts().hold(*bench.process, false);
    CHECK(bench.machine.resumed.size() == 1);
    CHECK_FALSE(context.held);
  }));
}

}  // namespace fenceline::os::test_hw_contexts
