#include "tb/run/machine/faults.h"

#include <algorithm>
#include <set>

namespace fenceline::run {

using event::LinkFaultKind;
using scenario::FaultKind;

namespace {

common::Trigger trigger(const scenario::Fault& fault, std::uint32_t place) {
  common::Trigger result;
  result.at = fault.at;
  result.nth = fault.nth.value_or(0);
  result.every = fault.every.value_or(0);
  result.after = fault.after.value_or("");
  result.fault = place;
  return result;
}

LinkFaultKind link_kind(FaultKind kind) {
  switch (kind) {
    case FaultKind::kMessageLost:
      return LinkFaultKind::kMessageLost;
    case FaultKind::kMessageTwice:
      return LinkFaultKind::kMessageTwice;
    case FaultKind::kMessageLate:
      return LinkFaultKind::kMessageLate;
    default:
      return LinkFaultKind::kReplay;
  }
}

/// @param place in the list of faults, from 1
void add_fault(const scenario::Fault& fault, std::uint32_t place, top::GpuConfig& gpu) {
  if (fault.kind != FaultKind::kEngineHang && fault.kind != FaultKind::kEngineFault) {
    gpu.link.faults.push_back(
        {link_kind(fault.kind),
         fault.way.value_or(scenario::FaultWay::kUp) == scenario::FaultWay::kUp,
         fault.delay.value_or(0), trigger(fault, place)});
    return;
  }
  for (engine::EngineConfig& engine : gpu.engines)
    if (engine.name == fault.engine)
      (fault.kind == FaultKind::kEngineHang ? engine.hangs : engine.faults)
          .push_back(trigger(fault, place));
}

/// Processes on the GPU have hardware queues, which may hang.
bool has_queues(const scenario::Scenario& scenario, const top::GpuConfig& gpu) {
  return std::any_of(scenario.processes.begin(), scenario.processes.end(),
                     [&](const auto& process) {
                       const std::string& first = scenario.platform.gpus.front().name;
                       return !process.queues.empty() &&
                              (process.adapter.empty() ? first : process.adapter) == gpu.name;
                     });
}

/// The device of some process may come into error over other work than the hardware context of its
/// queues, which is suspended then. Where none can, the scheduler of the GPU has nothing to do, and
/// a search need not look at it.
bool suspends_in_error(const scenario::Scenario& scenario, const top::GpuConfig& gpu) {
  const std::string& first = scenario.platform.gpus.front().name;
  return std::any_of(scenario.processes.begin(), scenario.processes.end(),
                     [&](const auto& process) {
                       if ((process.adapter.empty() ? first : process.adapter) != gpu.name)
                         return false;
                       std::set<std::string> contexts;
                       for (const auto& queue : process.queues)
                         contexts.insert(queue.context.value_or(queue.name));
                       const bool other = !process.contexts.empty() || !process.allocations.empty();
                       return contexts.size() > 1 || (other && !contexts.empty());
                     });
}

}  // namespace

top::PlatformConfig with_faults(const scenario::Scenario& scenario) {
  const top::PlatformConfig& as_is = scenario.platform;
  top::PlatformConfig platform = as_is;
  for (top::GpuConfig& gpu : platform.gpus) {
    gpu.command_processor.schedules = scenario.platform.system.context_scheduling.enabled;
    if (!scenario.platform.system.finds_timeouts() || !has_queues(scenario, gpu)) continue;
    gpu.command_processor.engine_timeout = gpu.preemption.engine_timeout;
    if (suspends_in_error(scenario, gpu)) gpu.command_processor.schedules = true;
  }
  for (top::GpuConfig& gpu : platform.gpus)
    for (engine::EngineConfig& engine : gpu.engines) engine.seed = scenario.seed;
  std::uint32_t place = 0;
  for (const scenario::Fault& fault : scenario.faults) {
    const auto gpu = std::find_if(
        platform.gpus.begin(), platform.gpus.end(),
        [&](const top::GpuConfig& it) { return !fault.adapter || it.name == *fault.adapter; });
    add_fault(fault, ++place, *gpu);
    if (fault.kind == FaultKind::kEngineHang)
      gpu->command_processor.can_hang = gpu->cmp.engines_hang = true;
  }
  return platform;
}

}  // namespace fenceline::run
