#pragma once

#include <functional>
#include <vector>

#include "tb/os/vidsch/hardware_scheduler.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::support {

inline os::ContextSchedulingOptions hw_rules() {
  os::ContextSchedulingOptions options;
  options.enabled = true;
  return options;
}

inline OsMachine::Config with_scheduling_gpu(bool schedules) {
  OsMachine::Config config;
  config.platform.gpus[0].command_processor.schedules = schedules;
  return config;
}

/// A scheduler of hardware contexts over a driver double, with two contexts. The first belongs to
/// the process &bench, the other one, on node 1, to the process &other.
struct HwBench {
  using Contexts = std::vector<const os::HwContext*>;
  using Change = std::function<void(os::PreemptionOptions&)>;

  explicit HwBench(const os::ContextSchedulingOptions& options = hw_rules(),
                   const Change& change = nullptr, bool schedules = false)
      : machine(with_scheduling_gpu(schedules)),
        rules(changed(change)),
        resets(machine.cpu(), rules),
        scheduler(machine.cpu(), options, rules, resets) {
    context.driver_handle = &context.number;
    context.owner = this;
    other.driver_handle = &other.number;
    other.owner = &other;
    other.node = 1;
    scheduler.on_lost = [this](const os::HwContext& one) { lost.push_back(&one); };
    scheduler.on_blocked = [this](const os::HwContext& one) { blocked.push_back(&one); };
  }
  /// A GPU whose command processor schedules.
  explicit HwBench(bool schedules) : HwBench(hw_rules(), nullptr, schedules) {}

  /// Runs `body` in a thread when the scheduler knows the contexts; false if it does not end.
  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      scheduler.add(context);
      scheduler.add(other);
      body();
    });
  }
  /// The driver reports a suspension.
  void completed(os::HwContext& which, UINT64 fence) {
    machine.dispatched([&] { scheduler.completed(machine.adapter(), &which, fence); });
  }
  /// The driver reports that a context is lost.
  NTSTATUS lose(os::HwContext& which, UINT flags = 0) {
    return scheduler.invalidated(machine.adapter(), &which, flags);
  }

  OsMachine machine;
  const os::PreemptionOptions rules;
  os::AdapterResets resets;
  os::HardwareScheduler scheduler;
  os::HwContext context{machine.steps(), machine.adapter()};
  os::HwContext other{machine.steps(), machine.adapter()};
  Contexts lost, blocked;  ///< reported by the scheduler, in order

 private:
  static os::PreemptionOptions changed(const Change& change) {
    os::PreemptionOptions rules;
    rules.tdr_delay = 100 * common::kMillisecond;
    if (change) change(rules);
    return rules;
  }
};

}  // namespace fenceline::support
