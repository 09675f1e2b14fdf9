// Native fences of processes: the order of the close.
#include <catch2/catch.hpp>
#include <utility>

#include "tb/os/calls/native_fence_calls.h"
#include "tb/test/support/os/native_fence_bench.h"
#include "tb/test/support/os/queue_request.h"

namespace fenceline::os::test_native_fence_calls_close {

namespace {

using support::FenceCaller;
using support::ScriptedDriver;
using Bench = support::NativeFenceBench;

constexpr UINT kShared = FenceCaller::kShared;
constexpr Ddi kClose = Ddi::DxgkDdiCloseNativeFence;
constexpr Ddi kDestroy = Ddi::DxgkDdiDestroyNativeFence;

std::ptrdiff_t calls(Ddi ddi) { return ScriptedDriver::count(ddi); }

}  // namespace

TEST_CASE("a close takes the handle and the waits before the driver closes the fence", "[calls]") {
  support::with_native_fences([](Bench& it) {
    KernelEvent event(it.first.kernel.simulation().steps);
    const D3DKMT_HANDLE handle = it.first.native();
    const std::shared_ptr<NativeFence> fence = it.native_of(handle);
    REQUIRE(it.first.wait({handle}, {1}, false, &event) == STATUS_SUCCESS);
    ScriptedDriver::replace<kClose>([&](HANDLE adapter, auto* args) {
      CHECK(it.first.process.fence(handle) == nullptr);
      CHECK(event.is_set());
      CHECK(fence->alive);
      return ScriptedDriver::stub<kClose>()(adapter, args);
    });
    ScriptedDriver::replace<kDestroy>([&](auto* args) {
      CHECK(fence->alive);
      CHECK(fence->devices.empty());
      return ScriptedDriver::stub<kDestroy>()(args);
    });
    ScriptedDriver::calls.clear();
    CHECK(it.first.destroy(handle) == STATUS_SUCCESS);
    CHECK(calls(kClose) == 1);
    CHECK(calls(kDestroy) == 1);
    CHECK_FALSE(fence->alive);
    CHECK(it.known().empty());
    CHECK(it.count<event::FenceDestroy>() == 1);
  });
}

TEST_CASE("the driver destroys a native fence after its last close", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(kShared);
    const std::shared_ptr<NativeFence> fence = it.native_of(shared);
    REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(calls(kClose) == 1);
    CHECK(calls(kDestroy) == 0);
    CHECK(fence->alive);
    CHECK(fence->devices == std::vector<const Process*>{&it.second.process});
    CHECK(it.first.process.closed_natives.at(fence->object).fence.lock() == fence);
    CHECK(it.known().size() == 1);
    CHECK(it.second.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.second.process.closed_natives.empty());
    CHECK(it.count<event::FenceClose>() == 2);
    CHECK(it.count<event::FenceDestroy>() == 1);
  });
}

TEST_CASE("a fence is destroyed when the close that began first is over", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(kShared);
    REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    const D3DKMT_HANDLE other = it.args.hSyncObject;
    bool meets = true;
    ScriptedDriver::replace<kClose>([&](HANDLE adapter, auto* args) {
      if (std::exchange(meets, false)) {
        CHECK(it.second.destroy(other) == STATUS_SUCCESS);
        CHECK(calls(kDestroy) == 0);
        CHECK(it.count<event::FenceClose>() == 1);
      }
      return ScriptedDriver::stub<kClose>()(adapter, args);
    });
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.count<event::FenceDestroy>() == 1);
  });
}

TEST_CASE("a DPC that looks at all fences finds one whose waits a close has not ended", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE handle = it.first.native();
    const std::shared_ptr<NativeFence> fence = it.native_of(handle);
    Process& process = it.first.process;
    ScriptedDriver::replace<kClose>([&](HANDLE adapter, auto* args) {
      CHECK(process.signalled_natives() == FenceList{fence});
      CHECK(process.native_of(handle) == fence);
      return ScriptedDriver::stub<kClose>()(adapter, args);
    });
    CHECK(it.first.destroy(handle) == STATUS_SUCCESS);
    CHECK(process.signalled_natives().empty());
    CHECK(process.native_of(handle) == nullptr);
  });
}

