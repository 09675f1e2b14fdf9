#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tb/os/contexts/patched_buffer.h"
#include "tb/os/contexts/preemption_policy.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::support {

inline os::PreemptionOptions policy_options() {
  os::PreemptionOptions options;
  options.enabled = true;
  options.quantum = common::kMillisecond;
  options.tdr_delay = 10 * common::kMillisecond;
  return options;
}

inline os::PreemptionOptions policy_without_timeouts() {
  os::PreemptionOptions options = policy_options();
  options.detects_timeouts = false;
  return options;
}

/// A node of the first adapter that is aware of preemption, and contexts for it.
struct PolicyBench {
  explicit PolicyBench(const os::PreemptionOptions& options = policy_options())
      : table(machine.cpu(), options) {
    node.aware = true;
  }

  os::ContextQueue& add(INT priority = 0, bool paging = false) {
    table.contexts.push_back(
        std::make_unique<os::ContextQueue>(machine.steps(), machine.adapter()));
    os::ContextQueue& context = *table.contexts.back();
    context.priority = priority;
    context.paging = paging;
    return context;
  }
  /// A context with a buffer that is not given to the node.
  os::ContextQueue& add_waiting(INT priority = 0, bool paging = false) {
    os::ContextQueue& context = add(priority, paging);
    context.packets.emplace_back();
    return context;
  }
  os::ContextQueue& give(os::ContextQueue& context, const os::ContextQueue::Packet& packet = {}) {
    node.in_flight.push_back({node.next_id++, &context, packet});
    ++context.in_flight;
    return context;
  }
  /// A context with a buffer at the node.
  os::ContextQueue& add_running(INT priority = 0, bool paging = false) {
    return give(add(priority, paging));
  }
  static os::ContextQueue::Packet part_of_buffer(UINT start, bool last) {
    auto part = std::make_shared<os::PatchedPart>();
    part->range.start = start;
    part->last = last;
    os::ContextQueue::Packet packet;
    packet.part = std::move(part);
    return packet;
  }
  /// Runs `body` once `since` of the node is that long ago.
  void after(common::Time time, const std::function<void()>& body) {
    CHECK(machine.run_thread([&] {
      node.since = machine.steps().simulated();
      machine.steps().elapse(time);
      body();
    }));
  }
  void exploring(const std::function<void()>& body) {
    FirstChoice first;
    machine.run_thread([&] {
      machine.steps().begin_exploring(first, ~0ULL);
      body();
    });
  }
  /// Time until the next deadline; 0: there is none.
  common::Time deadline() const {
    common::Time limit = 1;
    return policy.next_deadline(limit) ? limit : 0;
  }

  OsMachine machine;
  os::ContextTable table;
  const os::PreemptionPolicy policy{table};
  os::ContextNode& node = table.node_of(machine.adapter(), 0);
};

}  // namespace fenceline::support
