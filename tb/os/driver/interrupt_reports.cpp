#include "tb/os/driver/interrupt_reports.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "models/top/gpu.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

namespace {

/// The node that the interrupt says has hung. Source: WDDM, DXGKARGCB_NOTIFY_INTERRUPT_DATA.
std::optional<UINT> hung_node(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType == DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT)
    return data.GpuEngineTimeout.NodeOrdinal;
  if (data.InterruptType == DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE &&
      data.EngineStateChange.NewState == DXGK_ENGINE_STATE_HUNG)
    return data.EngineStateChange.NodeOrdinal;
  return std::nullopt;
}

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

std::uint64_t InterruptReports::state_hash() const {
  common::Hasher hasher;
  hasher.add((pending_.all ? 1U : 0U) | (pending_.monitored ? 2U : 0U));
  for (const HANDLE fence : pending_.fences) hasher.add(adapter_.fence_of(fence));
  for (const HANDLE queue : pending_.queues) hasher.add(adapter_.queue_of(queue));
  for (const UINT node : pending_.nodes) hasher.add(node);
  for (const auto& completed : pending_.completions)
    hasher.add(std::uint64_t{completed.faulted} << 63 | std::uint64_t{completed.node} << 32 |
               completed.id);
  for (const auto& preempted : pending_.preemptions)
    hasher.add(std::uint64_t{preempted.node} << 32 | preempted.id).add(preempted.last_completed);
  for (const std::uint64_t primary : pending_.syncs) hasher.add(primary);
  for (const auto& suspension : pending_.suspensions) hasher.add(suspension.fence);
  for (const UINT node : pending_.timeouts) hasher.add(node);
  hasher.add(ignored_nodes_);
  return hasher.add(adapter_.driver_port().driver_state()->state_hash()).value();
}

FenceNotification InterruptReports::take() {
  FenceNotification taken;
  std::swap(taken, pending_);
  return taken;
}

void InterruptReports::ignore(UINT node, bool ignored) {
  const std::uint64_t bit = 1ULL << node;
  ignored_nodes_ = ignored ? ignored_nodes_ | bit : ignored_nodes_ & ~bit;
}

void InterruptReports::silence(UINT node, bool silent) {
  const std::uint64_t bit = 1ULL << node;
  silent_nodes_ = silent ? silent_nodes_ | bit : silent_nodes_ & ~bit;
}

/// Between its reset and its resumption an engine is silent. Source: Windows bug check reference,
/// 0x119.
void InterruptReports::check_silence(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const UINT node = named_node(data);
  if (node == 0 || (!adapter_.system().context_scheduling.enabled && silent_nodes_ == 0)) return;
  adapter_.cpu().simulation().emit(
      event::EngineNotify{adapter_.object(), data.InterruptType, node});
  if ((silent_nodes_ >> (node - 1) & 1U) != 0)
    adapter_.bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR,
        {fenceline::wddm::kSchedulerInterruptDuringReset, node - 1, data.InterruptType},
        adapter_.gpu().config().name + ": an interrupt of an engine that is being reset");
}

void InterruptReports::record(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) page_faulted(data);
  check_silence(data);
  if (data.InterruptType == DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) return fence_signaled(data);
  if (data.InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED)
    pending_.suspensions.push_back(
        {data.SuspendContextCompleted.hContext, data.SuspendContextCompleted.ContextSuspendFence});
  if (const std::optional<UINT> node = hung_node(data)) pending_.timeouts.push_back(*node);
  adapter_.cpu().simulation().emit(
      event::InterruptType{adapter_.object(), data.InterruptType, adapter_.cpu().core().object()});
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_FAULTED:
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      return buffer_faulted(data);
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      return buffer_preempted(data);
    case DXGK_INTERRUPT_DMA_COMPLETED:
      return buffer_completed(data);
    case DXGK_INTERRUPT_CRTC_VSYNC:
      return vertical_sync(data);
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
      pending_.monitored = true;
      return;
    default:
      return;
  }
}

void InterruptReports::buffer_preempted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& preempted = data.DmaPreempted;
  if (ignores(preempted.NodeOrdinal)) return;
  pending_.preemptions.push_back(
      {preempted.NodeOrdinal, preempted.PreemptionFenceId, preempted.LastCompletedFenceId});
}

void InterruptReports::buffer_completed(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& completed = data.DmaCompleted;
  if (ignores(completed.NodeOrdinal)) return;
  adapter_.cpu().simulation().emit(event::BufferComplete{
      adapter_.object(), completed.SubmissionFenceId, completed.NodeOrdinal + 1});
  pending_.completions.push_back({completed.NodeOrdinal, completed.SubmissionFenceId});
}

