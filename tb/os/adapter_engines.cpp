// Engines with a scheduler of their own: what they may say when.
#include "tb/os/adapter.h"

namespace fenceline::os {

namespace {

/// Ordinal of the node that the interrupt names, + 1; 0 for one that names none.
UINT named_node(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      return data.DmaCompleted.NodeOrdinal + 1;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      return data.DmaPreempted.NodeOrdinal + 1;
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
      return data.MonitoredFenceSignaled.NodeOrdinal + 1;
    case DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED:
      return data.NativeFenceSignaled.NodeOrdinal + 1;
    case DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT:
      return data.GpuEngineTimeout.NodeOrdinal + 1;
    case DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE:
      return data.EngineStateChange.NodeOrdinal + 1;
    default:
      return 0;
  }
}

}  // namespace

/// Between its reset and its resumption an engine is silent. Source: Windows bug check reference,
/// 0x119.
void Adapter::check_silence(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const UINT node = named_node(data);
  if (node == 0 || (!options_.system.context_scheduling.enabled && silent_nodes_ == 0)) return;
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::EngineNotify{object(), data.InterruptType, node});
  if ((silent_nodes_ >> (node - 1) & 1U) != 0)
    bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
              {fenceline::wddm::kSchedulerInterruptDuringReset, node - 1, data.InterruptType},
              gpu_.config().name + ": an interrupt of an engine that is being reset");
}

void Adapter::silence_node(UINT node, bool silent) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  const std::uint64_t bit = 1ULL << node;
  silent_nodes_ = silent ? silent_nodes_ | bit : silent_nodes_ & ~bit;
}

}  // namespace fenceline::os
