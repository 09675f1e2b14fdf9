// Storage of the values of native fences: in which memory, and which share a page.
#include <catch2/catch.hpp>
#include <utility>

#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_fence_storage {

using common::Home;
using support::OsMachine;

namespace {

OsMachine::Config with_caps(const std::function<void(kmd_host::DriverCaps&)>& change) {
  OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  change(config.options.driver_caps[0]);
  return config;
}
OsMachine::Config without_rules() {
  OsMachine::Config config =
      with_caps([](kmd_host::DriverCaps& caps) { caps.monitored_value_field = 64; });
  config.options.adapter.system.storage_rules = false;
  return config;
}

struct Bench {
  explicit Bench(const OsMachine::Config& config = {}) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      body();
    });
  }
  FenceStorage& storage() { return machine.kernel().fence_storage; }
  std::shared_ptr<NativeFence> store(bool shared, Home current = Home::kSysmem,
                                     Home monitored = Home::kSysmem) {
    auto fence = std::make_shared<NativeFence>();
    fence->adapter = &machine.adapter();
    fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence->shared = shared;
    fence->initial_value = 41;
    storage().store(machine.state(), *process, *fence, current, monitored);
    return fence;
  }
  std::uint64_t load(std::uint64_t bus) {
    return machine.adapter().port().read_memory(to_kernel_address(bus));
  }

  OsMachine machine;
  Process* process = nullptr;
};

/// Homes of the values of a fence that wants both in VRAM, or both in system memory.
std::pair<bool, bool> in_vram(Bench& bench, bool shared, Home wanted) {
  const auto fence = bench.store(shared, wanted, wanted);
  return {fence->current.vram, fence->monitored.vram};
}
using Places = std::pair<bool, bool>;

}  // namespace

TEST_CASE("the values of a new fence are stored before it is used") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& made = bench.machine.watch<event::FenceCreate>();
    const auto fence = bench.store(true);
    CHECK(bench.load(fence->current_bus()) == 41);
    CHECK(bench.load(fence->monitored_bus()) == UINT64_MAX);
    CHECK(made.size() == 1);
  }));
}

TEST_CASE("values are where they are wanted but a shared CurrentValue is in system memory") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(in_vram(bench, false, Home::kVram) == Places{true, true});
    CHECK(in_vram(bench, true, Home::kVram) == Places{false, true});
    CHECK(in_vram(bench, false, Home::kSysmem) == Places{false, false});
  }));
}

TEST_CASE("values are in the memory that the driver allows") {
  Bench bench(with_caps([](kmd_host::DriverCaps& caps) {
    caps.current_value_segments = kmd_host::kVramSegmentBit;
    caps.monitored_value_segments = kmd_host::kApertureSegmentBit;
  }));
  CHECK(bench.run([&] {
    CHECK(in_vram(bench, false, Home::kVram) == Places{true, false});
    CHECK(in_vram(bench, false, Home::kSysmem) == Places{true, false});
  }));
}

TEST_CASE("shared fences have pages of their own") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto first = bench.store(true);
    const auto second = bench.store(true);
    CHECK(first->packed_in == nullptr);
    CHECK(first->current.address != second->current.address);
    CHECK(first->monitored.address != second->monitored.address);
    CHECK(second->current_offset == 0);
    CHECK(second->monitored_offset == 0);
  }));
}

TEST_CASE("other fences of a process are packed at the distance of the driver") {
  Bench bench(with_caps([](kmd_host::DriverCaps& caps) { caps.monitored_value_field = 64; }));
  CHECK(bench.run([&] {
    const auto first = bench.store(false);
    const auto second = bench.store(false);
    CHECK(first->packed_in == bench.process);
    CHECK(first->current.address == second->current.address);
    CHECK(second->current_offset == first->current_offset + 8);
    CHECK(first->monitored.address == second->monitored.address);
    CHECK(second->monitored_offset == first->monitored_offset + 64);
    CHECK(first->monitored.address != first->current.address);
    for (int i = 2; i < 64; ++i) bench.store(false);
    const auto next = bench.store(false);  // the page of MonitoredValues is full
    CHECK(next->monitored_offset == 0);
    CHECK(next->monitored.address != first->monitored.address);
    CHECK(next->current.address == first->current.address);
  }));
}

