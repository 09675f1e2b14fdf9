#pragma once

#include "tb/test/support/os/context_bench.h"

namespace fenceline::support {

/// Node 0 with two buffers of a process that do not end; other nodes may have work, too.
struct HungNode : ContextBench {
  /// Stand for processes.
  static const void* first_process() {
    static const int process = 0;
    return &process;
  }
  static const void* second_process() {
    static const int process = 0;
    return &process;
  }
  explicit HungNode(const os::PreemptionOptions& options = preempting(),
                    const OsMachine::Config& config = {})
      : ContextBench(options, config) {}

  void hang() {
    context = &create(first_process());
    run_buffers(*context, 2);
    node().preempting = true;
    machine.last_aborted = 1;
  }
  /// Node 1 has a buffer of another process that does not end, too.
  os::ContextQueue& run_other(const void* owner = second_process()) {
    os::ContextQueue& other = create(owner, 1);
    run_buffers(other);
    return other;
  }
  /// Completed buffers that a DPC gets when the driver reports one of the node.
  std::size_t reports(UINT number) {
    std::size_t count = 0;
    machine.adapter().on_fences_signaled = [&](const os::FenceNotification& told) {
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

  os::ContextQueue* context = nullptr;
};

}  // namespace fenceline::support
