// Monitored fences and completed buffers: writes of fence values, and reports.
#include "models/engine/engine.h"

namespace fenceline::engine {

using common::Barrier;
using common::BarrierReach;
using common::SignalBarrier;
using common::SignalNotice;

/// False if the engine cannot write fences.
bool Engine::write_fence(const common::EngineCommand& command) {
  if (config_.fence_write == FenceWrite::kNone) return false;
  const auto packet = common::packet_of<abi::FenceWritePacket>(command);
  const common::GpuOrdering& ordering = simulation_.ordering.gpu;
  const common::AgentId agent = simulation_.steps.current();
  const std::uint64_t number = ++signal_count_;
  simulation_.events.emit(agent,
                          event::SignalBegin{command.fence, packet.value, number, command.queue});
  if (wrote_ && ordering.release_before_cv) barrier(Barrier::kSelf, BarrierReach::kGpu);
  simulation_.events.emit(agent, event::CurrentValueIssued{command.fence, packet.value, number});
  const bool narrow = (packet.header.flags & abi::kNarrow) != 0;
  const bool written =
      narrow ? post(command, packet.address, &packet.value, 4, Purpose::kValue)
             : post_value(command, packet.address, packet.value, simulation_.ordering.mem.cv64);
  const bool notify = (packet.header.flags & abi::kNotify) != 0;
  if (notify && config_.fence_write == FenceWrite::kAdvanced) {
    // A monitored fence has no compare: both places of the barrier are the same here.
    if (ordering.signal_barrier != SignalBarrier::kOff)
      barrier(Barrier::kSelf, ordering.barrier_reach);
    notify_cmp({number_, 0, command.queue_slot, command.queue, packet.value,
                SignalNotice::Kind::kFenceWritten});
  }
  simulation_.events.emit(agent,
                          event::SignalEnd{command.fence, packet.value, number, command.queue});
  return written;
}

void Engine::complete_buffer(const common::EngineCommand& command) {
  const auto packet = common::packet_of<abi::RunBufferPacket>(command);
  if (simulation_.ordering.gpu.completion_barrier)
    barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
  notify_cmp({number_, 0, command.queue_slot, command.queue, packet.submission_id,
              SignalNotice::Kind::kBufferCompleted});
}

/// Same as complete_buffer: the writes of this buffer and the earlier ones are visible.
void Engine::notify_faulted(const common::EngineCommand& command) {
  const auto packet = common::packet_of<abi::FaultedPacket>(command);
  if (simulation_.ordering.gpu.completion_barrier)
    barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
  notify_cmp({number_, packet.submission_id, packet.code, command.queue, packet.address,
              SignalNotice::Kind::kBufferFaulted});
}

/// The writes of all stopped buffers are visible before the report.
void Engine::notify_preempted(const common::EngineCommand& command) {
  const auto packet = common::packet_of<abi::PreemptedPacket>(command);
  if (simulation_.ordering.gpu.preempt_barrier)
    barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
  notify_cmp({number_, 0, command.queue_slot, command.queue,
              packet.preemption_id | std::uint64_t{packet.last_completed} << 32,
              SignalNotice::Kind::kPreempted});
}

/// The same for a hardware-queue context. The barrier is not one of the running packet, so `wrote_`
/// stays set.
void Engine::notify_suspended(const common::EngineCommand& command) {
  const auto packet = common::packet_of<abi::SuspendedPacket>(command);
  if (simulation_.ordering.gpu.suspend_barrier) {
    auto barrier = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
    barrier->attributes.barrier = Barrier::kSelf;
    barrier->attributes.reach = simulation_.ordering.gpu.barrier_reach;
    common::send(simulation_.steps, memory, barrier);
  }
  notify_cmp({number_, packet.context, 0, 0, packet.fence, SignalNotice::Kind::kSuspended});
}

}  // namespace fenceline::engine
