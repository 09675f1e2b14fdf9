#pragma once

#include "tb/os/contexts/preemption_policy.h"
#include "tb/test/support/os_machine.h"

namespace fenceline::os::preemption_bench {

using common::kMillisecond;
using support::OsMachine;

inline PreemptionOptions enabled() {
  PreemptionOptions options;
  options.enabled = true;
  options.quantum = kMillisecond;
  options.tdr_delay = 10 * kMillisecond;
  return options;
}

inline PreemptionOptions without_timeouts() {
  PreemptionOptions options = enabled();
  options.detects_timeouts = false;
  return options;
}

/// A node of the first adapter that is aware of preemption, and contexts for it.
struct Bench {
  explicit Bench(const PreemptionOptions& options = enabled()) : table(machine.cpu(), options) {
    node.aware = true;
  }

  ContextQueue& add(INT priority = 0, bool paging = false) {
    table.contexts.push_back(std::make_unique<ContextQueue>(machine.steps(), machine.adapter()));
    ContextQueue& context = *table.contexts.back();
    context.priority = priority;
    context.paging = paging;
    return context;
  }
  /// A context with a buffer that is not given to the node.
  ContextQueue& add_waiting(INT priority = 0, bool paging = false) {
    ContextQueue& context = add(priority, paging);
    context.packets.emplace_back();
    return context;
  }
  ContextQueue& give(ContextQueue& context, const ContextQueue::Packet& packet = {}) {
    node.in_flight.push_back({node.next_id++, &context, packet});
    ++context.in_flight;
    return context;
  }
  /// A context with a buffer at the node.
  ContextQueue& add_running(INT priority = 0, bool paging = false) {
    return give(add(priority, paging));
  }
  static ContextQueue::Packet part_of_buffer(UINT start, bool last) {
    auto part = std::make_shared<PatchedPart>();
    part->range.start = start;
    part->last = last;
    ContextQueue::Packet packet;
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
    support::FirstChoice first;
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
  ContextTable table;
  const PreemptionPolicy policy{table};
  ContextNode& node = table.node_of(machine.adapter(), 0);
};

using Order = std::vector<ContextQueue*>;

}  // namespace fenceline::os::preemption_bench
