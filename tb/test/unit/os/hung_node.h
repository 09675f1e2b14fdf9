#pragma once

#include "tb/test/support/context_bench.h"

namespace fenceline::os::hung_node {

using common::kMillisecond;
using support::ContextBench;
using support::OsMachine;

inline int first_process = 0;  // stand for processes
inline int second_process = 0;

using Nodes = std::vector<UINT>;

/// A node with two buffers of the first process and one of the second on another node.
struct Hung : ContextBench {
  explicit Hung(const PreemptionOptions& options = preempting(),
                const OsMachine::Config& config = {})
      : ContextBench(options, config) {}

  void hang() {
    context = &create(&first_process);
    run_buffers(*context, 2);
    node().preempting = true;
    machine.last_aborted = 1;
  }
  /// Another node has work, which it does not stop.
  ContextQueue& run_other(const void* owner = &second_process) {
    ContextQueue& other = create(owner, 1);
    run_buffers(other);
    return other;
  }
  /// Completed buffers that a DPC gets when the driver reports one of the node.
  std::size_t reports(UINT number) {
    std::size_t count = 0;
    machine.adapter().on_fences_signaled = [&](const FenceNotification& told) {
      count = told.completions.size();
    };
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = 1;
    data.DmaCompleted.NodeOrdinal = number;
    machine.adapter().notify_interrupt(data);
    machine.adapter().notify_dpc();
    machine.adapter().on_fences_signaled = nullptr;
    return count;
  }
  void recover() { parts.recovery.recover(node()); }

  ContextQueue* context = nullptr;
};

inline OsMachine::Config without_engine_resets() {
  OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].per_engine_tdr = false;
  return config;
}

}  // namespace fenceline::os::hung_node
