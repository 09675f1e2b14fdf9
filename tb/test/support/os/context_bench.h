#pragma once

#include "tb/os/contexts/context_scheduler.h"
#include "tb/test/support/mock_host_port.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::support {

/// The parts of VidSch that feed contexts, over a driver double. Their thread does not run: a test
/// calls the parts itself, in a thread of the machine.
struct ContextBench {
  static os::PreemptionOptions preempting() {
    os::PreemptionOptions options;
    options.enabled = true;
    return options;
  }
  explicit ContextBench(const os::PreemptionOptions& options = preempting(),
                        const OsMachine::Config& config = {})
      : machine(config),
        resets(machine.cpu(), options),
        parts(machine.cpu(), machine.kernel().system.monitored, config.options.ordering.os, options,
              resets) {}

  /// Runs `body` in a thread; false if it does not end.
  bool run(const std::function<void()>& body) { return machine.run_thread(body); }

  // In a thread:
  os::ContextQueue& create(const void* owner = nullptr, UINT node = 0, INT priority = 0) {
    os::ContextQueue& context =
        parts.table.create(machine.adapter(), "context", node, opaque(parts.table.contexts.size()));
    context.owner = owner;
    context.priority = priority;
    return context;
  }
  /// Submits a buffer.
  void submit(os::ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address = 0x1000) {
    parts.submission.submit(context, address, 64);
  }
  /// Gives the head of the context to its node, as the thread of VidSch does; false if it waits.
  bool give(os::ContextQueue& context) {
    auto& list = context.preempted.empty() ? context.packets : context.preempted;
    if (!parts.dispatch.run_buffer(context, list.front())) return false;
    list.pop_front();
    return true;
  }
  /// Submits buffers and gives them to the node.
  void run_buffers(os::ContextQueue& context, std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i) submit(context);
    for (std::size_t i = 0; i < count; ++i) give(context);
  }
  os::ContextNode& node(UINT number = 0) { return parts.table.node_of(machine.adapter(), number); }
  /// The driver reports.
  os::BufferReturns::Owners completed(UINT id, UINT number = 0) {
    return machine.dispatched(
        [&] { return parts.returns.completed(machine.adapter(), number, id); });
  }
  void preempted(UINT id, UINT last, UINT number = 0) {
    machine.dispatched([&] { parts.returns.preempted(machine.adapter(), number, id, last); });
  }
  os::BufferReturns::Owners faulted(UINT id, UINT number = 0) {
    return machine.dispatched([&] { return parts.returns.faulted(machine.adapter(), number, id); });
  }

  OsMachine machine;
  os::AdapterResets resets;
  os::ContextScheduler parts;
};

}  // namespace fenceline::support
