// DPCs: reports of interrupts, and the waiters and buffers that they are about.
#include <catch2/catch.hpp>

#include "tb/os/driver/kernel_address.h"
#include "tb/test/support/os_machine.h"

namespace fenceline::os::test_deferred_calls {

using common::kMillisecond;
using support::OsMachine;

namespace {

OsMachine::Config with_contexts(bool log_driven = false) {
  OsMachine::Config config;
  config.options.contexts = true;
  config.options.ordering.os.log_driven = log_driven;
  config.platform.gpus[0].display.refresh_period = 16 * kMillisecond;
  config.platform.gpus[0].display.self_refresh_frames = 1;
  return config;
}

FenceNotification completion(UINT id, bool faulted = false) {
  FenceNotification told{};
  told.completions.push_back({0, id, faulted});
  return told;
}
FenceNotification monitored_signal() {
  FenceNotification told{};
  told.monitored = true;
  return told;
}

/// Two processes with a context each.
struct Bench {
  explicit Bench(const OsMachine::Config& config = with_contexts()) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      for (int i = 0; i < 2; ++i) {
        process[i] = &machine.kernel().devices.create_process("process", 0);
        context[i] = &table().create(machine.adapter(), "context", 0, nullptr);
        context[i]->owner = process[i];
        process[i]->contexts.push_back(context[i]);
      }
      body();
    });
  }
  ContextTable& table() { return machine.kernel().system.contexts->table; }
  /// A monitored fence of a process.
  std::shared_ptr<MonitoredFence> add_fence(Process& owner, UINT flags = 0) {
    auto fence = std::make_shared<MonitoredFence>();
    place(*fence);
    machine.kernel().system.monitored.add(fence);
    SyncObject object;
    object.fence = fence;
    object.flags = flags;
    owner.sync_objects[static_cast<D3DKMT_HANDLE>(++handles)] = object;
    return fence;
  }
  /// A native fence of a process.
  std::shared_ptr<NativeFence> add_native(Process& owner) {
    D3DKMT_CREATENATIVEFENCE args{};
    args.hDevice = owner.device();
    REQUIRE(machine.kernel().native_fences.D3DKMTCreateNativeFence(owner, args) == STATUS_SUCCESS);
    return owner.fence(args.hSyncObject)->fence;
  }
  void place(Fence& fence) {
    fence.adapter = &machine.adapter();
    fence.object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence.current.address = machine.kernel().system.pages.allocate(kPage);
    fence.current.bytes = kPage;
  }
  /// The GPU stores a value, and nobody is told.
  void store(const Fence& fence, std::uint64_t value) {
    machine.adapter().port().write_memory(to_kernel_address(fence.current_bus()), value);
  }
  Waiter& wait_for(const std::shared_ptr<MonitoredFence>& fence, std::uint64_t value) {
    Waiter& waiter = *waiters.emplace_back(std::make_unique<Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.kernel().system.monitored.wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  Waiter& wait_for(const std::shared_ptr<NativeFence>& fence, std::uint64_t value) {
    Waiter& waiter = *waiters.emplace_back(std::make_unique<Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.state().scheduler->wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  void submit(std::size_t which) {
    machine.kernel().system.contexts->submission.submit(*context[which], 0x1000, 64);
    while (context[which]->in_flight == 0) machine.sleep(kMillisecond);
  }
  void follow(const FenceNotification& told) {
    machine.dispatched([&] { machine.kernel().deferred_calls.follow(machine.state(), told); });
  }
  /// Spurious interrupts that a notification counts as.
  std::size_t spurious(const FenceNotification& told) {
    const auto& events = machine.watch<event::SpuriousInterrupt>();
    follow(told);
    return events.size();
  }

  OsMachine machine;
  KernelEvent woken{machine.steps()};
  Process* process[2]{};
  ContextQueue* context[2]{};
  std::vector<std::unique_ptr<Waiter>> waiters;
  std::size_t handles = 0;
};

}  // namespace

TEST_CASE("a completed buffer releases waiters of fences that its process may signal") {
  Bench bench;
  bench.run([&] {
    const auto mine = bench.add_fence(*bench.process[0]);
    const auto yours = bench.add_fence(*bench.process[1]);
    const auto silent = bench.add_fence(*bench.process[0], SynchronizationFlags::kNoSignal);
    const Waiter& released = bench.wait_for(mine, 5);
    const Waiter& other = bench.wait_for(yours, 5);
    const Waiter& refused = bench.wait_for(silent, 5);
    const Waiter& later = bench.wait_for(mine, 6);
    for (const auto& fence : {mine, yours, silent}) bench.store(*fence, 5);
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(bench.context[0]->completed == 1);
    CHECK(released.satisfied);
    CHECK_FALSE(other.satisfied);
    CHECK_FALSE(refused.satisfied);
    CHECK_FALSE(later.satisfied);
  });
}

TEST_CASE("a completed buffer of the OS may have signalled any fence") {
  Bench bench;
  bench.run([&] {
    const Waiter& waiter = bench.wait_for(bench.add_fence(*bench.process[0]), 5);
    bench.store(*bench.process[0]->sync_objects.begin()->second.fence, 5);
    bench.context[0]->owner = nullptr;
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("a completed buffer may have signalled a fence that its process has closed") {
  Bench bench;
  bench.run([&] {
    const auto fence = bench.add_fence(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.process[0]->sync_objects.clear();
    Process::keep_closed(bench.process[0]->closed_fences, fence, {});
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("an interrupt of monitored fences may be about any of them") {
  Bench bench;
  bench.run([&] {
    const auto fence = bench.add_fence(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.follow({});
    CHECK_FALSE(waiter.satisfied);
    bench.follow(monitored_signal());
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("a DPC counts the waiters that it has released") {
  Bench bench;
  bench.run([&] {
    const auto& ends = bench.machine.watch<event::DpcEnd>();
    const auto fence = bench.add_fence(*bench.process[0]);
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 4);
    bench.store(*fence, 5);
    bench.follow(monitored_signal());
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].released == 2);
  });
}

TEST_CASE("an interrupt that released nobody and reports nothing else is spurious") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.spurious({}) == 1);
    CHECK(bench.spurious(monitored_signal()) == 1);
    const auto fence = bench.add_fence(*bench.process[0]);
    bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    CHECK(bench.spurious(monitored_signal()) == 0);
    bench.submit(0);
    CHECK(bench.spurious(completion(1)) == 0);
    FenceNotification sync{};
    sync.syncs.push_back(0x1000);
    CHECK(bench.spurious(sync) == 0);
    FenceNotification timeout{};
    timeout.timeouts.push_back(0);
    CHECK(bench.spurious(timeout) == 0);
    FenceNotification suspension{};
    suspension.suspensions.push_back({nullptr, 0});
    CHECK(bench.spurious(suspension) == 0);
  });
}

TEST_CASE("a preemption returns buffers to their context and is not spurious") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    ContextNode& node = bench.table().node_of(bench.machine.adapter(), 0);
    node.preempting = true;
    bench.context[0]->holds = 1;
    FenceNotification told{};
    told.preemptions.push_back({0, 0, 0});
    CHECK(bench.spurious(told) == 0);
    CHECK(bench.context[0]->preempted.size() == 1);
  });
}

TEST_CASE("a buffer that faulted puts its device in error") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    bench.follow(completion(1, true));
    bench.machine.sleep(kMillisecond);
    CHECK(bench.process[0]->in_error);
    CHECK_FALSE(bench.process[1]->in_error);
  });
}

