#include <catch2/catch.hpp>

#include "tb/os/objects/handles.h"
#include "tb/os/vidmm/memory_requests.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_memory_requests {

namespace {

using Kind = MemoryRequest::Kind;

MemoryRequest request_for(Kind kind, Allocation& allocation) {
  MemoryRequest request;
  request.kind = kind;
  request.list = {&allocation};
  return request;
}

}  // namespace

TEST_CASE("only an evict or a release that is not served ends the use of an allocation",
          "[memory]") {
  support::run_in_kernel([](Kernel& kernel) {
    VideoMemoryState state(kernel.cpu(), kernel.adapter(0), *kernel.system.contexts,
                           kernel.system.monitored, kernel.platform().system_memory(),
                           kernel.platform().caches(), true);
    Allocation named(kernel.simulation().steps);
    Allocation other(kernel.simulation().steps);
    for (const Kind kind : {Kind::kMakeResident, Kind::kEvict, Kind::kRelease, Kind::kDestroy,
                            Kind::kMoveOut, Kind::kState}) {
      MemoryRequests requests(state);
      CHECK_FALSE(requests.end_use_of(named));
      state.work.clear();
      Process process(kernel.system.objects);
      MemoryRequest request = request_for(kind, named);
      request.process = &process;
      CHECK(requests.ask(std::move(request)) == (kind == Kind::kMakeResident ? 1 : 0));
      CHECK(state.work.is_set());
      const bool ends = kind == Kind::kEvict || kind == Kind::kRelease;
      CHECK(requests.end_use_of(named) == ends);
      CHECK_FALSE(requests.end_use_of(named, &requests.all().front()));
      CHECK_FALSE(requests.end_use_of(other));
    }
  });
}

TEST_CASE("a request that is waited for returns when it is served", "[memory]") {
  support::KernelBench bench;
  VideoMemoryState state(bench.kernel().cpu(), bench.kernel().adapter(0),
                         *bench.kernel().system.contexts, bench.kernel().system.monitored,
                         bench.platform().system_memory(), bench.platform().caches(), true);
  MemoryRequests requests(state);
  Allocation allocation(bench.simulation().steps);
  bool served = false;
  bench.run({[&](Kernel& /*kernel*/) {
               requests.ask_and_wait(request_for(Kind::kMoveOut, allocation));
               CHECK(served);
             },
             [&](Kernel& kernel) {
               kernel.cpu().compute(common::kMillisecond);
               REQUIRE(requests.all().size() == 1);
               served = true;
               requests.all().front().done->set();
             }});
}

TEST_CASE("a handle tells which device of its process has given it out", "[handles]") {
  for (std::size_t number : {std::size_t{0}, std::size_t{7}, kMaxDevices - 1}) {
    const auto handle = static_cast<D3DKMT_HANDLE>(kContextHandle | number << kDeviceShift | 5);
    CHECK(device_number(handle) == number);
  }
  CHECK(adapter_handle(0) == (kAdapterHandle | 1));
  CHECK(adapter_handle(3) != adapter_handle(2));
}

}  // namespace fenceline::os::test_memory_requests
