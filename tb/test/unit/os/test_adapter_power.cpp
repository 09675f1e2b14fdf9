// Power state of an adapter: what forbids D3, and the order of a transition.
#include <catch2/catch.hpp>

#include "models/abi/configuration.h"
#include "models/top/gpu.h"
#include "tb/os/dxgk/adapter_power.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_adapter_power {

namespace {

using support::Caller;
using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;

constexpr Ddi kSetPower = Ddi::DxgkDdiSetPowerState;
constexpr common::Time kWakeTime = 10 * common::kMillisecond;

struct Bench {
  Bench(Kernel& of, KernelBench& on)
      : kernel(of), machine(on), state(of.system.adapters[0]), power(*state.power) {
    ScriptedDriver::replace<kSetPower>([this](PVOID, ULONG, DEVICE_POWER_STATE now, POWER_ACTION) {
      told.push_back(now);
      CHECK_FALSE(changing->steady());
      if (on_set) on_set();
      return status;
    });
    on.events.all.clear();
  }
  std::size_t changes() const { return machine.events.of<event::AdapterPower>().size(); }

  Kernel& kernel;
  KernelBench& machine;
  AdapterState& state;
  AdapterPower& power;
  const AdapterPower* changing = &power;
  std::vector<DEVICE_POWER_STATE> told;
  std::function<void()> on_set;
  NTSTATUS status = STATUS_SUCCESS;
};

using Told = std::vector<DEVICE_POWER_STATE>;

void with_bench(const std::function<void(Bench&)>& body,
                const top::PlatformConfig& platform = support::small_platform(),
                const KernelOptions& options = support::managed_kernel()) {
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

top::PlatformConfig with_doorbells() {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.doorbells = 2;
  return platform;
}

top::PlatformConfig with_small_bar() {
  constexpr std::uint64_t kBar = 1U << 20U;
  return support::small_platform(kBar);
}

/// A context whose buffers stay in the OS.
ContextQueue& with_held_context(Kernel& kernel) {
  Process& process = kernel.devices.create_process("app", 0);
  D3DKMT_CREATECONTEXTVIRTUAL args{};
  args.hDevice = process.device();
  REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(process, args) == STATUS_SUCCESS);
  process.contexts[0]->holds = 1;
  return *process.contexts[0];
}

/// Power state in the configuration space of the function.
std::uint32_t function_state(Kernel& kernel, top::Gpu& gpu) {
  std::uint32_t value = 0;
  auto load = kernel.simulation().transactions.lend(
      tlm::TLM_READ_COMMAND, gpu.bars().configuration + abi::kPowerControl, &value, sizeof value);
  load->attributes.operation = common::Operation::kRegisterRead;
  kernel.cpu().core().access(load, common::Operation::kRegisterRead);
  return value & abi::kPowerStateMask;
}

/// State of a queue of a process, with a progress fence.
struct Queue {
  explicit Queue(Kernel& kernel) : request(kernel, kernel.devices.create_process("app", 0)) {
    request.args.Flags.Value = D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence;
    REQUIRE(request.create() == STATUS_SUCCESS);
  }
  UserDoorbell& doorbell() const { return *request.queue().user_doorbell; }
  QueueRequest request;
};

}  // namespace

TEST_CASE("the driver is told of each change of the power state", "[dxgk]") {
  with_bench([](Bench& it) {
    CHECK(it.power.set(true) == STATUS_SUCCESS);
    CHECK(it.told.empty());
    CHECK(it.power.set(false) == STATUS_SUCCESS);
    CHECK_FALSE(it.power.on());
    CHECK_FALSE(it.power.steady());
    CHECK(it.power.set(false) == STATUS_SUCCESS);
    const common::Time before = it.machine.now();
    CHECK(before < kWakeTime);
    CHECK(it.power.set(true) == STATUS_SUCCESS);
    CHECK(it.machine.now() - before >= kWakeTime);
    CHECK(it.power.steady());
    CHECK(it.told == Told{PowerDeviceD3, PowerDeviceD0});
    const auto events = it.machine.events.of<event::AdapterPower>();
    REQUIRE(events.size() == 2);
    CHECK(events[0].state == 3);
    CHECK(events[1].state == 0);
    CHECK_FALSE(events[1].escape);
  });
}

TEST_CASE("an adapter without managed memory sleeps and wakes", "[dxgk]") {
  KernelOptions options;
  options.contexts = true;
  with_bench(
      [](Bench& it) {
        CHECK(it.power.set(false) == STATUS_SUCCESS);
        CHECK(it.power.set(true) == STATUS_SUCCESS);
        CHECK(it.told == Told{PowerDeviceD3, PowerDeviceD0});
      },
      support::small_platform(), options);
}