TEST_CASE("all fences are packed and at no distance where the rules are removed") {
  Bench bench(without_rules());
  CHECK(bench.run([&] {
    const auto first = bench.store(true, Home::kVram);
    const auto second = bench.store(true, Home::kVram);
    CHECK(first->current.vram);
    CHECK(first->packed_in == bench.process);
    CHECK(second->monitored.address == first->monitored.address);
    CHECK(second->monitored_offset == first->monitored_offset + 8);
  }));
}

TEST_CASE("the place of a packed fence is used again") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.store(false);
    bench.store(false);
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    bench.storage().give_back(*fence);
    CHECK(freed.size() == 2);
    const auto again = bench.store(false);
    CHECK(again->current_bus() == fence->current_bus());
    CHECK(again->monitored_bus() == fence->monitored_bus());
    CHECK(bench.load(again->current_bus()) == 41);
  }));
}

TEST_CASE("the pages of a shared fence leave the user pages of all that had it") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.store(true);
    fence->note_user(*bench.process);
    bench.process->user_pages.map(fence->current_bus(), false);
    bench.storage().give_back(*fence);
    CHECK_FALSE(bench.process->user_pages.allows(fence->current_bus(), false));
    const auto again = bench.store(true);
    CHECK((again->current_bus() == fence->current_bus() ||
           again->current_bus() == fence->monitored_bus()));
  }));
}

TEST_CASE("a fence of several adapters gives only its MonitoredValue back") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.store(true);
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    fence->origin = std::make_shared<MonitoredFence>();
    bench.storage().give_back(*fence);
    REQUIRE(freed.size() == 1);
    CHECK(freed[0].address == fence->monitored.gpu_physical());
  }));
}

TEST_CASE("a monitored fence that gives its memory back is forgotten") {
  Bench bench;
  CHECK(bench.run([&] {
    auto fence = std::make_shared<MonitoredFence>();
    fence->adapter = &bench.machine.adapter();
    fence->current = {false, bench.machine.kernel().system.pages.allocate(kPage), kPage};
    bench.machine.kernel().fixed_memory.watch(
        fence->current, 0, 8, common::WatchKind::kCurrentValue, 1, bench.machine.state());
    bench.machine.kernel().system.monitored.add(fence);
    bench.storage().give_back(*fence);
    CHECK(bench.machine.kernel().system.monitored.all().empty());
  }));
}

TEST_CASE("only the MonitoredValue of a fence of several adapters is stored for each") {
  Bench bench;
  CHECK(bench.run([&] {
    auto fence = std::make_shared<NativeFence>();
    fence->adapter = &bench.machine.adapter();
    fence->shared = true;
    fence->origin = std::make_shared<MonitoredFence>();
    fence->monitored_value = 0;
    bench.storage().store_monitored(bench.machine.state(), *bench.process, *fence, Home::kVram);
    CHECK(fence->monitored.vram);
    CHECK(fence->current.bytes == 0);
    CHECK(bench.load(fence->monitored_bus()) == 0);
    CHECK(fence->packed_in == nullptr);
  }));
}

TEST_CASE("fence mappings are within the bounds of the driver") {
  constexpr std::uint64_t kLowest = 1ULL << 30;
  Bench bench(with_caps([](kmd_host::DriverCaps& caps) {
    caps.minimum_address = kLowest;
    caps.maximum_address = kLowest + (1ULL << 30) - 1;
  }));
  CHECK(bench.run([&] {
    const auto fence = bench.store(true);
    const auto at =
        bench.storage().map(*bench.process->space, bench.machine.adapter(), fence->current, true);
    CHECK(at >= kLowest);
    CHECK(at < kLowest + (1ULL << 30));
  }));
}

}  // namespace fenceline::os::test_fence_storage