void InterruptReports::fence_signaled(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& signaled = data.NativeFenceSignaled;
  const bool optimized = adapter_.optimized_interrupts();
  const UINT named = optimized ? (signaled.hHWQueue != nullptr ? 1 : 0)
                     : signaled.pSignaledNativeFenceArray != nullptr
                         ? signaled.SignaledNativeFenceCount
                         : 0;
  adapter_.cpu().simulation().emit(
      event::NotifyCall{adapter_.object(), data.InterruptType, named, data.Flags.Value});
  if ((data.Flags.Value & DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences) != 0)
    pending_.monitored = true;
  if (optimized)
    queue_named(data);
  else
    fences_named(data);
}

/// Source: WDDM, DXGKARGCB_NOTIFY_INTERRUPT_DATA: DmaFaulted, DmaPageFaulted.
void InterruptReports::buffer_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const bool page = data.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  const UINT node = page ? data.DmaPageFaulted.NodeOrdinal : data.DmaFaulted.NodeOrdinal;
  const UINT id = page ? data.DmaPageFaulted.FaultedFenceId : data.DmaFaulted.FaultedFenceId;
  constexpr UINT kResets =
      DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  const UINT flags = page ? UINT{data.DmaPageFaulted.PageFaultFlags} : 0U;
  if ((flags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) != 0)
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerFatalPageFault, data.InterruptType,
                        data.DmaPageFaulted.FaultedVirtualAddress, flags},
                       "a page fault that the hardware cannot recover from");
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0 && (flags & kResets) == 0)
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerPageFaultFlags, data.InterruptType, id, flags},
                       "a page fault names no buffer and asks for no reset");
  if (ignores(node)) return;
  adapter_.cpu().simulation().emit(
      event::FaultTold{adapter_.object(), id, page ? data.DmaPageFaulted.FaultedVirtualAddress : 0,
                       node + 1, data.InterruptType});
  pending_.completions.push_back({node, id, true});
}

void InterruptReports::vertical_sync(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (!adapter_.has_source())
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerVsyncOnRenderAdapter},
                       "a vertical sync of an adapter without a display");
  pending_.syncs.push_back(static_cast<std::uint64_t>(data.CrtcVsync.PhysicalAddress.QuadPart));
}

void InterruptReports::fences_named(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& signaled = data.NativeFenceSignaled;
  if (signaled.pSignaledNativeFenceArray == nullptr || signaled.SignaledNativeFenceCount == 0) {
    pending_.all = true;
    adapter_.cpu().simulation().emit(
        event::NotifyAll{adapter_.object(), data.InterruptType, signaled.NodeOrdinal + 1});
    return;
  }
  for (UINT i = 0; i < signaled.SignaledNativeFenceCount; ++i)
    name_fence(signaled.pSignaledNativeFenceArray[i], i, data);
}

void InterruptReports::name_fence(HANDLE fence, UINT index,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  common::Simulation& simulation = adapter_.cpu().simulation();
  const std::uint32_t fence_object = adapter_.fence_of(fence);
  if (fence_object == 0) {
    const std::uint32_t dead = adapter_.fence_behind(fence);
    simulation.emit(event::HandleViolation{dead, static_cast<std::uint64_t>(data.InterruptType)});
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerDestroyedNativeFence, data.InterruptType, index,
                        data.NativeFenceSignaled.NodeOrdinal},
                       "an interrupt names a native fence that is not alive: " +
                           (dead == 0 ? "a handle that never was one"
                                      : simulation.events.name(common::ObjectKind::kFence, dead) +
                                            ", which was destroyed"));
  }
  simulation.emit(event::Notify{fence_object, data.InterruptType, adapter_.object()});
  pending_.fences.push_back(fence);
}

/// With OptimizedNativeFenceSignaledInterrupt only hHWQueue counts.
void InterruptReports::queue_named(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  common::Simulation& simulation = adapter_.cpu().simulation();
  const auto& signaled = data.NativeFenceSignaled;
  if (signaled.hHWQueue == nullptr) {
    pending_.nodes.push_back(signaled.NodeOrdinal);
    return simulation.emit(
        event::NotifyAll{adapter_.object(), data.InterruptType, signaled.NodeOrdinal + 1});
  }
  const std::uint32_t queue = adapter_.queue_of(signaled.hHWQueue);
  simulation.emit(event::Notify{0, data.InterruptType, adapter_.object(), queue});
  simulation.emit(event::NotifyQueue{queue, adapter_.object()});
  pending_.queues.push_back(signaled.hHWQueue);
}

/// A translation that is missing where the CMP needs it cannot be cured by resetting an engine.
void InterruptReports::page_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& fault = data.HwQueuePageFaulted;
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx",
                static_cast<unsigned long long>(fault.FaultedVirtualAddress));
  adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                     {fenceline::wddm::kSchedulerFatalPageFault, data.InterruptType,
                      fault.FaultedVirtualAddress, fault.PageFaultFlags},
                     std::string("GPU page fault of the context management processor at ") +
                         address +
                         ": no translation for the value of a native fence or for a fence log");
}

}  // namespace fenceline::os
