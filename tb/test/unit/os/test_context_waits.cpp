// Waits and signals between the buffers of a context.
#include <catch2/catch.hpp>

#include "tb/test/support/os/context_bench.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_context_waits {

using support::ContextBench;
using HeldWait = ContextQueue::HeldWait;
using Packet = ContextQueue::Packet;

namespace {

/// A context, a monitored fence and a native one.
struct Bench : ContextBench {
  using ContextBench::ContextBench;

  bool run(const std::function<void()>& body) {
    return ContextBench::run([&] {
      parts.waits.scheduler_of = [this](const NativeFence& of) -> FenceScheduler& {
        CHECK(&of == native.get());
        return scheduler();
      };
      context = &create();
      for (Fence* fence :
           {static_cast<Fence*>(monitored.get()), static_cast<Fence*>(native.get())}) {
        fence->adapter = &machine.adapter();
        fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
        fence->current = {false, machine.kernel().system.pages.allocate(kPage), kPage};
      }
      native->monitored = {false, machine.kernel().system.pages.allocate(kPage), kPage};
      scheduler().add(*native);
      machine.kernel().system.monitored.add(monitored);
      body();
    });
  }
  FenceScheduler& scheduler() { return *machine.state().scheduler; }
  void store(const Fence& fence, std::uint64_t value) {
    machine.adapter().port().write_memory(to_kernel_address(fence.current_bus()), value);
  }
  std::uint64_t load(const Fence& fence) {
    return machine.adapter().port().read_memory(to_kernel_address(fence.current_bus()));
  }
  /// A packet with a wait for 5.
  Packet waits(bool of_native) {
    Packet packet;
    packet.kind = Packet::Kind::kWait;
    packet.wait = std::make_shared<HeldWait>();
    if (of_native)
      packet.wait->native = native;
    else
      packet.wait->point.fence = monitored;
    packet.wait->point.value = 5;
    packet.wait->waiter.event = &parts.table.work;
    return packet;
  }
  Packet signals(bool of_native) {
    Packet packet;
    packet.kind = Packet::Kind::kSignal;
    if (of_native)
      packet.natives = {{native, 5}};
    else
      packet.points = {{monitored, 5}};
    return packet;
  }
  bool run_wait(const Packet& packet) { return parts.waits.run_wait(*context, *packet.wait); }

  std::shared_ptr<MonitoredFence> monitored = std::make_shared<MonitoredFence>();
  std::shared_ptr<NativeFence> native = std::make_shared<NativeFence>();
  ContextQueue* context = nullptr;
};

/// A wait of a context goes on when its fence has the value.
void goes_on_with_value(bool of_native) {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& begun = bench.machine.watch<event::GpuWaitBegin>();
    const auto& over = bench.machine.watch<event::GpuWaitUnblock>();
    const Packet packet = bench.waits(of_native);
    CHECK_FALSE(bench.run_wait(packet));
    CHECK_FALSE(bench.run_wait(packet));
    CHECK(packet.wait->fence().waiters.size() == 1);  // it enters once
    CHECK(begun.size() == 1);
    CHECK(over.empty());
    packet.wait->waiter.satisfy();
    CHECK(bench.run_wait(packet));
    REQUIRE(over.size() == 1);
    CHECK(over[0].fence == packet.wait->fence().object);
  }));
}

/// A packet that is dropped takes its waiter out of the list.
void leaves_when_dropped(bool of_native) {
  Bench bench;
  CHECK(bench.run([&] {
    const Packet packet = bench.waits(of_native);
    bench.parts.waits.give_up(packet);  // it is in no list yet
    CHECK_FALSE(packet.wait->registered);
    CHECK_FALSE(bench.run_wait(packet));
    bench.parts.waits.give_up(packet);
    CHECK(packet.wait->fence().waiters.empty());
    CHECK_FALSE(packet.wait->waiter.satisfied);
    bench.parts.waits.give_up(bench.signals(of_native));
  }));
}

}  // namespace

TEST_CASE("a context goes on when its monitored fence has the value") { goes_on_with_value(false); }

TEST_CASE("a context goes on when its native fence has the value") { goes_on_with_value(true); }

TEST_CASE("a wait of a context whose value is there is over at once") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.store(*bench.monitored, 5);
    bench.store(*bench.native, 5);
    const auto& done = bench.machine.watch<event::WaitDone>();
    CHECK(bench.run_wait(bench.waits(false)));
    CHECK(done.empty());
    CHECK(bench.run_wait(bench.waits(true)));
    CHECK(done.size() == 1);  // a waiter of a native fence counts as one of the CPU
  }));
}

