#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tb/os/guard/kernel_address.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::support {

inline OsMachine::Config with_ordering(const os::OsOrdering& ordering) {
  OsMachine::Config config;
  config.options.ordering.os = ordering;
  return config;
}

/// The scheduler of native fences of an adapter, over a driver double, with fences that only the
/// test knows.
struct FenceBench {
  using Point = os::FenceScheduler::Point;
  using Values = std::vector<UINT64>;

  explicit FenceBench(const OsMachine::Config& config = {}) : machine(config) {}
  explicit FenceBench(const os::OsOrdering& ordering) : FenceBench(with_ordering(ordering)) {}

  /// Runs `body` in a thread; false if it does not end.
  bool run(const std::function<void()>& body) { return machine.run_thread(body); }
  os::FenceScheduler& scheduler() { return *machine.state().scheduler; }

  // In a thread:
  std::shared_ptr<os::NativeFence> add() {
    auto fence = std::make_shared<os::NativeFence>();
    fence->adapter = &machine.adapter();
    fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence->driver_handle = fence.get();
    for (os::Backing* page : {&fence->current, &fence->monitored})
      *page = {false, machine.kernel().system.pages.allocate(os::kPage), os::kPage};
    scheduler().add(*fence);
    return fence;
  }
  /// The GPU stores a value, and nobody is told.
  void store(const os::Fence& fence, std::uint64_t value) {
    machine.adapter().port().write_memory(os::to_kernel_address(fence.current_bus()), value);
  }
  std::uint64_t load(const os::Fence& fence) {
    return machine.adapter().port().read_memory(os::to_kernel_address(fence.current_bus()));
  }
  os::Waiter& add_waiter(bool any = false) {
    os::Waiter& waiter = *waiters.emplace_back(std::make_unique<os::Waiter>());
    waiter.number = waiter.thread = static_cast<std::uint32_t>(waiters.size());
    waiter.event = &woken;
    waiter.any = any;
    return waiter;
  }
  os::Waiter& wait_for(const std::vector<Point>& points, bool any = false) {
    os::Waiter& waiter = add_waiter(any);
    CHECK(scheduler().wait(waiter, points) == STATUS_SUCCESS);
    return waiter;
  }
  os::Waiter& wait_for(const std::shared_ptr<os::NativeFence>& fence, std::uint64_t value) {
    return wait_for({{fence, value}});
  }
  /// An interrupt reports these fences. Returns the number of released waiters.
  std::size_t scan(const os::FenceList& fences) {
    os::FenceNotification told{};
    for (const auto& fence : fences) told.fences.push_back(fence->os_handle());
    return scheduler().scan(told, [](const os::FenceList&) {});
  }
  /// The MonitoredValues that the driver got for the fence so far.
  Values handed(const std::shared_ptr<os::NativeFence>& fence) const {
    Values result;
    for (const auto& call : machine.monitored)
      for (std::size_t i = 0; i < call.fences.size(); ++i)
        if (call.fences[i] == fence->driver_handle) result.push_back(call.values[i]);
    return result;
  }

  OsMachine machine;
  os::KernelEvent woken{machine.steps()};
  std::vector<std::unique_ptr<os::Waiter>> waiters;
};

/// First parameter of the bug check in a call; 0: none.
template <typename Call>
std::uint64_t stop_of(Call&& call) {
  try {
    call();
  } catch (const os::BugCheck& stop) {
    CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
    return stop.parameters().first;
  }
  return 0;
}

}  // namespace fenceline::support
