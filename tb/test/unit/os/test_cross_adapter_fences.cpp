// Fences that adapters share: what is made where, and what stays after a failure.
#include <catch2/catch.hpp>

#include "tb/test/support/os/native_fence_bench.h"

namespace fenceline::os::test_cross_adapter_fences {

namespace {

using support::FenceCaller;
using support::ScriptedDriver;
using Bench = support::NativeFenceBench;

constexpr UINT kCrossAdapter = FenceCaller::kCrossAdapter;
constexpr Ddi kCreate = Ddi::DxgkDdiCreateNativeFence;
constexpr Ddi kOpen = Ddi::DxgkDdiOpenNativeFence;
constexpr Ddi kDestroy = Ddi::DxgkDdiDestroyNativeFence;
constexpr Ddi kMonitored = Ddi::DxgkDdiUpdateMonitoredValues;

std::ptrdiff_t calls(Ddi ddi) { return ScriptedDriver::count(ddi); }

/// The part of a fence that belongs to no adapter.
MonitoredFence& origin_of(Bench& it, D3DKMT_HANDLE fence) { return *it.native_of(fence)->origin; }

KernelOptions without_zero() {
  KernelOptions options = support::managed_kernel();
  options.ordering.xad.mv_zero = false;
  return options;
}

}  // namespace

TEST_CASE("a cross-adapter fence that is not shared is refused", "[objects]") {
  support::with_native_fences([](Bench& it) {
    D3DKMT_HANDLE handle = 0;
    using Flags = FenceCaller::Flags;
    CHECK(it.first.create_native(handle, Flags::kCrossAdapter | Flags::kShared) ==
          STATUS_INVALID_PARAMETER);
    CHECK(it.first.create_native(handle, Flags::kCrossAdapter | Flags::kNtSecuritySharing) ==
          STATUS_INVALID_PARAMETER);
    CHECK(it.known().empty());
    CHECK(ScriptedDriver::calls.empty());
  });
}

TEST_CASE("a cross-adapter fence is open on the adapter of its creation", "[objects]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter, 7);
    MonitoredFence& origin = origin_of(it, fence);
    NativeFence& native = *it.native_of(fence);
    CHECK(it.known().size() == 1);
    CHECK(origin.on(native.adapter) == &native);
    CHECK(origin.native);
    CHECK_FALSE(origin.rings);
    CHECK(origin.opens == 1);
    CHECK(origin.last == 7);
    CHECK(native.shared);
    CHECK(native.initial_value == 7);
    CHECK(native.object == origin.object);
    CHECK(it.first.value(fence) == 7);
    CHECK(calls(kCreate) == 1);
    CHECK(calls(kOpen) == 1);
    const auto made = it.machine.events.of<event::FenceCreate>();
    REQUIRE(made.size() == 1);
    CHECK(made[0].fence == origin.object);
    CHECK(made[0].initial == 7);
  });
}

TEST_CASE("one adapter has one native fence for all its processes", "[objects]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter);
    CHECK(it.open(it.second, it.handle_of(fence)) == STATUS_SUCCESS);
    CHECK(it.known().size() == 1);
    CHECK(origin_of(it, fence).natives.size() == 1);
    CHECK(origin_of(it, fence).opens == 2);
    CHECK(calls(kCreate) == 1);
    CHECK(calls(kOpen) == 2);
  });
}

TEST_CASE("another adapter gets a native fence with the same value", "[objects]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter, 3);
    CHECK(it.open(it.elsewhere, it.handle_of(fence)) == STATUS_SUCCESS);
    MonitoredFence& origin = origin_of(it, fence);
    REQUIRE(origin.natives.size() == 2);
    CHECK(origin.opens == 2);
    CHECK(origin.natives[0]->adapter != origin.natives[1]->adapter);
    CHECK(origin.natives[1]->current_bus() == origin.natives[0]->current_bus());
    CHECK(origin.natives[1]->initial_value == 3);
    CHECK(calls(kCreate) == 2);
  });
}

TEST_CASE("the device gets a MonitoredValue of 0 for a fence that adapters share", "[objects]") {
  support::with_native_fences([](Bench& it) {
    ScriptedDriver::replace<kMonitored>([](DXGKARG_UPDATEMONITOREDVALUES* args) {
      CHECK(args->NumFences == 1);
      CHECK(args->UpdatedValueArray[0] == 0);
      return ScriptedDriver::stub<kMonitored>()(args);
    });
    const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter);
    CHECK(it.native_of(fence)->monitored_value == 0);
    CHECK(calls(kMonitored) == 1);
    it.first.native();
    CHECK(calls(kMonitored) == 1);
  });
}

