#pragma once

#include "tb/os/driver/kernel_address.h"
#include "tb/test/support/os_machine.h"

namespace fenceline::os::deferred_bench {

using common::kMillisecond;
using support::OsMachine;

inline OsMachine::Config with_contexts(bool log_driven = false) {
  OsMachine::Config config;
  config.options.contexts = true;
  config.options.ordering.os.log_driven = log_driven;
  config.platform.gpus[0].display.refresh_period = 16 * kMillisecond;
  config.platform.gpus[0].display.self_refresh_frames = 1;
  return config;
}

inline FenceNotification completion(UINT id, bool faulted = false) {
  FenceNotification told{};
  told.completions.push_back({0, id, faulted});
  return told;
}
inline FenceNotification monitored_signal() {
  FenceNotification told{};
  told.monitored = true;
  return told;
}

/// Two processes with a context each.
struct Bench {
  explicit Bench(const OsMachine::Config& config = with_contexts()) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      for (int i = 0; i < 2; ++i) {
        process[i] = &machine.kernel().devices.create_process("process", 0);
        context[i] = &table().create(machine.adapter(), "context", 0, nullptr);
        context[i]->owner = process[i];
        process[i]->contexts.push_back(context[i]);
      }
      body();
    });
  }
  ContextTable& table() { return machine.kernel().system.contexts->table; }
  /// A monitored fence of a process.
  std::shared_ptr<MonitoredFence> add_fence(Process& owner, UINT flags = 0) {
    auto fence = std::make_shared<MonitoredFence>();
    place(*fence);
    machine.kernel().system.monitored.add(fence);
    SyncObject object;
    object.fence = fence;
    object.flags = flags;
    owner.sync_objects[static_cast<D3DKMT_HANDLE>(++handles)] = object;
    return fence;
  }
  /// A native fence of a process.
  std::shared_ptr<NativeFence> add_native(Process& owner) {
    D3DKMT_CREATENATIVEFENCE args{};
    args.hDevice = owner.device();
    REQUIRE(machine.kernel().native_fences.D3DKMTCreateNativeFence(owner, args) == STATUS_SUCCESS);
    return owner.fence(args.hSyncObject)->fence;
  }
  void place(Fence& fence) {
    fence.adapter = &machine.adapter();
    fence.object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence.current.address = machine.kernel().system.pages.allocate(kPage);
    fence.current.bytes = kPage;
  }
  /// The GPU stores a value, and nobody is told.
  void store(const Fence& fence, std::uint64_t value) {
    machine.adapter().port().write_memory(to_kernel_address(fence.current_bus()), value);
  }
  Waiter& wait_for(const std::shared_ptr<MonitoredFence>& fence, std::uint64_t value) {
    Waiter& waiter = *waiters.emplace_back(std::make_unique<Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.kernel().system.monitored.wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  Waiter& wait_for(const std::shared_ptr<NativeFence>& fence, std::uint64_t value) {
    Waiter& waiter = *waiters.emplace_back(std::make_unique<Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.state().scheduler->wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  void submit(std::size_t which) {
    machine.kernel().system.contexts->submission.submit(*context[which], 0x1000, 64);
    while (context[which]->in_flight == 0) machine.sleep(kMillisecond);
  }
  void follow(const FenceNotification& told) {
    machine.dispatched([&] { machine.kernel().deferred_calls.follow(machine.state(), told); });
  }
  /// Spurious interrupts that a notification counts as.
  std::size_t spurious(const FenceNotification& told) {
    const auto& events = machine.watch<event::SpuriousInterrupt>();
    follow(told);
    return events.size();
  }

  OsMachine machine;
  KernelEvent woken{machine.steps()};
  Process* process[2]{};
  ContextQueue* context[2]{};
  std::vector<std::unique_ptr<Waiter>> waiters;
  std::size_t handles = 0;
};

}  // namespace fenceline::os::deferred_bench
