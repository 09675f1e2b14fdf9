#include "tb/run/waiting.h"

namespace fenceline::run {

namespace {

std::string fence_text(Machine& machine, const LastWriters& writers, const os::NativeFence& fence) {
  const LastWriters::Write write = writers.of(fence.object);
  const std::string by = write.agent == 0
                             ? "never written since it was created"
                             : "written last by " + machine.simulation().steps.name(write.agent) +
                                   " at " + std::to_string(write.time) + " ps";
  const std::uint64_t monitored = machine.monitored_value(fence);
  return fence.name + ": CurrentValue is " + std::to_string(machine.current_value(fence)) + ", " +
         by + "; MonitoredValue is " +
         (monitored == UINT64_MAX ? "none" : std::to_string(monitored));
}

}  // namespace

std::vector<std::string> explain_waiting(Machine& machine, const LastWriters& writers) {
  std::vector<std::string> lines;
  for (const auto& thread : machine.threads())
    if (!thread->finished)
      lines.push_back(
          "thread " + thread->name +
          (thread->waits_for.empty() ? " has not ended" : " waits for " + thread->waits_for));
  for (const auto& fence : machine.kernel().fences())
    for (const auto& [value, registration] : fence->waiters)
      lines.push_back("waiter " + std::to_string(registration.number) + " needs " + fence->name +
                      " >= " + std::to_string(value) + "; " + fence_text(machine, writers, *fence));
  common::EventStream& events = machine.simulation().events;
  for (std::size_t i = 0; i < machine.platform().gpu_count(); ++i) {
    top::Gpu& gpu = machine.platform().gpu(i);
    for (const auto& parked : gpu.command_processor().parked())
      for (const auto& fence : machine.kernel().fences())
        if (fence->object == parked.fence)
          lines.push_back("queue " + events.name(common::ObjectKind::kQueue, parked.queue) +
                          " is parked at WAIT " + fence->name +
                          " >= " + std::to_string(parked.value) + "; " +
                          fence_text(machine, writers, *fence));
    if (!gpu.quiet()) lines.push_back(gpu.config().name + " has writes on their way");
  }
  for (std::size_t i = 0; i < machine.platform().core_count(); ++i)
    if (machine.platform().core(i).interrupt_pending())
      lines.push_back("core" + std::to_string(i) +
                      " has a pending interrupt that it has not taken");
  for (const auto& held : machine.simulation().steps.held())
    lines.push_back("agent " + machine.simulation().steps.name(held.agent) + " is held before " +
                    common::operation_name(held.operation));
  return lines;
}

}  // namespace fenceline::run
