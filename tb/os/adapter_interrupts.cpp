// Interrupts: ISR, what it reports, DPC.
#include "models/abi/registers.h"
#include "tb/os/adapter.h"

namespace fenceline::os {

using common::EventKind;

std::uint64_t Adapter::Interrupts::state_hash() const {
  common::Hasher hasher;
  hasher.add(adapter.pending_.all ? 1 : 0);
  for (const HANDLE fence : adapter.pending_.fences) hasher.add(adapter.fence_of(fence));
  hasher.add(adapter.pending_.monitored ? 1 : 0);
  for (const auto& completed : adapter.pending_.completions)
    hasher.add(std::uint64_t{completed.node} << 32 | completed.id);
  return hasher.add(adapter.port_.driver_state()->state_hash()).value();
}

void Adapter::interrupt() {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const std::uint32_t core = cpu_.core().object();
  simulation.events.emit(EventKind::kMessageDelivered, agent, object(), vector_, 0, core);
  cpu_.acquire(interrupt_lock_, DEVICE_LEVEL);
  simulation.events.emit(EventKind::kIsrBegin, agent, object(), core);
  before(Ddi::kInterruptRoutine);
  const BOOLEAN ours = table_.DxgkDdiInterruptRoutine(context_, abi::kInterruptVector);
  after(Ddi::kInterruptRoutine, ours != FALSE ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL);
  simulation.events.emit(EventKind::kIsrEnd, agent, object(), core);
  cpu_.release(interrupt_lock_, DEVICE_LEVEL);
}

void Adapter::notify_interrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  check_irql(Ddi::kNotifyInterrupt);
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  if (data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
    const auto& completed = data.DmaCompleted;
    simulation.events.emit(EventKind::kBufferComplete, agent, object(), completed.SubmissionFenceId,
                           completed.NodeOrdinal + 1);
    pending_.completions.push_back({completed.NodeOrdinal, completed.SubmissionFenceId});
  }
  if (data.InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED) pending_.monitored = true;
  if (data.InterruptType != DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED) return;
  if ((data.Flags.Value & DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences) != 0)
    pending_.monitored = true;
  const auto& signaled = data.NativeFenceSignaled;
  if (signaled.pSignaledNativeFenceArray == nullptr || signaled.SignaledNativeFenceCount == 0) {
    pending_.all = true;
    simulation.events.emit(EventKind::kNotifyAll, agent, object(), data.InterruptType, 0,
                           signaled.NodeOrdinal + 1);
    return;
  }
  for (UINT i = 0; i < signaled.SignaledNativeFenceCount; ++i) {
    const HANDLE fence = signaled.pSignaledNativeFenceArray[i];
    const std::uint32_t fence_object = fence_of(fence);
    if (fence_object == 0) {
      simulation.events.emit(EventKind::kHandleViolation, agent, 0, data.InterruptType);
      bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, fenceline::wddm::kSchedulerDestroyedNativeFence,
                gpu_.config().name + ": an interrupt names a native fence that is not alive");
    }
    simulation.events.emit(EventKind::kNotify, agent, fence_object, data.InterruptType, object());
    pending_.fences.push_back(fence);
  }
}

bool Adapter::queue_dpc() {
  check_irql(Ddi::kQueueDpc);
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  if (dpc_queued_) return false;
  dpc_queued_ = true;
  dpc_changed_.open();
  return true;
}

void Adapter::run_dpc() {
  cpu_.simulation().steps.touch(common::Place::kEvent, place_, true);
  dpc_queued_ = false;
  before(Ddi::kDpcRoutine);
  table_.DxgkDdiDpcRoutine(context_);
  after(Ddi::kDpcRoutine, STATUS_SUCCESS);
}

void Adapter::notify_dpc() {
  check_irql(Ddi::kNotifyDpc);
  FenceNotification taken;
  {
    // The list is shared with the ISR.
    LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
    std::swap(taken, pending_);
  }
  if (on_fences_signaled) on_fences_signaled(taken);
}

void Adapter::synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, BOOLEAN* result) {
  check_irql(Ddi::kSynchronizeExecution);
  LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
  *result = routine(context);
}

}  // namespace fenceline::os
