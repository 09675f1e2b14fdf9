#include "models/command_processor/scheduling/suspensions.h"

#include <algorithm>

namespace fenceline::command_processor {

using common::Footprint;
using common::Operation;
using common::Place;

/// True if no suspended queue of the context is at its node and no node is held by a reset.
bool Suspensions::has_left(std::uint32_t slot) const {
  const auto& queues = shared_.queues.by_slot();
  return std::none_of(queues.begin(), queues.end(), [&](const auto& queue) {
    if (!queue || !queue->enabled || queue->context_slot() != slot) return false;
    const Turn& turn = shared_.node_of(*queue).turn;
    return turn.held || (queue->removed && turn.queue == queue->slot + 1);
  });
}

const ScheduledContext* Suspensions::due() const {
  shared_.touch_schedule(false);
  for (const auto& [slot, context] : ranks_.all())
    if (context.suspend != 0 && has_left(slot)) return &context;
  return nullptr;
}

void Suspensions::report(std::uint32_t slot) {
  common::Steps& steps = shared_.steps();
  steps.observe(slot);
  steps.step(Operation::kTakeRequest, Footprint().writes(Place::kRegister, shared_.schedule_place));
  shared_.touch_schedule(true);
  ScheduledContext& context = ranks_.of(slot);
  const std::uint64_t fence = context.suspend;
  steps.observe(fence);
  if (fence == 0 || !has_left(slot)) return;  // it was resumed, or a node was reset, meanwhile
  context.suspend = 0;
  std::uint32_t engine = 0;
  for (const auto& queue : shared_.queues.by_slot()) {
    if (!queue || !queue->enabled || queue->context_slot() != slot) continue;
    engine = queue->engine;
    if (queue->removed) leave_node(*queue);
  }
  engines_.report(engine, abi::make_packet<abi::Opcode::kSuspended>(0, slot, 0U, fence));
}

void Suspensions::leave_node(HardwareQueue& queue) const {
  shared_.touch(shared_.waits_place, true);
  shared_.touch(queue.place, true);
  queue.end_wait();
  queue.ring.fetched.clear();
  for (Cursor& buffer : queue.open_buffers) buffer.fetched.clear();
  shared_.set_state(queue, event::QueueStateKind::kSuspended);
}

}  // namespace fenceline::command_processor
