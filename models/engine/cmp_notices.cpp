#include "models/engine/cmp_notices.h"

namespace fenceline::engine {

using common::EngineCommand;
using Kind = common::SignalNotice::Kind;

void CmpNotices::send(common::SignalNotice notice) {
  simulation_.steps.step(common::Operation::kNotice, common::Footprint());
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, number_, &notice, sizeof notice);
  common::send(simulation_.steps, socket_, transaction);
}

void CmpNotices::barrier_if(bool wanted) {
  if (wanted) stores_.barrier(common::Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
}

void CmpNotices::complete_buffer(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::RunBufferPacket>(command);
  barrier_if(simulation_.ordering.gpu.completion_barrier);
  send({number_, 0, command.queue_slot, command.queue, packet.submission_id,
        Kind::kBufferCompleted});
}

void CmpNotices::report_fault(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FaultedPacket>(command);
  barrier_if(simulation_.ordering.gpu.completion_barrier);
  send({number_, packet.submission_id, packet.code, command.queue, packet.address,
        Kind::kBufferFaulted});
}

void CmpNotices::report_preemption(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::PreemptedPacket>(command);
  barrier_if(simulation_.ordering.gpu.preempt_barrier);
  send({number_, 0, command.queue_slot, command.queue,
        packet.preemption_id | std::uint64_t{packet.last_completed} << 32, Kind::kPreempted});
}

void CmpNotices::report_suspension(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::SuspendedPacket>(command);
  if (simulation_.ordering.gpu.suspend_barrier) stores_.barrier_for_report();
  send({number_, packet.context, 0, 0, packet.fence, Kind::kSuspended});
}

void CmpNotices::report_timeout(const EngineCommand& command) {
  send({number_, 0, command.queue_slot, command.queue, 0, Kind::kTimedOut});
}

}  // namespace fenceline::engine