TEST_CASE("work of a process may signal a fence that it has closed until its end", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(kShared);
    const std::shared_ptr<NativeFence> fence = it.native_of(shared);
    REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    Process& process = it.first.process;
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(process.native_of(shared) == fence);
    CHECK(process.may_signal(*fence));
    CHECK(process.signalled_natives() == FenceList{fence});
    CHECK(it.second.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK(process.native_of(shared) == nullptr);
    CHECK(process.signalled_natives().empty());
  });
}

TEST_CASE("the last close on an adapter tells the others of signals that nobody has seen",
          "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
    const std::shared_ptr<MonitoredFence> origin = it.native_of(shared)->origin;
    REQUIRE(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_SUCCESS);
    ScriptedDriver::replace<kDestroy>([&](auto* args) {
      it.first.kernel.adapter(0).port().write_memory(to_kernel_address(origin->current_bus()), 3);
      return ScriptedDriver::stub<kDestroy>()(args);
    });
    ScriptedDriver::calls.clear();
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(calls(Ddi::DxgkDdiUpdateCurrentValuesFromCpu) == 1);
  });
}

TEST_CASE("an OS that does not count openings destroys a fence at the first close", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.refcount = false;
  support::with_native_fences(
      [](Bench& it) {
        const D3DKMT_HANDLE shared = it.first.native(kShared);
        REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
        CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
        CHECK(calls(kDestroy) == 1);
      },
      options);
}

TEST_CASE("a fence that adapters share ends with its last close on any of them", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
    const std::shared_ptr<NativeFence> here = it.native_of(shared);
    const std::shared_ptr<MonitoredFence> origin = here->origin;
    REQUIRE(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(origin->natives.size() == 2);
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK_FALSE(here->alive);
    CHECK(origin->usable);
    CHECK(origin->natives.size() == 1);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.count<event::FenceDestroy>() == 0);
    CHECK(it.first.process.closed_fences.at(origin->object).fence.lock() == origin);
    CHECK(it.first.process.closed_natives.empty());
    CHECK(it.elsewhere.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK_FALSE(origin->usable);
    CHECK(it.elsewhere.process.closed_fences.empty());
    CHECK(it.count<event::FenceDestroy>() == 1);
    CHECK(calls(kDestroy) == 2);
  });
}

TEST_CASE("a fence that adapters share stays there while a process of the adapter has it",
          "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
    const std::shared_ptr<MonitoredFence> origin = it.native_of(shared)->origin;
    REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(calls(kDestroy) == 0);
    CHECK(origin->natives.size() == 1);
    CHECK(it.first.process.closed_natives.empty());
    CHECK(it.first.process.closed_fences.size() == 1);
  });
}

TEST_CASE("adapters that ring each other for a fence are linked when they open it", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.peer_doorbells = PeerDoorbells::kFence;
  support::with_native_fences(
      [](Bench& it) {
        it.first.native();
        const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
        CHECK(calls(Ddi::DxgkDdiEscape) == 0);
        CHECK(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_SUCCESS);
        CHECK(calls(Ddi::DxgkDdiEscape) != 0);
      },
      options);
}

TEST_CASE("a close says whether the process has hardware queues", "[calls]") {
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE before = it.first.native();
    const D3DKMT_HANDLE after = it.first.native();
    it.first.destroy(before);
    support::QueueRequest request(it.first.kernel, it.first.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    it.first.destroy(after);
    const auto closes = it.machine.events.of<event::FenceClose>();
    REQUIRE(closes.size() == 2);
    CHECK_FALSE(closes[0].has_queues);
    CHECK(closes[1].has_queues);
  });
}

TEST_CASE("a fence leaves a list that has it", "[calls]") {
  FenceList list{std::make_shared<NativeFence>(), std::make_shared<NativeFence>()};
  const std::shared_ptr<NativeFence> kept = list[1];
  const std::shared_ptr<NativeFence> gone = list[0];
  remove(list, *gone);
  CHECK(list == FenceList{kept});
  remove(list, *gone);
  CHECK(list == FenceList{kept});
}

}  // namespace fenceline::os::test_native_fence_calls_close
