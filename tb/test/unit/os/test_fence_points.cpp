// Fences that a call names: all of one kind, in order, or the status of the first bad object.
#include <catch2/catch.hpp>

#include "tb/os/calls/fence_points.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_fence_points {

namespace {

using support::FenceCaller;
using Flags = FenceCaller::Flags;
using Handles = FenceCaller::Handles;

struct Bench : FenceCaller {
  explicit Bench(Kernel& of) : FenceCaller(of) {}

  /// Points with values from 7; objects with NoWait are refused.
  FencePoints points(const Handles& handles) {
    std::vector<UINT64> values(handles.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 7 + i;
    return fence_points(process, static_cast<UINT>(handles.size()), handles.data(), values.data(),
                        Flags::kNoWait);
  }
  NTSTATUS status(const Handles& handles) {
    const FencePoints result = points(handles);
    if (!NT_SUCCESS(result.status)) CHECK(result.monitored.empty());
    if (!NT_SUCCESS(result.status)) CHECK(result.native.empty());
    return result.status;
  }
};

void with_bench(const std::function<void(Bench&)>& body) {
  support::run_in_kernel([&](Kernel& kernel) {
    Bench bench(kernel);
    body(bench);
  });
}

}  // namespace

TEST_CASE("a call that names no fence has no points", "[calls]") {
  with_bench([](Bench& bench) {
    const D3DKMT_HANDLE fence = bench.monitored();
    const UINT64 value = 1;
    const auto status = [&](UINT count, const D3DKMT_HANDLE* handles, const UINT64* values) {
      return fence_points(bench.process, count, handles, values, 0).status;
    };
    CHECK(status(1, &fence, &value) == STATUS_SUCCESS);
    CHECK(status(0, &fence, &value) == STATUS_INVALID_PARAMETER);
    CHECK(status(1, nullptr, &value) == STATUS_INVALID_PARAMETER);
    CHECK(status(1, &fence, nullptr) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("points of monitored fences have fences with values and handles in order", "[calls]") {
  with_bench([](Bench& bench) {
    const Handles fences{bench.monitored(), bench.monitored()};
    const FencePoints found = bench.points(fences);
    CHECK(found.status == STATUS_SUCCESS);
    CHECK(found.native.empty());
    REQUIRE(found.monitored.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(found.monitored[i].fence.get() == &bench.fence(fences[i]));
      CHECK(found.monitored[i].value == 7 + i);
      CHECK(found.monitored[i].through == bench.process.sync_object(fences[i])->object);
    }
  });
}

TEST_CASE("points of native fences have fences with values and handles in order", "[calls]") {
  with_bench([](Bench& bench) {
    const Handles fences{bench.native(), bench.native()};
    const FencePoints found = bench.points(fences);
    CHECK(found.status == STATUS_SUCCESS);
    CHECK(found.monitored.empty());
    REQUIRE(found.native.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(found.native[i].fence.get() == &bench.fence(fences[i]));
      CHECK(found.native[i].value == 7 + i);
      CHECK(found.native[i].through == bench.process.fence(fences[i])->object);
    }
  });
}

TEST_CASE("a native fence that adapters share is named as their common fence", "[calls]") {
  with_bench([](Bench& bench) {
    const D3DKMT_HANDLE shared = bench.native(FenceCaller::kCrossAdapter);
    const FencePoints found = bench.points({bench.monitored(), shared});
    CHECK(found.status == STATUS_SUCCESS);
    REQUIRE(found.monitored.size() == 2);
    CHECK(found.monitored[1].fence == bench.process.fence(shared)->fence->origin);
    CHECK(found.monitored[1].through == bench.process.fence(shared)->object);
    CHECK(found.native.empty());
  });
}

TEST_CASE("a call names fences of one kind", "[calls]") {
  with_bench([](Bench& bench) {
    const D3DKMT_HANDLE monitored = bench.monitored();
    const D3DKMT_HANDLE native = bench.native();
    CHECK(bench.status({monitored, native}) == STATUS_INVALID_PARAMETER);
    CHECK(bench.status({native, monitored}) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("a bad handle is a bad handle among fences of any kind", "[calls]") {
  with_bench([](Bench& bench) {
    const D3DKMT_HANDLE monitored = bench.monitored();
    const D3DKMT_HANDLE native = bench.native();
    const D3DKMT_HANDLE bad = monitored + 100;
    CHECK(bench.status({bad}) == STATUS_INVALID_HANDLE);
    CHECK(bench.status({native, bad}) == STATUS_INVALID_HANDLE);
    CHECK(bench.status({monitored, bad}) == STATUS_INVALID_HANDLE);
    CHECK(bench.status({bad, monitored}) == STATUS_INVALID_HANDLE);
  });
}

TEST_CASE("an object that the call may not name is refused and one that is no fence", "[calls]") {
  with_bench([](Bench& bench) {
    KernelEvent event(bench.kernel.simulation().steps);
    const D3DKMT_HANDLE fence = bench.monitored();
    const D3DKMT_HANDLE refused = bench.monitored(Flags::kNoWait);
    const D3DKMT_HANDLE other = bench.monitored(Flags::kNoSignal);
    const D3DKMT_HANDLE no_fence = bench.cpu_event(event);
    CHECK(bench.status({fence, other}) == STATUS_SUCCESS);
    CHECK(bench.status({fence, refused}) == STATUS_ACCESS_DENIED);
    CHECK(bench.status({fence, no_fence}) == STATUS_INVALID_PARAMETER);
    CHECK(bench.status({refused, no_fence}) == STATUS_ACCESS_DENIED);
    CHECK(bench.status({no_fence, refused}) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("a list of native fences needs good handles of native fences only", "[calls]") {
  with_bench([](Bench& bench) {
    const Handles good{bench.native(), bench.native()};
    const Handles bad{good[0], bench.monitored()};
    const UINT64 values[] = {3, 4};
    const auto found = native_points(bench.process, 2, good.data(), values);
    REQUIRE(found.size() == 2);
    CHECK(found[1].fence.get() == &bench.fence(good[1]));
    CHECK(found[1].value == 4);
    CHECK(found[1].through == bench.process.fence(good[1])->object);
    CHECK(native_points(bench.process, 2, bad.data(), values).empty());
  });
}

}  // namespace fenceline::os::test_fence_points
