#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tb/os/guard/kernel_address.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::support {

inline OsMachine::Config with_contexts(bool log_driven = false) {
  OsMachine::Config config;
  config.options.contexts = true;
  config.options.ordering.os.log_driven = log_driven;
  config.platform.gpus[0].display.refresh_period = 16 * common::kMillisecond;
  config.platform.gpus[0].display.self_refresh_frames = 1;
  return config;
}

inline os::FenceNotification completion(UINT id, bool faulted = false) {
  os::FenceNotification told{};
  told.completions.push_back({0, id, faulted});
  return told;
}
inline os::FenceNotification monitored_signal() {
  os::FenceNotification told{};
  told.monitored = true;
  return told;
}

/// Two processes with a context each.
struct DpcBench {
  explicit DpcBench(const OsMachine::Config& config = with_contexts()) : machine(config) {}

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
  os::ContextTable& table() { return machine.kernel().system.contexts->table; }
  /// A monitored fence of a process.
  std::shared_ptr<os::MonitoredFence> add_fence(os::Process& owner, UINT flags = 0) {
    auto fence = std::make_shared<os::MonitoredFence>();
    place(*fence);
    machine.kernel().system.monitored.add(fence);
    os::SyncObject object;
    object.fence = fence;
    object.flags = flags;
    owner.sync_objects[static_cast<D3DKMT_HANDLE>(++handles)] = object;
    return fence;
  }
  /// A native fence of a process.
  std::shared_ptr<os::NativeFence> add_native(os::Process& owner) {
    D3DKMT_CREATENATIVEFENCE args{};
    args.hDevice = owner.device();
    REQUIRE(machine.kernel().native_fences.D3DKMTCreateNativeFence(owner, args) == STATUS_SUCCESS);
    return owner.fence(args.hSyncObject)->fence;
  }
  /// The native fence on the first adapter of a fence that several share.
  std::shared_ptr<os::NativeFence> share(const std::shared_ptr<os::MonitoredFence>& origin) {
    auto native = std::make_shared<os::NativeFence>();
    place(*native);
    native->origin = origin;
    origin->natives.push_back(native.get());
    machine.kernel().system.fences.push_back(native);
    return native;
  }
  void place(os::Fence& fence) {
    fence.adapter = &machine.adapter();
    fence.object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence.current.address = machine.kernel().system.pages.allocate(os::kPage);
    fence.current.bytes = os::kPage;
  }
  /// The GPU stores a value, and nobody is told.
  void store(const os::Fence& fence, std::uint64_t value) {
    machine.adapter().port().write_memory(os::to_kernel_address(fence.current_bus()), value);
  }
  os::Waiter& wait_for(const std::shared_ptr<os::MonitoredFence>& fence, std::uint64_t value) {
    os::Waiter& waiter = *waiters.emplace_back(std::make_unique<os::Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.kernel().system.monitored.wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  os::Waiter& wait_for(const std::shared_ptr<os::NativeFence>& fence, std::uint64_t value) {
    os::Waiter& waiter = *waiters.emplace_back(std::make_unique<os::Waiter>());
    waiter.event = &woken;
    REQUIRE(machine.state().scheduler->wait(waiter, {{fence, value}}) == STATUS_SUCCESS);
    return waiter;
  }
  void submit(std::size_t which) {
    machine.kernel().system.contexts->submission.submit(*context[which], 0x1000, 64);
    while (context[which]->in_flight == 0) machine.sleep(common::kMillisecond);
  }
  void follow(const os::FenceNotification& told) {
    machine.dispatched([&] { machine.kernel().deferred_calls.follow(machine.state(), told); });
  }
  /// Spurious interrupts that a notification counts as.
  std::size_t spurious(const os::FenceNotification& told) {
    const auto& events = machine.watch<event::SpuriousInterrupt>();
    follow(told);
    return events.size();
  }

  OsMachine machine;
  os::KernelEvent woken{machine.steps()};
  os::Process* process[2]{};
  os::ContextQueue* context[2]{};
  std::vector<std::unique_ptr<os::Waiter>> waiters;
  std::size_t handles = 0;
};

}  // namespace fenceline::support
