// Interrupts: ISR, what it reports, DPC.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "models/abi/registers.h"
#include "tb/os/adapter.h"
#include "tb/os/native_fence.h"

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

}  // namespace

std::uint64_t Adapter::Interrupts::state_hash() const {
  common::Hasher hasher;
  hasher.add((adapter.pending_.all ? 1U : 0U) | (adapter.pending_.monitored ? 2U : 0U));
  for (const HANDLE fence : adapter.pending_.fences) hasher.add(adapter.fence_of(fence));
  for (const HANDLE queue : adapter.pending_.queues) hasher.add(adapter.queue_of(queue));
  for (const UINT node : adapter.pending_.nodes) hasher.add(node);
  for (const auto& completed : adapter.pending_.completions)
    hasher.add(std::uint64_t{completed.faulted} << 63 | std::uint64_t{completed.node} << 32 |
               completed.id);
  for (const auto& preempted : adapter.pending_.preemptions)
    hasher.add(std::uint64_t{preempted.node} << 32 | preempted.id).add(preempted.last_completed);
  for (const std::uint64_t primary : adapter.pending_.syncs) hasher.add(primary);
  for (const auto& suspension : adapter.pending_.suspensions) hasher.add(suspension.fence);
  for (const UINT node : adapter.pending_.timeouts) hasher.add(node);
  hasher.add(adapter.ignored_nodes_);
  return hasher.add(adapter.driver_port_.driver_state()->state_hash()).value();
}

void Adapter::interrupt() {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const std::uint32_t core = cpu_.core().object();
  simulation.events.emit(agent, event::MessageDelivered{object(), vector_, core});
  call_interrupt_routine();
}

void Adapter::call_interrupt_routine() {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const std::uint32_t core = cpu_.core().object();
  const LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  simulation.events.emit(agent, event::IsrBegin{object(), core});
  run(Ddi::kInterruptRoutine, [this] {
    const BOOLEAN ours = table_.DxgkDdiInterruptRoutine(context_, abi::kInterruptVector);
    return ours != FALSE ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
  });
  simulation.events.emit(agent, event::IsrEnd{object(), core});
}

void Adapter::notify_interrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) page_faulted(data);
  check_silence(data);
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  if (data.InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED)
    pending_.suspensions.push_back(
        {data.SuspendContextCompleted.hContext, data.SuspendContextCompleted.ContextSuspendFence});
  if (const std::optional<UINT> node = hung_node(data)) pending_.timeouts.push_back(*node);
  if (data.InterruptType != DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED)
    simulation.events.emit(
        agent, event::InterruptType{object(), data.InterruptType, cpu_.core().object()});
  if (data.InterruptType == DXGK_INTERRUPT_DMA_FAULTED ||
      data.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
    buffer_faulted(data);
  if (data.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
    const auto& preempted = data.DmaPreempted;
    if ((ignored_nodes_ >> preempted.NodeOrdinal & 1U) != 0) return;
    pending_.preemptions.push_back(
        {preempted.NodeOrdinal, preempted.PreemptionFenceId, preempted.LastCompletedFenceId});
  }
  if (data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
    const auto& completed = data.DmaCompleted;
    if ((ignored_nodes_ >> completed.NodeOrdinal & 1U) != 0) return;
    simulation.events.emit(agent, event::BufferComplete{object(), completed.SubmissionFenceId,
                                                        completed.NodeOrdinal + 1});
    pending_.completions.push_back({completed.NodeOrdinal, completed.SubmissionFenceId});
  }
  if (data.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC) vertical_sync(data);
  if (data.InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED) pending_.monitored = true;
  if (data.InterruptType != DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) return;
  const auto& signaled = data.NativeFenceSignaled;
  const bool optimized = optimized_interrupts();
  const UINT named = optimized ? (signaled.hHWQueue != nullptr ? 1 : 0)
                     : signaled.pSignaledNativeFenceArray != nullptr
                         ? signaled.SignaledNativeFenceCount
                         : 0;
  simulation.events.emit(agent,
                         event::NotifyCall{object(), data.InterruptType, named, data.Flags.Value});
  if ((data.Flags.Value & DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences) != 0)
    pending_.monitored = true;
  if (optimized)
    queue_signaled(data);
  else
    native_fence_signaled(data);
}

/// Source: WDDM, DXGKARGCB_NOTIFY_INTERRUPT_DATA: DmaFaulted, DmaPageFaulted.
void Adapter::buffer_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const bool page = data.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  const UINT node = page ? data.DmaPageFaulted.NodeOrdinal : data.DmaFaulted.NodeOrdinal;
  const UINT id = page ? data.DmaPageFaulted.FaultedFenceId : data.DmaFaulted.FaultedFenceId;
  constexpr UINT kResets =
      DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  const UINT flags = page ? UINT{data.DmaPageFaulted.PageFaultFlags} : 0U;
  if ((flags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) != 0)
    bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
              {fenceline::wddm::kSchedulerFatalPageFault, data.InterruptType,
               data.DmaPageFaulted.FaultedVirtualAddress, flags},
              "a page fault that the hardware cannot recover from");
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0 && (flags & kResets) == 0)
    bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
              {fenceline::wddm::kSchedulerPageFaultFlags, data.InterruptType, id, flags},
              "a page fault names no buffer and asks for no reset");
  if ((ignored_nodes_ >> node & 1U) != 0) return;
  cpu_.simulation().emit(event::FaultTold{object(), id,
                                          page ? data.DmaPageFaulted.FaultedVirtualAddress : 0,
                                          node + 1, data.InterruptType});
  pending_.completions.push_back({node, id, true});
}

