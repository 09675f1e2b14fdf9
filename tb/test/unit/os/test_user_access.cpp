// Loads and stores of user mode through the addresses that the OS has given it.
#include <catch2/catch.hpp>

#include "tb/os/calls/user_access.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"

namespace fenceline::os::test_user_access {

namespace {

using event::Reader;
using event::UserTarget;
using support::Caller;
using support::FenceCaller;
using support::KernelBench;
using support::QueueRequest;

/// A native fence of 5, its values, and a process that touches them.
struct Values : FenceCaller {
  explicit Values(KernelBench& of) : FenceCaller(of.kernel()), bench(of), handle(native(0, 5)) {}

  NTSTATUS touch(UserTarget target, std::uint64_t& value) {
    bench.events.all.clear();
    return kernel.user_access.touch_value(process, *process.fence(handle), target, value);
  }
  /// The only access since the last touch.
  event::UserAccess access() const {
    const auto all = bench.events.of<event::UserAccess>();
    REQUIRE(all.size() == 1);
    return all[0];
  }

  KernelBench& bench;
  const D3DKMT_HANDLE handle;
};

void with_values(bool protects, const std::function<void(Values&)>& body) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.protects_values = protects;
  KernelBench bench(options);
  bench.run({[&](Kernel&) {
    Values values(bench);
    body(values);
  }});
}

/// Reads and writes the logs of a queue of one process by another.
struct Logs {
  Logs(Kernel& kernel, Process& of) : owner(of), request(kernel, of) {
    REQUIRE(request.create(16) == STATUS_SUCCESS);
  }
  NTSTATUS touch(Process& process, bool signals, bool write, std::uint64_t& value) {
    return request.kernel.user_access.touch_log(process, owner, request.args.hHwQueue, signals,
                                                write, value);
  }
  std::uint64_t bus(bool signals) {
    return request.kernel.system.of(owner)
        .logs->place_of(request.queue().logs, signals)
        .bus_address;
  }

  Process& owner;
  QueueRequest request;
};

}  // namespace

TEST_CASE("user mode reads CurrentValue and does not write it", "[calls]") {
  with_values(true, [](Values& it) {
    std::uint64_t value = 0;
    CHECK(it.touch(UserTarget::kReadCurrent, value) == STATUS_SUCCESS);
    CHECK(value == 5);
    CHECK(it.access().allowed);
    CHECK(it.access().target == UserTarget::kReadCurrent);
    CHECK(it.bench.events.of<event::CurrentValueRead>().at(0).reader == Reader::kUserPoll);
    value = 9;
    CHECK(it.touch(UserTarget::kWriteCurrent, value) == STATUS_ACCESS_VIOLATION);
    CHECK_FALSE(it.access().allowed);
    CHECK(it.value(it.handle) == 5);
  });
}

TEST_CASE("user mode writes CurrentValue where it is not protected", "[calls]") {
  with_values(false, [](Values& it) {
    std::uint64_t value = 9;
    CHECK(it.touch(UserTarget::kWriteCurrent, value) == STATUS_SUCCESS);
    CHECK(it.access().allowed);
    CHECK(it.value(it.handle) == 9);
  });
}

TEST_CASE("user mode reaches MonitoredValue only by a mapping of its page", "[calls]") {
  with_values(true, [](Values& it) {
    const NativeFence& fence = *it.process.fence(it.handle)->fence;
    std::uint64_t value = 9;
    CHECK(it.touch(UserTarget::kReadMonitored, value) == STATUS_ACCESS_VIOLATION);
    CHECK(value == 9);
    it.process.user_pages.map(fence.monitored_bus(), false);
    CHECK(it.touch(UserTarget::kWriteMonitored, value) == STATUS_ACCESS_VIOLATION);
    it.process.user_pages.map(fence.monitored_bus(), true);
    CHECK(it.touch(UserTarget::kWriteMonitored, value) == STATUS_SUCCESS);
    CHECK(it.kernel.adapter(0).port().read_memory(to_kernel_address(fence.monitored_bus())) == 9);
    CHECK(it.value(it.handle) == 5);
    value = 0;
    CHECK(it.touch(UserTarget::kReadMonitored, value) == STATUS_SUCCESS);
    CHECK(value == 9);
  });
}

TEST_CASE("an address is one of the kernel or one that CPU and GPU share", "[calls]") {
  KernelBench bench;
  bench.run({[&](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE handle = caller.monitored(0, 7);
    const void* const address = caller.process.sync_object(handle)->cpu_address;
    const auto read = [&](const void* at) {
      return kernel.user_access.read(caller.process, at, Reader::kUserPoll);
    };
    bench.events.all.clear();
    CHECK(read(address) == 7);
    CHECK(bench.events.of<event::CurrentValueRead>().at(0).reader == Reader::kUserPoll);
    const void* const shared =
        caller.process.add_shared_address(0x4000, caller.fence(handle).current_bus());
    CHECK(read(shared) == 7);
  }});
}

