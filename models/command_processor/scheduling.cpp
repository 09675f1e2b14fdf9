// Contexts of user-mode queues: which of them run, and how they leave their node.
#include <algorithm>
#include <cstring>

#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using common::Footprint;
using common::Operation;
using common::Place;
using common::Time;
using event::QueueStateKind;

namespace {
constexpr Time kUnit = 100 * common::kNanosecond;  // of the scheduler's registers
}  // namespace

std::uint64_t CommandProcessor::schedule_hash() const {
  common::Hasher hasher;
  for (const auto& [slot, context] : scheduled_) hasher.add(slot).add(context.hash());
  for (const auto& node : nodes_) hasher.add(node->turn.hash());
  return hasher.value();
}

void CommandProcessor::touch_schedule(bool write) const {
  simulation_.steps.touch(Place::kRegister, schedule_, write);
}

std::uint32_t CommandProcessor::context_slot(const HardwareQueue& queue) {
  return static_cast<std::uint32_t>(queue.field(abi::kQueueContext));
}

ScheduledContext& CommandProcessor::scheduled(const HardwareQueue& queue) {
  ScheduledContext& context = scheduled_[context_slot(queue)];
  context.slot = context_slot(queue);
  return context;
}

void CommandProcessor::write_context(std::uint64_t offset, std::uint64_t value) {
  if (!config_.schedules) return;
  const auto slot = static_cast<std::uint32_t>(offset / abi::kHwContextBytes);
  ScheduledContext& context = scheduled_[slot];
  context.slot = slot;
  touch_schedule(true);
  switch (offset % abi::kHwContextBytes) {
    case abi::kContextSuspend:
      context.suspend = value;
      scheduler_.open();
      return;
    case abi::kContextResume:
      context.suspend = 0;
      return;
    case abi::kContextRank:
      context.band = value & 0xFF;
      context.level = value >> 8 & 0xFF;
      context.priority = value >> 16 & 0xFF;
      for (std::uint32_t engine = 0; engine < nodes_.size(); ++engine) update_due(engine);
      return;
    case abi::kContextQuantum:
      context.quantum = value * kUnit;
      return;
    case abi::kContextGraceSame:
      context.grace_same = value * kUnit;
      return;
    case abi::kContextGraceLower:
      context.grace_lower = value * kUnit;
      return;
    case abi::kContextVmid:
      context.vmid = static_cast<std::uint32_t>(value);
      return;
    default:
      return;
  }
}

void CommandProcessor::write_schedule_register(std::uint64_t offset, std::uint64_t value) {
  if (!ends_queues()) return;
  if (offset >= abi::kBandGrace) {
    const std::uint64_t band = (offset - abi::kBandGrace) / 8;
    if (band < band_grace_.size()) band_grace_[band] = value * kUnit;
    return;
  }
  const std::uint64_t engine = (offset - abi::kEngineResume) / 8;
  if (offset >= abi::kEngineResume && engine < nodes_.size())
    release_node(static_cast<std::uint32_t>(engine));
}

/// Removes the queue from the run list, or puts it back.
void CommandProcessor::put_in_run_list(HardwareQueue& queue, bool in) {
  if (!config_.schedules || queue.removed != in) return;
  touch_schedule(true);
  queue.removed = !in;
  Node& node = *nodes_[queue.engine];
  if (!in) {
    if (node.turn.queue != queue.slot + 1) return set_state(queue, QueueStateKind::kSuspended);
    ask_to_leave(queue.engine);
    return;
  }
  if (node.turn.queue != queue.slot + 1)
    set_state(queue, queue.parked                           ? QueueStateKind::kParked
                     : queue.ring.position < queue.ring.end ? QueueStateKind::kReady
                                                            : QueueStateKind::kIdle);
  become_ready(queue);
}

/// Wakes the front end of a ready queue. The queue at the node may have to make room.
void CommandProcessor::become_ready(const HardwareQueue& queue) {
  ready_[queue.engine]->open();
  update_due(queue.engine);
}

/// Next ready queue, round robin, that no ready queue outranks.
HardwareQueue* CommandProcessor::next_scheduled(std::uint32_t engine) {
  const auto& slots = by_engine_[engine];
  std::vector<std::size_t> candidates;
  touch_schedule(false);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t at = (turn_[engine] + i) % slots.size();
    const HardwareQueue& queue = *queues_[slots[at]];
    touch(queue, 0);
    if (!queue.ready()) continue;
    // A save area has room for the state of one queue.
    const std::uint32_t holder = queue.of_driver() ? 0 : scheduled(queue).holder;
    if (holder == 0 || holder == queue.slot + 1) candidates.push_back(at);
  }
  for (const std::size_t at : candidates) {
    HardwareQueue& queue = *queues_[slots[at]];
    const bool first = std::none_of(candidates.begin(), candidates.end(), [&](std::size_t other) {
      return outranks(*queues_[slots[other]], queue);
    });
    if (!first) continue;
    turn_[engine] = at;
    return &queue;
  }
  return nullptr;
}