TEST_CASE("a vertical sync ends the flip that it shows and a completed buffer begins one") {
  Bench bench;
  bench.run([&] {
    FlipQueue& flips = *bench.machine.state().flips;
    bench.submit(0);
    flips.present(*bench.context[0], 0x1000, false, 9);
    flips.present(*bench.context[0], 0x2000, false, 9);
    CHECK(bench.machine.shown.empty());
    bench.follow(completion(1));
    CHECK(bench.machine.shown.size() == 1);
    FenceNotification sync{};
    sync.syncs.push_back(0x1000);
    bench.follow(sync);
    CHECK(bench.machine.shown.size() == 2);
  });
}

TEST_CASE("a preemption may have completed the buffer that draws a flip") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    bench.machine.state().flips->present(*bench.context[0], 0x1000, false, 9);
    bench.table().node_of(bench.machine.adapter(), 0).preempting = true;
    FenceNotification told{};
    told.preemptions.push_back({0, 0, 1});
    bench.follow(told);
    CHECK(bench.machine.shown.size() == 1);
  });
}

TEST_CASE("an interrupt releases waiters of the native fences that it names") {
  Bench bench;
  bench.run([&] {
    const auto named = bench.add_native(*bench.process[0]);
    const auto other = bench.add_native(*bench.process[0]);
    const Waiter& released = bench.wait_for(named, 5);
    const Waiter& waits = bench.wait_for(other, 5);
    bench.store(*named, 5);
    bench.store(*other, 5);
    FenceNotification told{};
    told.fences.push_back(named->os_handle());
    bench.follow(told);
    CHECK(released.satisfied);
    CHECK_FALSE(waits.satisfied);
    bench.follow({true, {}});
    CHECK(waits.satisfied);
  });
}

