// A process: the objects behind its handles.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/process.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_process {

namespace {

using support::FenceCaller;

void with_process(const std::function<void(Kernel&, Process&)>& body) {
  support::run_in_kernel([&](Kernel& kernel) {
    Process process(kernel.system.objects, 2);
    body(kernel, process);
  });
}

}  // namespace

TEST_CASE("a handle says its kind and device and index", "[dxgk]") {
  with_process([](Kernel&, Process& process) {
    CHECK(process.device() == (kDeviceHandle | 2U << kDeviceShift));
    CHECK(process.own(kContextHandle, 5) == (kContextHandle | 2U << kDeviceShift | 5U));
  });
}

TEST_CASE("a handle of another kind or device or index names no context", "[dxgk]") {
  with_process([](Kernel& kernel, Process& process) {
    ContextQueue first(kernel.simulation().steps, kernel.adapter(0));
    ContextQueue second(kernel.simulation().steps, kernel.adapter(0));
    process.contexts = {&first, &second};
    CHECK(process.context(process.own(kContextHandle, 1)) == &first);
    CHECK(process.context(process.own(kContextHandle, 2)) == &second);
    for (const D3DKMT_HANDLE bad :
         {process.own(kContextHandle, 0), process.own(kContextHandle, 3),
          process.own(kHwQueueHandle, 1), kContextHandle | 1U, D3DKMT_HANDLE{0}})
      CHECK(process.context(bad) == nullptr);
  });
}

TEST_CASE("an allocation that is not alive has no handle", "[dxgk]") {
  with_process([](Kernel& kernel, Process& process) {
    process.managed.resize(2);  // the first one is about to be created
    process.managed[1] = std::make_unique<Allocation>(kernel.simulation().steps);
    Allocation& made = *process.managed[1];
    CHECK(process.allocation(process.own(kAllocationHandle, 1)) == nullptr);
    CHECK(process.allocation(process.own(kAllocationHandle, 2)) == &made);
    CHECK(process.allocation(process.own(kAllocationHandle, 3)) == nullptr);
    made.alive = false;
    CHECK(process.allocation(process.own(kAllocationHandle, 2)) == nullptr);
  });
}

TEST_CASE("hardware contexts and queues have handles of their own kind", "[dxgk]") {
  with_process([](Kernel& kernel, Process& process) {
    process.hw_contexts.push_back(
        std::make_unique<HwContext>(kernel.simulation().steps, kernel.adapter(0)));
    process.queues.push_back(std::make_unique<HwQueue>());
    HwContext* const context = process.hw_contexts[0].get();
    HwQueue* const queue = process.queues[0].get();
    CHECK(process.hw_context(process.own(kHwContextHandle, 1)) == context);
    CHECK(process.hw_context(process.own(kHwContextHandle, 2)) == nullptr);
    CHECK(process.hw_context(process.own(kHwQueueHandle, 1)) == nullptr);
    CHECK(process.hw_queue(process.own(kHwQueueHandle, 1)) == queue);
    CHECK(process.hw_queue(process.own(kHwQueueHandle, 2)) == nullptr);
    CHECK(process.hw_queue(process.own(kHwContextHandle, 1)) == nullptr);
    CHECK(process.has(Adapter::Known::kHwContext, context));
    CHECK_FALSE(process.has(Adapter::Known::kHwContext, queue));
    CHECK(process.has(Adapter::Known::kHwQueue, queue));
    CHECK_FALSE(process.has(Adapter::Known::kHwQueue, context));
    CHECK_FALSE(process.has(Adapter::Known::kProcess, queue));
  });
}

TEST_CASE("drivers know a process by its address space", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    const Process& process = kernel.devices.create_process("app", 0);
    CHECK(process.has(Adapter::Known::kProcess, process.space.get()));
    CHECK_FALSE(process.has(Adapter::Known::kHwQueue, process.space.get()));
    CHECK_FALSE(process.has(Adapter::Known::kHwContext, process.space.get()));
  });
}

TEST_CASE("fixed memory is found by its first address only", "[dxgk]") {
  with_process([](Kernel&, Process& process) {
    process.fixed[0x1000] = {false, 0x5000, 4096};
    REQUIRE(process.fixed_memory(0x1000) != nullptr);
    CHECK(process.fixed_memory(0x1000)->address == 0x5000);
    CHECK(process.fixed_memory(0x1008) == nullptr);
  });
}

TEST_CASE("only a shared fence has an NT handle", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    FenceCaller caller(kernel);
    KernelEvent event(kernel.simulation().steps);
    Process& process = caller.process;
    for (const D3DKMT_HANDLE shared :
         {caller.monitored(FenceCaller::kShared), caller.native(FenceCaller::kShared)})
      CHECK(process.nt_handle(shared) == caller.fence(shared).os_handle());
    for (const D3DKMT_HANDLE other :
         {caller.monitored(), caller.native(), caller.cpu_event(event), D3DKMT_HANDLE{0}})
      CHECK(process.nt_handle(other) == nullptr);
  });
}

TEST_CASE("native fences of one adapter are those without a common part", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    FenceCaller caller(kernel);
    caller.native(FenceCaller::kCrossAdapter);
    const D3DKMT_HANDLE own = caller.native();
    const FenceList open = caller.process.signalled_natives();
    CHECK(open == FenceList{caller.process.fence(own)->fence});
  });
}

TEST_CASE("work for a closed fence has passed when each context has completed it", "[dxgk]") {
  with_process([](Kernel& kernel, Process&) {
    ContextQueue one(kernel.simulation().steps, kernel.adapter(0));
    ContextQueue other(kernel.simulation().steps, kernel.adapter(0));
    const Process::Closed<MonitoredFence> closed{{}, {{&one, 2}, {&other, 1}}};
    CHECK_FALSE(closed.passed());
    one.completed = 2;
    CHECK_FALSE(closed.passed());
    other.completed = 3;
    CHECK(closed.passed());
    one.completed = 1;
    one.ended = true;  // its work may still have signalled the fence
    CHECK_FALSE(closed.passed());
    CHECK(Process::Closed<MonitoredFence>().passed());
  });
}

TEST_CASE("closed fences are kept in mind as long as others have them", "[dxgk]") {
  auto first = std::make_shared<MonitoredFence>();
  first->object = 1;
  const auto second = std::make_shared<MonitoredFence>();
  second->object = 2;
  Process::ClosedFences<MonitoredFence> all;
  Process::keep_closed(all, first, {});
  Process::keep_closed(all, second, {});
  CHECK(all.size() == 2);
  Process::keep_closed(all, second, {{nullptr, 7}});
  CHECK(all.size() == 2);
  CHECK(all.at(2).marks.at(0).submitted == 7);
  first.reset();
  Process::keep_closed(all, second, {});
  CHECK(all.size() == 1);
  CHECK(all.at(2).fence.lock() == second);
}

TEST_CASE("a process remembers its events and its shared addresses", "[dxgk]") {
  with_process([](Kernel& kernel, Process& process) {
    KernelEvent event(kernel.simulation().steps);
    CHECK(process.add_event(event) == &event);
    CHECK(process.events == std::vector<KernelEvent*>{&event});
    CHECK(reinterpret_cast<std::uint64_t>(process.add_shared_address(0x4000, 0x9000)) == 0x4000);
    CHECK(process.shared_addresses.at(0x4000) == 0x9000);
  });
}

}  // namespace fenceline::os::test_process