/// The driver's own rings have no priority: they share the node round robin.
bool CommandProcessor::outranks(const HardwareQueue& queue, const HardwareQueue& other) {
  return !queue.of_driver() && !other.of_driver() && scheduled(queue).above(scheduled(other));
}

void CommandProcessor::begin_turn(std::uint32_t engine, HardwareQueue& queue) {
  if (queue.of_driver() || !(config_.schedules || watches())) return;
  touch_schedule(true);
  Turn& turn = nodes_[engine]->turn;
  turn.queue = queue.slot + 1;
  turn.progress = simulation_.steps.simulated();
  turn.asked = false;
  watch_.open();
  if (!config_.schedules) return;
  turn.since = Turn::kNever;
  turn.due = Turn::kNever;
  turn.yields = false;
  update_due(engine);
  ScheduledContext& context = scheduled(queue);
  if (context.holder != queue.slot + 1) return;
  simulation_.steps.elapse(config_.context_switch);
  restore(engine, queue, {contexts_[context.slot], queue.address_space(), 0});
  context.holder = 0;
}

/// Starts the quantum when the queue runs its first packet: the context switch does not count, and
/// even a short quantum runs one packet.
void CommandProcessor::begin_quantum(std::uint32_t engine, const HardwareQueue& queue) {
  if (!config_.schedules || queue.of_driver()) return;
  nodes_[engine]->turn.since = simulation_.steps.simulated();
  update_due(engine);
}

void CommandProcessor::end_turn(std::uint32_t engine, HardwareQueue& queue) {
  Node& node = *nodes_[engine];
  if (queue.of_driver() || node.turn.queue == 0) return;
  if (node.stop.reset) return;  // the state of the queue is lost
  node.turn.asked = false;
  watch_.open();
  if (!config_.schedules) {
    touch_schedule(true);
    node.turn.queue = 0;
    node.stop.wanted = node.preemption != 0;
    return;
  }
  const std::uint64_t area = contexts_[context_slot(queue)];
  if (!queue.parked && area != 0 && (queue.in_packet || !queue.open_buffers.empty())) {
    save(engine, queue, area, queue.address_space());
    scheduled(queue).holder = queue.slot + 1;
    queue.in_packet = false;
    queue.open_buffers.clear();
  }
  touch_schedule(true);
  if (queue.removed)
    set_state(queue, QueueStateKind::kSuspended);
  else if (!queue.parked && queue.ring.position < queue.ring.end)
    set_state(queue, QueueStateKind::kReady);
  node.turn.queue = 0;
  node.turn.due = Turn::kNever;
  node.turn.yields = false;
  node.stop.wanted = node.preemption != 0;
  scheduler_.open();
}

/// True if the queue must leave its node between two packets.
bool CommandProcessor::must_leave(std::uint32_t engine, const HardwareQueue& queue) const {
  const Node& node = *nodes_[engine];
  if (node.turn.queue == 0 || queue.of_driver()) return false;
  touch_schedule(false);
  return node.stop.reset || ((queue.removed || node.turn.yields) && stops_between_buffers(engine));
}

/// True if the queue has a save area for a packet that is stopped.
bool CommandProcessor::stops_within_packets(const HardwareQueue& queue) const {
  return config_.schedules && !queue.of_driver() && contexts_[context_slot(queue)] != 0;
}

/// Computes when the queue at the node must make room for a ready queue.
void CommandProcessor::update_due(std::uint32_t engine) {
  if (!config_.schedules) return;
  touch_schedule(true);
  Turn& turn = nodes_[engine]->turn;
  if (turn.queue == 0 || turn.yields) return;
  const HardwareQueue& runs = *queues_[turn.queue - 1];
  const ScheduledContext& at_node = scheduled(runs);
  const bool exploring = simulation_.steps.exploring();
  const Time now = simulation_.steps.simulated();
  for (const std::uint32_t slot : by_engine_[engine]) {
    const HardwareQueue& other = *queues_[slot];
    if (!other.ready() || other.of_driver() || context_slot(other) == at_node.slot) continue;
    const ScheduledContext& ready = scheduled(other);
    Time due = Turn::kNever;
    if (ready.above(at_node))
      due = now + (ready.band > at_node.band ? band_grace_[at_node.band] : ready.grace_lower);
    else if (!at_node.above(ready) && at_node.quantum != 0 && turn.since != Turn::kNever &&
             !exploring)
      due = turn.since + at_node.quantum + at_node.grace_same;
    if (exploring && due != Turn::kNever) due = now;
    turn.due = std::min(turn.due, due);
  }
  if (turn.due != Turn::kNever) scheduler_.open();
  if (turn.due <= now) make_room(engine);
}