TEST_CASE("a fence signalled by a context needs no log where logs release waiters") {
  Bench bench(with_contexts(true));
  bench.run([&] {
    const auto named = bench.add_native(*bench.process[0]);
    const auto other = bench.add_native(*bench.process[0]);
    const Waiter& released = bench.wait_for(named, 5);
    const Waiter& waits = bench.wait_for(other, 5);
    bench.store(*named, 5);
    bench.store(*other, 5);
    FenceNotification told{};
    told.fences.push_back(named->os_handle());
    bench.follow(told);
    CHECK(released.satisfied);
    CHECK_FALSE(waits.satisfied);
    FenceNotification elsewhere{};
    elsewhere.nodes.push_back(1);
    bench.follow(elsewhere);
    CHECK_FALSE(waits.satisfied);
    FenceNotification here{};
    here.nodes.push_back(0);
    bench.follow(here);
    CHECK(waits.satisfied);
  });
}

TEST_CASE("only a process with a context or a queue without logs signals without a log") {
  Bench bench(with_contexts(true));
  bench.run([&] {
    bench.process[0]->contexts.clear();
    const auto fence = bench.add_native(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
    auto queue = std::make_unique<HwQueue>();
    queue->has_logs = true;
    queue->driver_handle = &bench;
    bench.process[0]->queues.push_back(std::move(queue));
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
    bench.process[0]->queues[0]->has_logs = false;
    FenceNotification told{};
    told.queues.push_back(&bench.woken);
    bench.follow(told);
    CHECK_FALSE(waiter.satisfied);
    told.queues.push_back(&bench);
    bench.follow(told);
    CHECK(waiter.satisfied);
    bench.process[0]->queues.clear();
  });
}

TEST_CASE("after a reset all fences of the adapter are looked at") {
  Bench bench;
  bench.run([&] {
    const auto native = bench.add_native(*bench.process[0]);
    const auto monitored = bench.add_fence(*bench.process[1]);
    const Waiter& first = bench.wait_for(native, 5);
    const Waiter& second = bench.wait_for(monitored, 5);
    bench.store(*native, 5);
    bench.store(*monitored, 5);
    bench.machine.kernel().deferred_calls.look_at_all(bench.machine.adapter());
    CHECK(first.satisfied);
    CHECK(second.satisfied);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  });
}

TEST_CASE("waits elsewhere are those of fences of no adapter while the adapter is on") {
  Bench bench;
  bench.run([&] {
    DeferredCalls& calls = bench.machine.kernel().deferred_calls;
    const auto fence = bench.add_fence(*bench.process[0]);
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    bench.wait_for(fence, 5);
    CHECK(calls.waits_elsewhere(bench.machine.state()));
    CHECK(bench.machine.state().power->set(false) == STATUS_SUCCESS);
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
  });
}

TEST_CASE("a fence that adapters share may be waited for by queues elsewhere") {
  Bench bench;
  bench.run([&] {
    DeferredCalls& calls = bench.machine.kernel().deferred_calls;
    const auto fence = bench.add_fence(*bench.process[0]);
    NativeFence here;
    here.adapter = &bench.machine.adapter();
    NativeFence there;
    fence->natives = {&here};
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives = {&there, &there};
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives = {&here, &there};
    CHECK(calls.waits_elsewhere(bench.machine.state()));
    fence->alive = false;
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives.clear();
  });
}

TEST_CASE("a queued DPC of the adapter runs once") {
  Bench bench;
  bench.run([&] {
    const auto& calls = bench.machine.watch<event::DdiCall>();
    CHECK(bench.machine.adapter().queue_dpc());
    CHECK_FALSE(bench.machine.adapter().queue_dpc());
    bench.machine.sleep(kMillisecond);
    CHECK_FALSE(bench.machine.adapter().dpc_queued());
    std::size_t routines = 0;
    for (const auto& call : calls)
      if (call.ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiDpcRoutine)) ++routines;
    CHECK(routines == 1);
  });
}

}  // namespace fenceline::os::test_deferred_calls
