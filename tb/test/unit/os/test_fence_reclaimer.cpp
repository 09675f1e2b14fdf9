// When addresses and memory of closed fences are used again.
#include <catch2/catch.hpp>

#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_fence_reclaimer {

using common::Home;
using support::OsMachine;

namespace {

OsMachine::Config with_contexts() {
  OsMachine::Config config;
  config.options.contexts = true;
  return config;
}

struct Bench {
  explicit Bench(const OsMachine::Config& config = {}) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      other = &machine.kernel().devices.create_process("other", 0);
      body();
    });
  }
  FenceReclaimer& reclaimer() { return machine.kernel().fence_reclaimer; }
  std::shared_ptr<NativeFence> store() {
    auto fence = std::make_shared<NativeFence>();
    fence->adapter = &machine.adapter();
    fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence->shared = true;
    machine.kernel().fence_storage.store(machine.state(), *process, *fence, Home::kSysmem,
                                         Home::kSysmem);
    return fence;
  }
  /// Closes that complete the number after which fences are reclaimed.
  void close_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) reclaimer().add(*process, nullptr, false, {});
  }
  /// A new mapping; addresses are used again in the reverse order.
  D3DGPU_VIRTUAL_ADDRESS map(Process& in) {
    return in.space->map({false, machine.kernel().system.pages.allocate(kPage), kPage}, true);
  }

  OsMachine machine;
  Process* process = nullptr;
  Process* other = nullptr;
};

const std::size_t kTogether = SystemOptions().closes_together;

}  // namespace

TEST_CASE("the memory and the addresses of a fence are free when enough fences are closed") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    const D3DGPU_VIRTUAL_ADDRESS address = bench.map(*bench.process);
    bench.reclaimer().add(*bench.process, bench.store(), true,
                          {{bench.process->space.get(), address}});
    bench.close_others(kTogether - 2);
    CHECK(freed.empty());
    CHECK(bench.map(*bench.process) != address);
    bench.close_others(1);
    CHECK(freed.size() == 2);
    CHECK(bench.map(*bench.process) == address);
  }));
}

TEST_CASE("the number of closes that share a flush is an option") {
  OsMachine::Config config;
  config.options.adapter.system.closes_together = 2;
  Bench bench(config);
  CHECK(bench.run([&] {
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    bench.reclaimer().add(*bench.process, bench.store(), true, {});
    CHECK(freed.empty());
    bench.close_others(1);
    CHECK(freed.size() == 2);
  }));
}

TEST_CASE("a fence that other processes have open keeps its memory") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    const D3DGPU_VIRTUAL_ADDRESS address = bench.map(*bench.process);
    const auto fence = bench.store();
    fence->system_mappings = {{bench.machine.state().system.get(), 0x5000}};
    bench.reclaimer().add(*bench.process, fence, false, {{bench.process->space.get(), address}});
    bench.close_others(kTogether - 1);
    CHECK(freed.empty());
    CHECK(bench.map(*bench.process) == address);
  }));
}

TEST_CASE("the last close takes the mappings of the system process along") {
  Bench bench;
  CHECK(bench.run([&] {
    AddressSpace& system = *bench.machine.state().system;
    const Backing page{false, bench.machine.kernel().system.pages.allocate(kPage), kPage};
    const D3DGPU_VIRTUAL_ADDRESS address = system.map(page, true);
    auto fence = bench.store();
    fence->system_mappings = {{&system, address}};
    bench.reclaimer().add(*bench.process, fence, true, {});
    fence.reset();
    bench.close_others(kTogether - 1);
    CHECK(system.map(page, true) == address);
  }));
}

TEST_CASE("a fence is not reclaimed before the work that was submitted until its close") {
  Bench bench(with_contexts());
  CHECK(bench.run([&] {
    ContextTable& table = bench.machine.kernel().system.contexts->table;
    ContextQueue& context = table.create(bench.machine.adapter(), "context", 0, nullptr);
    context.owner = bench.process;
    context.submitted = 1;
    const auto& freed = bench.machine.watch<event::FenceStorageFree>();
    auto fence = bench.store();
    fence->users = {bench.process};
    bench.reclaimer().add(*bench.other, std::move(fence), true, {});
    const auto close_others = [&] {
      for (std::size_t i = 0; i < kTogether; ++i)
        bench.reclaimer().add(*bench.other, nullptr, false, {});
    };
    close_others();
    CHECK(freed.empty());
    context.completed = 1;
    close_others();
    CHECK(freed.size() == 2);
  }));
}

TEST_CASE("a close that is not the last waits for the work of its own process only") {
  Bench bench(with_contexts());
  CHECK(bench.run([&] {
    ContextTable& table = bench.machine.kernel().system.contexts->table;
    ContextQueue& context = table.create(bench.machine.adapter(), "context", 0, nullptr);
    context.owner = bench.other;
    context.submitted = 1;
    const auto fence = bench.store();
    fence->users = {bench.process, bench.other};
    const D3DGPU_VIRTUAL_ADDRESS address = bench.map(*bench.process);
    bench.reclaimer().add(*bench.process, fence, false, {{bench.process->space.get(), address}});
    bench.close_others(kTogether - 1);
    CHECK(bench.map(*bench.process) == address);
  }));
}

}  // namespace fenceline::os::test_fence_reclaimer