TEST_CASE("a wait of a device in error neither begins nor ends") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.store(*bench.monitored, 5);
    const Packet packet = bench.waits(false);
    bench.context->ended = true;
    CHECK_FALSE(bench.run_wait(packet));
    CHECK_FALSE(packet.wait->registered);
  }));
}

TEST_CASE("a wait for a destroyed native fence is let go") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& stale = bench.machine.watch<event::StalePacket>();
    const auto& over = bench.machine.watch<event::GpuWaitUnblock>();
    bench.native->usable = false;
    const Packet packet = bench.waits(true);
    CHECK(bench.run_wait(packet));
    CHECK(packet.wait->waiter.let_go);
    CHECK(stale.size() == 1);
    CHECK(over.empty());
  }));
}

TEST_CASE("a wait for a value of a 32-bit fence that is out of reach has been passed") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& over = bench.machine.watch<event::GpuWaitUnblock>();
    bench.monitored->narrow = true;
    bench.monitored->last = 5 + (1ULL << 32);
    bench.store(*bench.monitored, 5);
    const Packet packet = bench.waits(false);
    CHECK(bench.run_wait(packet));
    CHECK_FALSE(packet.wait->waiter.let_go);
    CHECK(over.size() == 1);
  }));
}

TEST_CASE("a dropped wait leaves its monitored fence") { leaves_when_dropped(false); }

TEST_CASE("a dropped wait leaves its native fence") { leaves_when_dropped(true); }

TEST_CASE("a signal waits until the buffers before it are complete") {
  Bench bench;
  CHECK(bench.run([&] {
    const Packet signal = bench.signals(false);
    bench.run_buffers(*bench.context);
    CHECK_FALSE(bench.parts.waits.run_signal(*bench.context, signal));
    CHECK(bench.load(*bench.monitored) == 0);
    bench.completed(1);
    CHECK(bench.parts.waits.run_signal(*bench.context, signal));
    CHECK(bench.load(*bench.monitored) == 5);
  }));
}

TEST_CASE("a signal does not wait for other contexts or for the leaving of its own") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.run_buffers(bench.create());
    bench.context->leaving = true;
    CHECK(bench.parts.dispatch.run_leave(*bench.context));
    CHECK(bench.parts.waits.run_signal(*bench.context, bench.signals(false)));
  }));
}

TEST_CASE("a signal of a native fence is given to its driver") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.parts.waits.run_signal(*bench.context, bench.signals(true)));
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].values == std::vector<UINT64>{5});
    CHECK(bench.load(*bench.monitored) == 0);
  }));
}

TEST_CASE("a device in error makes no signal") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.context->ended = true;
    CHECK_FALSE(bench.parts.waits.run_signal(*bench.context, bench.signals(false)));
    CHECK(bench.load(*bench.monitored) == 0);
  }));
}

TEST_CASE("a context that has lost a buffer makes no signal and begins no wait") {
  Bench bench;
  CHECK(bench.run([&] {
    const Packet packet = bench.waits(false);
    bench.context->lost = true;
    CHECK_FALSE(bench.parts.waits.run_signal(*bench.context, bench.signals(false)));
    CHECK(bench.load(*bench.monitored) == 0);
    CHECK_FALSE(bench.run_wait(packet));
    CHECK_FALSE(packet.wait->registered);
  }));
}

TEST_CASE("waits that do not block end in their order") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& over = bench.machine.watch<event::GpuWaitUnblock>();
    for (int i = 0; i < 3; ++i) {
      bench.context->passed.push_back(bench.waits(false));
      CHECK_FALSE(bench.run_wait(bench.context->passed.back()));
    }
    CHECK_FALSE(bench.parts.waits.clear_passed(*bench.context));
    bench.context->passed[1].wait->waiter.satisfy();
    CHECK_FALSE(bench.parts.waits.clear_passed(*bench.context));
    bench.context->passed[0].wait->waiter.satisfy();
    CHECK(bench.parts.waits.clear_passed(*bench.context));
    CHECK(bench.context->passed.size() == 1);
    CHECK(over.size() == 2);
  }));
}

TEST_CASE("each look at a context notes whether devices have to be put in error") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.parts.table.faulted.push_back(bench.context);
    bench.parts.waits.clear_passed(*bench.context);
    CHECK(bench.parts.table.faults);
    bench.parts.table.faulted.clear();
    bench.parts.waits.clear_passed(*bench.context);
    CHECK_FALSE(bench.parts.table.faults);
  }));
}

}  // namespace fenceline::os::test_context_waits