TEST_CASE("without that order the MonitoredValue shows no waiter", "[objects]") {
  support::with_native_fences(
      [](Bench& it) {
        const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter);
        CHECK(it.native_of(fence)->monitored_value == UINT64_MAX);
        CHECK(calls(kMonitored) == 0);
      },
      without_zero());
}

TEST_CASE("a driver that makes no fence leaves none", "[objects]") {
  support::with_native_fences([](Bench& it) {
    ScriptedDriver::answer<kCreate>(STATUS_NO_MEMORY);
    D3DKMT_HANDLE handle = 0;
    CHECK(it.first.create_native(handle, kCrossAdapter) == STATUS_NO_MEMORY);
    CHECK(it.known().empty());
    CHECK(calls(kOpen) == 0);
    CHECK(calls(kDestroy) == 0);
    for (const auto& one : it.first.kernel.system.monitored.all()) {
      if (!one->native) continue;  // the fences of paging queues
      CHECK_FALSE(one->alive);
      CHECK_FALSE(one->usable);
    }
  });
}

TEST_CASE("a fence that cannot be opened is destroyed", "[objects]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter);
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    CHECK(it.open(it.elsewhere, it.handle_of(fence)) == STATUS_NO_MEMORY);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.known().size() == 1);
    CHECK(origin_of(it, fence).natives.size() == 1);
  });
}

TEST_CASE("failed creations use up no memory", "[objects]") {
  support::with_native_fences([](Bench& it) {
    // Memory of closed fences is reused after so many closes.
    const std::uint64_t round = 2ULL * SystemOptions().closes_together;
    const PagePool& pages = it.first.kernel.system.pages;
    const auto fail = [&](std::uint64_t times) {
      for (std::uint64_t i = 0; i < times; ++i) {
        D3DKMT_HANDLE handle = 0;
        CHECK(it.first.create_native(handle, kCrossAdapter) == STATUS_NO_MEMORY);
      }
    };
    const auto used_up = [&](std::uint64_t times) {
      const std::uint64_t before = pages.left();
      fail(times);
      return before - pages.left();
    };
    ScriptedDriver::answer<kCreate>(STATUS_NO_MEMORY);
    fail(round);
    CHECK(used_up(round) == 0);
    ScriptedDriver::replace<kCreate>(ScriptedDriver::stub<kCreate>());
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    fail(round);
    CHECK(used_up(round) == 0);
  });
}

TEST_CASE("GPUs that ring doorbells of each other need no MonitoredValue of 0", "[objects]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.peer_doorbells = PeerDoorbells::kQueues;
  support::with_native_fences(
      [](Bench& it) {
        const D3DKMT_HANDLE fence = it.first.native(kCrossAdapter);
        CHECK(origin_of(it, fence).rings);
        CHECK(it.native_of(fence)->monitored_value == UINT64_MAX);
      },
      options);
}

TEST_CASE("a fence of 32 bits has its low half in memory and is not opened as native",
          "[objects]") {
  support::with_native_fences([](Bench& it) {
    Kernel& kernel = it.first.kernel;
    AdapterState& state = kernel.system.of(it.first.process);
    const std::uint64_t initial = (std::uint64_t{1} << 32) + 5;
    const auto read = [&](const MonitoredFence& fence) {
      return state.adapter->port().read_memory(to_kernel_address(fence.current_bus()));
    };
    auto& shared = kernel.cross_adapter_fences;
    const auto narrow = shared.make(state, "narrow", initial, FenceCaller::kShared, true);
    CHECK(narrow->last == initial);
    CHECK(narrow->shared);
    CHECK(read(*narrow) == 5);
    const auto wide = shared.make(state, "wide", initial, 0, false);
    CHECK_FALSE(wide->shared);
    CHECK(read(*wide) == initial);
    LocalFence local{};
    CHECK(shared.open(it.first.process, *narrow, local) == STATUS_NOT_SUPPORTED);
    CHECK(ScriptedDriver::calls.empty());
  });
}

}  // namespace fenceline::os::test_cross_adapter_fences