TEST_CASE("an adapter wakes whatever its contexts have to do", "[dxgk]") {
  with_bench([](Bench& it) {
    ContextQueue& context = with_held_context(it.kernel);
    REQUIRE(it.power.set(false) == STATUS_SUCCESS);
    REQUIRE(it.kernel.system.contexts->submission.submit(context, 0x1000, 64) == STATUS_SUCCESS);
    CHECK(it.power.set(true) == STATUS_SUCCESS);
    context.packets.clear();
  });
}

TEST_CASE("an adapter that serves a request for memory stays in D0", "[dxgk]") {
  with_bench([](Bench& it) {
    AdapterPower alone(it.kernel.cpu(), it.state, nullptr);  // knows no contexts
    Caller caller(it.kernel);
    const D3DKMT_HANDLE handle = caller.handle_of(caller.make(Caller::kVram));
    NTSTATUS status = STATUS_SUCCESS;
    ScriptedDriver::replace<Ddi::DxgkDdiBuildPagingBuffer>([&](HANDLE adapter, auto* args) {
      if (it.state.memory->serving()) status = alone.set(false);
      return ScriptedDriver::stub<Ddi::DxgkDdiBuildPagingBuffer>()(adapter, args);
    });
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    CHECK(status == STATUS_INVALID_DEVICE_STATE);
    CHECK(it.told.empty());
  });
}

TEST_CASE("a page of the window that is left mapped stops the machine", "[dxgk]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.unmaps_for_d3 = false;
  with_bench(
      [](Bench& it) {
        Caller caller(it.kernel);
        Allocation& locked = caller.make(Caller::kVram);
        REQUIRE(caller.make_resident(caller.handle_of(locked)) == STATUS_SUCCESS);
        REQUIRE(caller.lock(caller.handle_of(locked)) == STATUS_SUCCESS);
        CHECK_THROWS_AS(it.power.set(false), BugCheck);
        CHECK(it.told.empty());
      },
      support::small_platform(1 << 20), options);
}

TEST_CASE("the function is in D0 while the driver sets the power state", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        top::Gpu& gpu = it.state.adapter->gpu();
        it.on_set = [&] { CHECK(function_state(it.kernel, gpu) == 0); };
        CHECK(it.power.set(false) == STATUS_SUCCESS);
        CHECK(function_state(it.kernel, gpu) == abi::kPowerD3);
        CHECK(it.power.set(true) == STATUS_SUCCESS);
        CHECK(function_state(it.kernel, gpu) == 0);
      },
      with_doorbells());
}

TEST_CASE("the status of the driver comes back and the state changes all the same", "[dxgk]") {
  with_bench([](Bench& it) {
    it.status = STATUS_NO_MEMORY;
    CHECK(it.power.set(false) == STATUS_NO_MEMORY);
    CHECK_FALSE(it.power.on());
    CHECK(it.power.set(true) == STATUS_NO_MEMORY);
    CHECK(it.power.steady());
  });
}

TEST_CASE("a wake is a change only in D3 and names its escape", "[dxgk]") {
  with_bench([](Bench& it) {
    it.power.wake(5);
    CHECK(it.changes() == 0);
    REQUIRE(it.power.set(false) == STATUS_SUCCESS);
    it.power.wake(5);
    const auto events = it.machine.events.of<event::AdapterPower>();
    REQUIRE(events.size() == 2);
    CHECK(events[1].state == 0);
    CHECK(events[1].flags == 5);
    CHECK(events[1].escape);
  });
}

TEST_CASE("an adapter whose contexts have work stays in D0", "[dxgk]") {
  with_bench([](Bench& it) {
    ContextQueue& context = with_held_context(it.kernel);
    REQUIRE(it.kernel.system.contexts->submission.submit(context, 0x1000, 64) == STATUS_SUCCESS);
    CHECK(it.power.set(false) == STATUS_INVALID_DEVICE_STATE);
    CHECK(it.power.steady());
    CHECK(it.told.empty());
    AdapterPower alone(it.kernel.cpu(), it.state, nullptr);  // knows no contexts
    it.changing = &alone;
    CHECK(alone.set(false) == STATUS_SUCCESS);
    CHECK(it.told == Told{PowerDeviceD3});
    context.packets.clear();
  });
}

TEST_CASE("an adapter whose queues have work stays in D0", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        const Queue queue(it.kernel);
        it.kernel.cpu().store(queue.doorbell().last_queued_bus(), 1);
        it.kernel.cpu().drain_stores();
        CHECK(it.power.set(false) == STATUS_INVALID_DEVICE_STATE);
        CHECK(it.power.steady());
        CHECK(it.told.empty());
        CHECK(it.changes() == 0);
        CHECK(queue.doorbell().connected);
      },
      with_doorbells());
}