void Adapter::vertical_sync(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (!has_source())
    bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerVsyncOnRenderAdapter},
              "a vertical sync of an adapter without a display");
  pending_.syncs.push_back(static_cast<std::uint64_t>(data.CrtcVsync.PhysicalAddress.QuadPart));
}

void Adapter::native_fence_signaled(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  common::Simulation& simulation = cpu_.simulation();
  const auto& signaled = data.NativeFenceSignaled;
  if (signaled.pSignaledNativeFenceArray == nullptr || signaled.SignaledNativeFenceCount == 0) {
    pending_.all = true;
    simulation.emit(event::NotifyAll{object(), data.InterruptType, signaled.NodeOrdinal + 1});
    return;
  }
  for (UINT i = 0; i < signaled.SignaledNativeFenceCount; ++i)
    name_fence(signaled.pSignaledNativeFenceArray[i], i, data);
}

void Adapter::name_fence(HANDLE fence, UINT index, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const std::uint32_t fence_object = fence_of(fence);
  if (fence_object == 0) {
    const std::uint32_t dead = fence_behind(fence);
    simulation.events.emit(
        agent, event::HandleViolation{dead, static_cast<std::uint64_t>(data.InterruptType)});
    bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
              {fenceline::wddm::kSchedulerDestroyedNativeFence, data.InterruptType, index,
               data.NativeFenceSignaled.NodeOrdinal},
              "an interrupt names a native fence that is not alive: " +
                  (dead == 0 ? "a handle that never was one"
                             : simulation.events.name(common::ObjectKind::kFence, dead) +
                                   ", which was destroyed"));
  }
  simulation.events.emit(agent, event::Notify{fence_object, data.InterruptType, object()});
  pending_.fences.push_back(fence);
}

/// With OptimizedNativeFenceSignaledInterrupt only hHWQueue counts.
void Adapter::queue_signaled(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const auto& signaled = data.NativeFenceSignaled;
  if (signaled.hHWQueue == nullptr) {
    pending_.nodes.push_back(signaled.NodeOrdinal);
    return simulation.events.emit(
        agent, event::NotifyAll{object(), data.InterruptType, signaled.NodeOrdinal + 1});
  }
  const std::uint32_t queue = queue_of(signaled.hHWQueue);
  simulation.events.emit(agent, event::Notify{0, data.InterruptType, object(), queue});
  simulation.events.emit(agent, event::NotifyQueue{queue, object()});
  pending_.queues.push_back(signaled.hHWQueue);
}

/// A translation that is missing where the CMP needs it cannot be cured by resetting an engine.
void Adapter::page_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& fault = data.HwQueuePageFaulted;
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx",
                static_cast<unsigned long long>(fault.FaultedVirtualAddress));
  bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
            {fenceline::wddm::kSchedulerFatalPageFault, data.InterruptType,
             fault.FaultedVirtualAddress, fault.PageFaultFlags},
            std::string("GPU page fault of the context management processor at ") + address +
                ": no translation for the value of a native fence or for a fence log");
}

void Adapter::ignore_node(UINT node, bool ignore) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  const std::uint64_t bit = 1ULL << node;
  ignored_nodes_ = ignore ? ignored_nodes_ | bit : ignored_nodes_ & ~bit;
}

void Adapter::flush_deferred_calls() {
  if (!counts_threads()) return;
  for (;;) {
    deferred_done_.clear();
    cpu_.simulation().steps.touch(common::Place::kEvent, place_, false);
    if (!dpc_queued_ && !dpc_runs_) return;
    cpu_.block(deferred_done_, nullptr);
  }
}

bool Adapter::queue_dpc() {
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  if (dpc_queued_) return false;
  dpc_queued_ = true;
  dpc_changed_.open();
  return true;
}

void Adapter::run_dpc() {
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  dpc_queued_ = false;
  dpc_runs_ = true;
  run(Ddi::kDpcRoutine, [this] {
    table_.DxgkDdiDpcRoutine(context_);
    return STATUS_SUCCESS;
  });
  dpc_runs_ = false;
  if (counts_threads()) deferred_done_.set();
}

void Adapter::notify_dpc() {
  FenceNotification taken;
  {
    // The list is shared with the ISR.
    LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
    std::swap(taken, pending_);
  }
  if (on_fences_signaled) on_fences_signaled(taken);
}

void Adapter::synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, BOOLEAN* result) {
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  *result = guard_.caught([&] { return routine(context); }, FALSE);
}

}  // namespace fenceline::os