TEST_CASE("a cached page is read through caches that may hold an old value", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.host.io_coherent = false;
  support::run_in_kernel(
      [](Kernel& kernel) {
        FenceCaller caller(kernel);
        const D3DKMT_HANDLE handle = caller.monitored();
        const std::uint64_t bus = caller.fence(handle).current_bus();
        const auto read = [&] {
          return kernel.user_access.read(caller.process, to_kernel_address(bus), Reader::kUserPoll);
        };
        const std::uint64_t stored = 9;
        caller.process.cached_pages = {bus / kPage};
        CHECK(read() == 0);
        kernel.platform().system_memory().memory().bytes().write(bus, &stored, sizeof stored);
        CHECK(read() == 0);
        caller.process.cached_pages.clear();
        CHECK(read() == stored);
      },
      support::managed_kernel(), platform);
}

TEST_CASE("the value of a 32-bit fence is read whole", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].atomics64 = platform.gpus[0].native_fences = false;
  support::run_in_kernel(
      [](Kernel& kernel) {
        FenceCaller caller(kernel);
        const D3DKMT_HANDLE handle = caller.monitored(0, (3ULL << 32) + 2);
        const void* const address = caller.process.sync_object(handle)->cpu_address;
        CHECK(kernel.user_access.read(caller.process, address, Reader::kUserPoll) == 2);
        CHECK(kernel.user_access.read_value(caller.process, caller.fence(handle), address) ==
              (3ULL << 32) + 2);
      },
      support::managed_kernel(), platform);
}

TEST_CASE("the value of a native fence is the word in memory", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE handle = caller.native(0, (3ULL << 32) + 2);
    const LocalFence& local = *caller.process.fence(handle);
    CHECK(kernel.user_access.read_value(caller.process, *local.fence,
                                        local.mapping.CurrentValueCpuVa) == (3ULL << 32) + 2);
  });
}

TEST_CASE("no process reaches a protected log", "[calls]") {
  KernelBench bench;
  bench.run({[&](Kernel& kernel) {
    Logs logs(kernel, kernel.devices.create_process("app", 0));
    std::uint64_t value = 9;
    CHECK(logs.touch(logs.owner, true, false, value) == STATUS_ACCESS_VIOLATION);
    CHECK(logs.touch(logs.owner, false, true, value) == STATUS_ACCESS_VIOLATION);
    CHECK(value == 9);
    const auto accesses = bench.events.of<event::UserLogAccess>();
    REQUIRE(accesses.size() == 2);
    CHECK_FALSE(accesses[0].writes);
    CHECK(accesses[1].writes);
    CHECK(accesses[0].log != accesses[1].log);
    CHECK_FALSE(accesses[0].allowed);
    CHECK(accesses[0].process == logs.owner.object);
  }});
}

TEST_CASE("the owner of an unprotected log reads and writes it", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.protects_logs = false;
  support::run_in_kernel(
      [](Kernel& kernel) {
        Logs logs(kernel, kernel.devices.create_process("app", 0));
        Process& other = kernel.devices.create_process("other", 0);
        HostPortModel& port = kernel.adapter(0).port();
        std::uint64_t value = 9;
        CHECK(logs.touch(logs.owner, true, true, value) == STATUS_SUCCESS);
        CHECK(port.read_memory(to_kernel_address(logs.bus(true))) == 9);
        CHECK(port.read_memory(to_kernel_address(logs.bus(false))) != 9);
        value = 0;
        CHECK(logs.touch(logs.owner, true, false, value) == STATUS_SUCCESS);
        CHECK(value == 9);
        CHECK(logs.touch(other, true, false, value) == STATUS_ACCESS_VIOLATION);
      },
      options);
}

TEST_CASE("user mode touches the locked allocation that has the address", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    Caller caller(kernel);
    caller.process.managed.emplace_back();  // one that another thread is about to create
    Allocation& first = caller.make();
    Allocation& second = caller.make();
    REQUIRE(caller.lock(caller.handle_of(first)) == STATUS_SUCCESS);
    REQUIRE(caller.lock(caller.handle_of(second)) == STATUS_SUCCESS);
    const auto touch = [&](std::uint64_t address, bool write, std::uint64_t& value) {
      return kernel.user_access.touch_memory(caller.process, address, write, value);
    };
    std::uint64_t value = 42;
    CHECK(touch(second.user_address + 4096 + 12, true, value) == STATUS_SUCCESS);
    value = 0;
    CHECK(touch(second.user_address + 4096 + 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 42);
    CHECK(touch(first.user_address + 4096 + 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 0);
    CHECK(touch(first.user_address + first.pages * kPage - 1, false, value) == STATUS_SUCCESS);
    const std::uint64_t highest = std::max(first.user_address, second.user_address);
    CHECK(touch(highest + 2 * kPage, false, value) == STATUS_ACCESS_VIOLATION);
    second.exists = false;
    CHECK(touch(second.user_address, false, value) == STATUS_ACCESS_VIOLATION);
    second.exists = true;
  });
}

}  // namespace fenceline::os::test_user_access