TEST_CASE("doorbells are disconnected before D3 and connected again in D0", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        const Queue queue(it.kernel);
        it.on_set = [&] { CHECK_FALSE(queue.doorbell().connected); };
        CHECK(it.power.set(false) == STATUS_SUCCESS);
        CHECK_FALSE(queue.doorbell().connected);
        CHECK(it.power.set(true) == STATUS_SUCCESS);
        CHECK(queue.doorbell().connected);
        CHECK(it.told.size() == 2);
      },
      with_doorbells());
}

TEST_CASE("locked memory leaves the window before D3 and is there again in D0", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        Caller caller(it.kernel);
        Allocation& locked = caller.make(Caller::kVram);
        REQUIRE(caller.make_resident(caller.handle_of(locked)) == STATUS_SUCCESS);
        REQUIRE(caller.lock(caller.handle_of(locked)) == STATUS_SUCCESS);
        REQUIRE(locked.window.size() == locked.pages);
        const auto map = [] { return ScriptedDriver::count(Ddi::DxgkDdiMapCpuHostAperture); };
        const auto unmap = [] { return ScriptedDriver::count(Ddi::DxgkDdiUnmapCpuHostAperture); };
        ScriptedDriver::calls.clear();
        it.on_set = [&] { CHECK(unmap() >= 2); };  // that of kernel mode and that of the lock
        CHECK(it.power.set(false) == STATUS_SUCCESS);
        CHECK(map() == 0);
        it.on_set = [&] { CHECK(map() == 0); };
        CHECK(it.power.set(true) == STATUS_SUCCESS);
        CHECK(map() >= 2);
        std::uint64_t value = 3;
        CHECK(it.kernel.user_access.touch_memory(caller.process, locked.user_address, true,
                                                 value) == STATUS_SUCCESS);
        CHECK(locked.window.size() == locked.pages);
      },
      support::small_platform(1 << 20));
}

TEST_CASE("one thread changes the power state at a time", "[dxgk]") {
  KernelBench machine(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  std::unique_ptr<Bench> it;
  bool woken = false;
  machine.run({[&](Kernel& kernel) {
                 it = std::make_unique<Bench>(kernel, machine);
                 REQUIRE(it->power.set(false) == STATUS_SUCCESS);
                 CHECK(it->power.set(true) == STATUS_SUCCESS);
                 woken = true;
               },
               [&](Kernel& kernel) {
                 while (it == nullptr || it->power.on()) kernel.cpu().sleep(common::kMicrosecond);
                 kernel.cpu().sleep(common::kMillisecond);
                 CHECK_FALSE(it->power.steady());  // the other one wakes it at the moment
                 it->power.wake();
                 CHECK(woken);
                 CHECK(it->power.steady());
                 CHECK(it->told == Told{PowerDeviceD3, PowerDeviceD0});
               }});
}

TEST_CASE("an adapter that is held stays in D0") {
  with_bench([](Bench& bench) {
    REQUIRE(bench.power.set(false) == STATUS_SUCCESS);
    bench.power.hold();
    CHECK(bench.power.on());
    bench.power.hold();
    CHECK(bench.power.set(false) == STATUS_INVALID_DEVICE_STATE);
    bench.power.release();
    CHECK(bench.power.set(false) == STATUS_INVALID_DEVICE_STATE);
    bench.power.release();
    CHECK(bench.power.set(false) == STATUS_SUCCESS);
  });
}

TEST_CASE("an adapter stays in D0 while fences are in VRAM behind its window") {
  with_bench(
      [](Bench& bench) {
        Process& process = bench.kernel.devices.create_process("app", 0);
        REQUIRE(bench.power.set(false) == STATUS_SUCCESS);
        const Backing page =
            bench.kernel.fixed_memory.allocate(process, kPage, common::Home::kVram);
        CHECK(bench.power.on());
        CHECK(bench.power.set(false) == STATUS_INVALID_DEVICE_STATE);
        bench.kernel.fixed_memory.give_back(*bench.state.adapter, page);
        CHECK(bench.power.set(false) == STATUS_SUCCESS);
      },
      with_small_bar());
}

TEST_CASE("a change of a page table behind the window wakes the adapter") {
  with_bench(
      [](Bench& bench) {
        Process& process = bench.kernel.devices.create_process("app", 0);
        const Backing page =
            bench.kernel.fixed_memory.allocate(process, kPage, common::Home::kSysmem);
        REQUIRE(bench.power.set(false) == STATUS_SUCCESS);
        process.space->map(page, true);
        CHECK(bench.power.on());
        CHECK(bench.power.set(false) == STATUS_SUCCESS);
      },
      with_small_bar());
}

}  // namespace fenceline::os::test_adapter_power