void CommandProcessor::make_room(std::uint32_t engine) {
  Node& node = *nodes_[engine];
  node.turn.yields = true;
  node.turn.due = Turn::kNever;
  ask_to_leave(engine);
}

/// Earliest time at which a node must make room.
Time CommandProcessor::next_due() const {
  Time next = Turn::kNever;
  for (const auto& node : nodes_) next = std::min(next, node->turn.due);
  return next;
}

/// True if no suspended queue of the context is at its node and no node is held by a reset.
bool CommandProcessor::has_left(std::uint32_t slot) const {
  return std::none_of(queues_.begin(), queues_.end(), [&](const auto& queue) {
    if (!queue || !queue->enabled || context_slot(*queue) != slot) return false;
    const Turn& turn = nodes_[queue->engine]->turn;
    return turn.held || (queue->removed && turn.queue == queue->slot + 1);
  });
}

/// A context whose suspension can be reported; null if there is none.
const ScheduledContext* CommandProcessor::to_be_reported() const {
  touch_schedule(false);
  for (const auto& [slot, context] : scheduled_)
    if (context.suspend != 0 && has_left(slot)) return &context;
  return nullptr;
}

void CommandProcessor::run_scheduler() {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    const Time next = next_due();
    const Time now = steps.simulated();
    const auto news = [&] { return to_be_reported() != nullptr || next_due() != next; };
    if (next == Turn::kNever || steps.exploring())
      steps.wait_until(scheduler_, news);
    else if (next > now)
      steps.wait_until_for(scheduler_, news, next - now);
    for (std::uint32_t engine = 0; engine < nodes_.size(); ++engine)
      if (nodes_[engine]->turn.due <= steps.simulated()) make_room(engine);
    if (const ScheduledContext* context = to_be_reported()) report_suspension(context->slot);
  }
}

/// Ends the waits of the context's queues and drops their prefetched packets. Reports the
/// suspension to the CMP when all writes of the context are visible.
void CommandProcessor::report_suspension(std::uint32_t slot) {
  simulation_.steps.observe(slot);
  simulation_.steps.step(Operation::kTakeRequest, Footprint().writes(Place::kRegister, schedule_));
  touch_schedule(true);
  ScheduledContext& context = scheduled_[slot];
  const std::uint64_t fence = context.suspend;
  simulation_.steps.observe(fence);
  if (fence == 0) return;  // it was resumed meanwhile
  context.suspend = 0;
  std::uint32_t engine = 0;
  for (const auto& queue : queues_) {
    if (!queue || !queue->enabled || context_slot(*queue) != slot) continue;
    engine = queue->engine;
    if (queue->removed) leave_node(*queue);
  }
  common::EngineCommand command;
  const abi::SuspendedPacket packet{{abi::Opcode::kSuspended, 0, sizeof packet}, slot, 0, fence};
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  auto message = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, 0, &command, sizeof command);
  common::send(simulation_.steps, engines[static_cast<int>(engine)], message);
}

void CommandProcessor::leave_node(HardwareQueue& queue) {
  simulation_.steps.touch(Place::kRegister, waits_, true);
  simulation_.steps.touch(Place::kRegister, queue.place, true);
  queue.waiting = queue.parked = queue.latched = queue.retry = false;
  queue.ring.fetched.clear();
  for (Cursor& buffer : queue.open_buffers) buffer.fetched.clear();
  set_state(queue, QueueStateKind::kSuspended);
}

/// Drops all work of the queue.
void CommandProcessor::drop_work(HardwareQueue& queue) {
  queue.waiting = queue.parked = queue.latched = queue.retry = queue.in_packet = false;
  queue.open_buffers.clear();
  queue.ring.position = queue.ring.end;
  report_dropped(queue);
  if (config_.schedules) {
    ScheduledContext& context = scheduled(queue);
    if (context.holder == queue.slot + 1) context.holder = 0;
  }
  set_state(queue, QueueStateKind::kIdle);
}

/// Drops the work of the queue at the node.
void CommandProcessor::reset_turn(std::uint32_t engine) {
  Turn& turn = nodes_[engine]->turn;
  touch_schedule(true);
  turn.ended = turn.queue;
  if (turn.queue != 0) {
    report_dropped(engine, *queues_[turn.queue - 1]);
    drop_work(*queues_[turn.queue - 1]);
  }
  turn.queue = 0;
  turn.due = Turn::kNever;
  turn.yields = turn.asked = turn.timed_out = false;
  turn.held = turn.hold;
  turn.hold = turn.spares_ring = false;
  scheduler_.open();
  watch_.open();
}

/// Lets a held node continue after its reset.
void CommandProcessor::release_node(std::uint32_t engine) {
  touch_schedule(true);
  nodes_[engine]->turn.held = false;
  simulation_.steps.touch(Place::kRegister, place_of_node(engine), true);
  nodes_[engine]->stop.gate.open();
  ready_[engine]->open();
  scheduler_.open();
}

}  // namespace fenceline::command_processor
