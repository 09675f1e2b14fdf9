// Processes and their devices: how they come and go.
#include <catch2/catch.hpp>

#include "tb/os/calls/device_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_device_calls {

namespace {

using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;

void with_process(const std::function<void(Kernel&, Process&, KernelBench&)>& body) {
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    Process& process = kernel.devices.create_process("app", 0, 3);
    ScriptedDriver::calls.clear();
    body(kernel, process, bench);
  }});
}

NTSTATUS create(Kernel& kernel, Process& process) {
  D3DKMT_CREATEDEVICE args{};
  const NTSTATUS status = kernel.devices.D3DKMTCreateDevice(process, args);
  CHECK(args.hDevice == process.device());
  return status;
}

NTSTATUS destroy(Kernel& kernel, Process& process) {
  return kernel.devices.D3DKMTDestroyDevice(process, {process.device()});
}

std::size_t destroyed() {
  return static_cast<std::size_t>(ScriptedDriver::count(Ddi::DxgkDdiDestroyDevice));
}

}  // namespace

TEST_CASE("a process comes with a device on its adapter", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    CHECK(process.has_device);
    CHECK(process.adapter == 0);
    CHECK(process.number == 3);
    CHECK(device_number(process.device()) == 3);
    CHECK(process.name == "app");
    CHECK(kernel.simulation().events.name(common::ObjectKind::kProcess, process.object) == "app");
    CHECK(process.space->device() != nullptr);
    CHECK(kernel.system.processes.back().get() == &process);
  });
}

TEST_CASE("a process may be on another adapter than the first", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus.push_back(platform.gpus[0]);
  platform.gpus[1].name = "gpu1";
  support::run_in_kernel(
      [](Kernel& kernel) {
        const Process& process = kernel.devices.create_process("app", 1);
        CHECK(&kernel.system.of(process) == &kernel.system.adapters[1]);
      },
      support::managed_kernel(), platform);
}

TEST_CASE("a process whose device the driver refuses does not come", "[calls]") {
  with_process([](Kernel& kernel, Process&, KernelBench&) {
    ScriptedDriver::answer<Ddi::DxgkDdiCreateDevice>(STATUS_NO_MEMORY);
    const std::size_t before = kernel.system.processes.size();
    CHECK_THROWS_AS(kernel.devices.create_process("other", 0), StartFailure);
    CHECK(kernel.system.processes.size() == before);
    CHECK(kernel.system.adapters[0].failure.has_value());
  });
}

TEST_CASE("the driver signals an event of a host process by its handle", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    KernelEvent event(kernel.simulation().steps);
    KernelEvent other(kernel.simulation().steps);
    const HANDLE handle = process.add_event(event);
    CHECK(process.space->signal_handle(&other) == STATUS_INVALID_HANDLE);
    CHECK_FALSE(event.is_set());
    CHECK(process.space->signal_handle(handle) == STATUS_SUCCESS);
    CHECK(event.is_set());
    event.clear();
    process.kind = ProcessKind::kGuest;
    CHECK(process.space->signal_handle(handle) == STATUS_INVALID_HANDLE);
    CHECK_FALSE(event.is_set());
  });
}

TEST_CASE("a device is destroyed once by its own handle", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    CHECK(kernel.devices.D3DKMTDestroyDevice(process, {process.device() + 1}) ==
          STATUS_INVALID_HANDLE);
    CHECK(process.has_device);
    CHECK(destroyed() == 0);
    HANDLE seen = nullptr;
    ScriptedDriver::replace<Ddi::DxgkDdiDestroyDevice>([&](HANDLE device) {
      seen = device;
      return STATUS_NO_MEMORY;
    });
    CHECK(destroy(kernel, process) == STATUS_NO_MEMORY);
    CHECK_FALSE(process.has_device);
    CHECK(seen == process.space->device());
    CHECK(destroy(kernel, process) == STATUS_INVALID_HANDLE);
    CHECK(destroyed() == 1);
  });
}

TEST_CASE("a device with a context or a hardware queue stays", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    QueueRequest request(kernel, process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    CHECK(destroy(kernel, process) == STATUS_INVALID_PARAMETER);
    Process& other = kernel.devices.create_process("other", 0);
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = other.device();
    REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(other, context) == STATUS_SUCCESS);
    CHECK(destroy(kernel, other) == STATUS_INVALID_PARAMETER);
    CHECK(process.has_device);
    CHECK(other.has_device);
    CHECK(destroyed() == 0);
  });
}

TEST_CASE("a device comes where there is none or in the place of one in error", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench& bench) {
    const HANDLE first = process.space->device();
    CHECK(create(kernel, process) == STATUS_INVALID_PARAMETER);
    CHECK(process.space->device() == first);
    process.in_error = true;
    CHECK(create(kernel, process) == STATUS_SUCCESS);
    CHECK_FALSE(process.in_error);
    CHECK(process.space->device() != first);
    REQUIRE(destroy(kernel, process) == STATUS_SUCCESS);
    CHECK(create(kernel, process) == STATUS_SUCCESS);
    CHECK(process.has_device);
    const auto made = bench.events.of<event::DeviceCreated>();
    REQUIRE(made.size() == 3);
    CHECK(made[0].status == static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER));
    CHECK(made[1].status == static_cast<std::uint32_t>(STATUS_SUCCESS));
  });
}

TEST_CASE("a blocked process gets no device", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    process.in_error = process.blocked = true;
    CHECK(create(kernel, process) == STATUS_DEVICE_REMOVED);
    CHECK(process.in_error);
    CHECK(ScriptedDriver::calls.empty());
  });
}

TEST_CASE("a device that the driver refuses changes nothing", "[calls]") {
  with_process([](Kernel& kernel, Process& process, KernelBench&) {
    const HANDLE first = process.space->device();
    ScriptedDriver::replace<Ddi::DxgkDdiCreateDevice>([&](HANDLE, DXGKARG_CREATEDEVICE* args) {
      CHECK(args->hKmdProcess == process.space->process());
      CHECK(args->hDevice == process.space.get());
      return STATUS_NO_MEMORY;
    });
    process.in_error = true;
    CHECK(create(kernel, process) == STATUS_NO_MEMORY);
    CHECK(process.in_error);
    REQUIRE(destroy(kernel, process) == STATUS_SUCCESS);
    CHECK(create(kernel, process) == STATUS_NO_MEMORY);
    CHECK_FALSE(process.has_device);
    CHECK(process.space->device() == first);
  });
}

}  // namespace fenceline::os::test_device_calls
