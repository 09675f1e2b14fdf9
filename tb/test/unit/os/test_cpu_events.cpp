// CPU events that drivers signal.
#include <catch2/catch.hpp>

#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_cpu_events {

using Flags = DXGKARGCB_SIGNALEVENT_FLAGS;

namespace {

support::OsMachine::Config with_driver(DXGK_WDDMVERSION version) {
  support::OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].wddm = version;
  return config;
}

struct Bench {
  explicit Bench(const support::OsMachine::Config& config = {}) : machine(config) {}
  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      handle = process->add_event(event);
      body();
    });
  }
  CpuEvents& events() { return machine.kernel().cpu_events; }
  NTSTATUS create(UINT flags = SynchronizationFlags::kSignalByKmd) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.Info.Flags.Value = flags;
    args.Info.CPUNotification.Event = handle;
    return events().create(*process, args, object);
  }
  NTSTATUS signal(HANDLE of, UINT flags = Flags::kCpuEventObject, HANDLE owner = nullptr) {
    return machine.dispatched([&] { return signal_cpu_event({owner, of, {flags}}); });
  }

  support::OsMachine machine;
  KernelEvent event{machine.steps()};
  Process* process = nullptr;
  HANDLE handle = nullptr;
  SyncObject object;
};

}  // namespace

TEST_CASE("a driver of an older WDDM gets no CPU event") {
  Bench bench(with_driver(DXGKDDI_WDDMv2_9));
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_NOT_SUPPORTED);
    CHECK(bench.machine.cpu_events.empty());
  }));
}

TEST_CASE("a driver of the first WDDM with CPU events gets one") {
  Bench bench(with_driver(DXGKDDI_WDDMv3_0));
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_SUCCESS);
    CHECK(bench.machine.cpu_events.size() == 1);
  }));
}

TEST_CASE("the driver gets a CPU event and its signal sets the event of user mode") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_SUCCESS);
    REQUIRE(bench.object.cpu_event != nullptr);
    CHECK(bench.object.cpu_event->alive);
    CHECK(bench.object.flags == SynchronizationFlags::kSignalByKmd);
    REQUIRE(bench.machine.cpu_events.size() == 1);
    CHECK(bench.machine.cpu_events[0].hKmdDevice == bench.process->space->device());
    CHECK(bench.machine.cpu_events[0].hDxgCpuEvent == bench.object.cpu_event);
    CHECK(bench.events().knows(bench.object.cpu_event));
    CHECK_FALSE(bench.events().knows(&bench));
    CHECK_FALSE(bench.event.signaled);
    CHECK(bench.signal(bench.object.cpu_event) == STATUS_SUCCESS);
    CHECK(bench.event.signaled);
  }));
}

TEST_CASE("a CPU event needs the right flags and an event of the process") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.create(0) == STATUS_NOT_SUPPORTED);
    CHECK(bench.create(SynchronizationFlags::kShared) == STATUS_INVALID_PARAMETER);
    CHECK(bench.create(SynchronizationFlags::kSignalByKmd | SynchronizationFlags::kShared) ==
          STATUS_INVALID_PARAMETER);
    bench.handle = &bench;
    CHECK(bench.create() == STATUS_INVALID_HANDLE);
    CHECK(bench.machine.cpu_events.empty());
    CHECK(bench.object.cpu_event == nullptr);
  }));
}

TEST_CASE("a CPU event that the driver refuses is not alive") {
  Bench bench;
  bench.machine.event_status = STATUS_NO_MEMORY;
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_NO_MEMORY);
    CHECK(bench.object.cpu_event == nullptr);
    CHECK(bench.object.flags == 0);
    const HANDLE refused = bench.machine.cpu_events[0].hDxgCpuEvent;
    CHECK(bench.events().knows(refused));
    CHECK(bench.signal(refused) == STATUS_INVALID_HANDLE);
    CHECK_FALSE(bench.event.signaled);
  }));
}

TEST_CASE("a destroyed CPU event is known and cannot be signalled") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    CpuEvent& event = *bench.object.cpu_event;
    CHECK(bench.events().destroy(event) == STATUS_SUCCESS);
    CHECK(bench.machine.destroyed_events == std::vector<HANDLE>{event.driver_handle});
    CHECK(event.driver_handle != nullptr);
    CHECK(bench.events().knows(&event));
    CHECK(bench.signal(&event) == STATUS_INVALID_HANDLE);
    CHECK_FALSE(bench.event.signaled);
  }));
}

TEST_CASE("a signal of a CPU event with wrong fields is refused") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    const HANDLE event = bench.object.cpu_event;
    CHECK(bench.signal(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(bench.signal(event, 0) == STATUS_INVALID_PARAMETER);
    CHECK(bench.signal(event, Flags::kCpuEventObject | 2) == STATUS_INVALID_PARAMETER);
    CHECK(bench.signal(event, Flags::kCpuEventObject, bench.process->space.get()) ==
          STATUS_INVALID_PARAMETER);
    CHECK_FALSE(bench.event.signaled);
  }));
}

TEST_CASE("a driver may signal an event of a process by its handle") {
  Bench bench;
  CHECK(bench.run([&] {
    const HANDLE owner = bench.process->space.get();
    CHECK(bench.signal(bench.handle, 2, owner) == STATUS_INVALID_PARAMETER);
    CHECK(bench.signal(&bench, 0, owner) == STATUS_INVALID_HANDLE);
    CHECK_FALSE(bench.event.signaled);
    CHECK(bench.signal(bench.handle, 0, owner) == STATUS_SUCCESS);
    CHECK(bench.event.signaled);
    bench.process->space->signal_handle = nullptr;
    CHECK(bench.signal(bench.handle, 0, owner) == STATUS_INVALID_HANDLE);
  }));
}

TEST_CASE("a signal of a CPU event reports what is wrong with it") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    const auto& signals = bench.machine.watch<event::CpuEventSignal>();
    bench.signal(bench.object.cpu_event);
    bench.signal(bench.object.cpu_event, 0);
    bench.events().destroy(*bench.object.cpu_event);
    bench.signal(bench.object.cpu_event);
    REQUIRE(signals.size() == 3);
    CHECK(signals[0].faults == 0);
    CHECK(signals[1].faults == event::kEventWrongFields);
    CHECK(signals[2].faults == event::kEventNotAlive);
  }));
}

}  // namespace fenceline::os::test_cpu_events
