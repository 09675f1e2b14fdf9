// Driver calls about native fences, and the mappings that go with them.
#include <catch2/catch.hpp>

#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_fence_driver {

using support::OsMachine;
using Calls = std::vector<std::string>;

namespace {

OsMachine::Config with_system(const std::function<void(SystemOptions&)>& change) {
  OsMachine::Config config;
  change(config.options.adapter.system);
  return config;
}

/// A stored native fence.
struct Bench {
  explicit Bench(const OsMachine::Config& config = {}) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      fence->adapter = &machine.adapter();
      fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
      fence->shared = true;
      machine.kernel().fence_storage.store(machine.state(), *process, *fence, common::Home::kSysmem,
                                           common::Home::kSysmem);
      body();
    });
  }
  FenceDriver& driver() { return machine.kernel().fence_driver; }
  NTSTATUS create() { return driver().create(machine.state(), *fence, private_data); }
  NTSTATUS open() { return driver().open(machine.state(), *process, fence, local); }

  OsMachine machine;
  Process* process = nullptr;
  std::shared_ptr<NativeFence> fence = std::make_shared<NativeFence>();
  LocalFence local;
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {7};
};

}  // namespace

TEST_CASE("the driver gets the addresses of a fence in the system process") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_SUCCESS);
    REQUIRE(bench.machine.created_fences.size() == 1);
    const DXGKARG_CREATENATIVEFENCE& args = bench.machine.created_fences[0];
    CHECK(args.hGlobalNativeFence == bench.fence->os_handle());
    CHECK(args.CurrentValueSystemProcessGpuVa != 0);
    CHECK(args.MonitoredValueSystemProcessGpuVa != 0);
    CHECK(args.CurrentValueSystemProcessGpuVa != args.MonitoredValueSystemProcessGpuVa);
    CHECK(args.pPrivateDriverData[0] == 7);
    CHECK(bench.fence->private_data[0] == bench.private_data[0]);
    CHECK(bench.fence->driver_handle != nullptr);
    CHECK(bench.fence->driver_handle != bench.fence->os_handle());
    REQUIRE(bench.fence->system_mappings.size() == 2);
    CHECK(bench.fence->system_mappings[1].address == args.MonitoredValueSystemProcessGpuVa);
  }));
}

TEST_CASE("addresses in the system process without a mapping are not kept") {
  Bench bench(with_system([](SystemOptions& system) { system.maps_for_the_cmp = false; }));
  CHECK(bench.run([&] {
    bench.create();
    CHECK(bench.machine.created_fences[0].CurrentValueSystemProcessGpuVa != 0);
    CHECK(bench.fence->system_mappings.empty());
  }));
}

TEST_CASE("a driver that wants no addresses in the system process gets none") {
  OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].map_to_system_process = false;
  Bench bench(config);
  CHECK(bench.run([&] {
    CHECK(bench.create() == STATUS_SUCCESS);
    CHECK(bench.machine.created_fences[0].CurrentValueSystemProcessGpuVa == 0);
    CHECK(bench.fence->system_mappings.empty());
  }));
}

TEST_CASE("a fence is opened with read-only values of the CPU and addresses of its process") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    const auto& opened = bench.machine.watch<event::FenceOpen>();
    CHECK(bench.open() == STATUS_SUCCESS);
    const DXGKARG_OPENNATIVEFENCE& args = bench.machine.opened_fences[0];
    CHECK(args.hGlobalNativeFence == bench.fence->driver_handle);
    CHECK(args.hDevice == bench.process->space->device());
    CHECK(args.CurrentValueGpuVa == bench.local.mapping.CurrentValueGpuVa);
    CHECK(args.MonitoredValueGpuVa == bench.local.mapping.MonitoredValueGpuVa);
    CHECK(args.MonitoredValueGpuVa != args.CurrentValueGpuVa);
    CHECK(bench.fence->opens == 1);
    CHECK(bench.fence->devices == std::vector<const Process*>{bench.process});
    CHECK(bench.fence->users == std::vector<Process*>{bench.process});
    CHECK(bench.local.fence == bench.fence);
    CHECK(bench.local.object->open);
    CHECK(bench.local.object->process == bench.process->object);
    CHECK(bench.process->user_pages.allows(bench.fence->current_bus(), false));
    CHECK_FALSE(bench.process->user_pages.allows(bench.fence->current_bus(), true));
    CHECK(opened.size() == 1);
  }));
}

TEST_CASE("user mode may write the value of a fence where that rule is removed") {
  Bench bench(with_system([](SystemOptions& system) { system.protects_values = false; }));
  CHECK(bench.run([&] {
    bench.create();
    bench.open();
    CHECK(bench.process->user_pages.allows(bench.fence->current_bus(), true));
  }));
}

TEST_CASE("a fence that the driver does not open is not open") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    const auto& opened = bench.machine.watch<event::FenceOpen>();
    bench.fence->origin = std::make_shared<MonitoredFence>();
    bench.fence->origin->opens = 2;
    bench.machine.open_status = STATUS_NO_MEMORY;
    CHECK(bench.open() == STATUS_NO_MEMORY);
    CHECK(bench.fence->opens == 0);
    CHECK(bench.fence->origin->opens == 1);
    CHECK(bench.fence->devices.empty());
    CHECK(opened.empty());
  }));
}

TEST_CASE("a fence is closed and destroyed by its handles") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.create();
    bench.open();
    FenceDriver::close(bench.local);
    FenceDriver::destroy(*bench.fence);
    CHECK(bench.machine.fence_calls == Calls{"create", "open", "close", "destroy"});
    const GpuMappings mappings = FenceDriver::mappings(*bench.process, bench.local);
    REQUIRE(mappings.size() == 2);
    CHECK(mappings[0].space == bench.process->space.get());
    CHECK(mappings[0].address == bench.local.mapping.CurrentValueGpuVa);
    CHECK(mappings[1].address == bench.local.mapping.MonitoredValueGpuVa);
  }));
}

}  // namespace fenceline::os::test_fence_driver
