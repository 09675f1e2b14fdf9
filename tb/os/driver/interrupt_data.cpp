#include "tb/os/driver/interrupt_data.h"

#include "tb/os/driver/adapter.h"

namespace fenceline::os {

namespace {

using Data = DXGKARGCB_NOTIFY_INTERRUPT_DATA;

struct Engine {
  UINT node = 0;
  UINT engine = 0;
};

template <typename Member>
Engine engine_of(const Member& member) {
  return {member.NodeOrdinal, member.EngineOrdinal};
}

/// Where it comes from, as far as the OS uses that; none for a type that it does not expect.
std::optional<Engine> source_of(const Data& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      return engine_of(data.DmaCompleted);
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      return engine_of(data.DmaPreempted);
    case DXGK_INTERRUPT_DMA_FAULTED:
      return engine_of(data.DmaFaulted);
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      return engine_of(data.DmaPageFaulted);
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
      return engine_of(data.MonitoredFenceSignaled);
    case DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT:
      return engine_of(data.GpuEngineTimeout);
    case DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE:
      return engine_of(data.EngineStateChange);
    case DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED:
      if (data.NativeFenceSignaled.hHWQueue != nullptr) return Engine{};
      return engine_of(data.NativeFenceSignaled);
    case DXGK_INTERRUPT_CRTC_VSYNC:
    case DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED:
    case DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED:
      return Engine{};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<NotificationFault> find_fault(const Adapter& adapter, const Data& data) {
  const std::optional<Engine> source = source_of(data);
  if (!source) return NotificationFault{Misuse::kInterruptType, data.InterruptType};
  if (source->node >= adapter.nodes())
    return NotificationFault{Misuse::kInterruptNode, source->node};
  if (source->engine != 0) return NotificationFault{Misuse::kInterruptNode, source->engine};
  if (data.InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED &&
      !adapter.knows(Adapter::Known::kHwContext, data.SuspendContextCompleted.hContext))
    return NotificationFault{Misuse::kInterruptContext};
  if (data.InterruptType != DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) return std::nullopt;
  const auto& signaled = data.NativeFenceSignaled;
  if (adapter.optimized_interrupts()) {
    if (signaled.hHWQueue != nullptr && adapter.queue_of(signaled.hHWQueue) == 0)
      return NotificationFault{Misuse::kInterruptQueue};
  } else if (signaled.SignaledNativeFenceCount != 0 &&
             signaled.pSignaledNativeFenceArray == nullptr) {
    return NotificationFault{Misuse::kInterruptArray, signaled.SignaledNativeFenceCount};
  }
  return std::nullopt;
}

}  // namespace fenceline::os
