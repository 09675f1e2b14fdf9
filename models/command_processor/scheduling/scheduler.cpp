#include "models/command_processor/scheduling/scheduler.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::command_processor {

using common::Time;
using event::QueueStateKind;

Scheduler::Scheduler(Shared& shared, const Uses& uses, common::RegisterFile& registers)
    : shared_(shared), uses_(uses) {
  add_context_registers(registers);
  add_node_registers(registers);
}

void Scheduler::add_context_registers(common::RegisterFile& registers) {
  // The write has an effect only where contexts are scheduled.
  const auto add = [this, &registers](std::uint64_t field, auto write) {
    registers.add_write_only(
        {abi::kHwContextTable + field, abi::kContextSlots, abi::kHwContextBytes},
        [this, write](std::uint64_t slot, std::uint64_t value) {
          if (!shared_.config.schedules) return;
          shared_.touch_schedule(true);
          write(uses_.ranks.of(static_cast<std::uint32_t>(slot)), value);
        });
  };
  using Context = ScheduledContext;
  add(abi::kContextSuspend, [this](Context& context, std::uint64_t fence) {
    context.suspend = fence;
    uses_.turns.schedule_changed.open();
  });
  add(abi::kContextResume, [](Context& context, std::uint64_t) { context.suspend = 0; });
  add(abi::kContextRank, [this](Context& context, std::uint64_t rank) {
    context.set_rank(rank);
    for (const auto& queue : shared_.queues.by_slot())
      if (queue != nullptr && queue->enabled && queue->context_slot() == context.slot)
        shared_.simulation.emit(
            event::ContextRankTaken{queue->object, context.band, context.level, context.priority});
    for (const auto& node : shared_.nodes) update_due(*node);
  });
  add(abi::kContextQuantum,
      [](Context& context, std::uint64_t time) { context.quantum = time * ContextRanks::kUnit; });
  add(abi::kContextGraceSame, [](Context& context, std::uint64_t time) {
    context.grace_same = time * ContextRanks::kUnit;
  });
  add(abi::kContextGraceLower, [](Context& context, std::uint64_t time) {
    context.grace_lower = time * ContextRanks::kUnit;
  });
  add(abi::kContextVmid, [](Context& context, std::uint64_t vmid) {
    context.vmid = static_cast<std::uint32_t>(vmid);
  });
}

void Scheduler::add_node_registers(common::RegisterFile& registers) {
  registers.add_write_only({abi::kBandGrace, abi::kBands},
                           [this](std::uint64_t band, std::uint64_t time) {
                             if (shared_.ends_queues())
                               uses_.ranks.set_band_grace(band, time * ContextRanks::kUnit);
                           });
  registers.add_write_only({abi::kEngineResume, shared_.nodes.size()},
                           [this](std::uint64_t engine, std::uint64_t) {
                             if (shared_.ends_queues()) release(*shared_.nodes[engine]);
                           });
  registers.add_read_only({abi::kEngineQueue, shared_.nodes.size()}, [this](const auto& reading) {
    return shared_.nodes[reading.index]->turn.ended;
  });
}

void Scheduler::add_to(common::Hasher& hasher) const {
  common::Hasher own;
  uses_.ranks.add_to(own);
  for (const auto& node : shared_.nodes) own.add(node->turn.hash());
  hasher.add(own.value());
}

ScheduledContext& Scheduler::context_of(const HardwareQueue& queue) const {
  return uses_.ranks.of(queue.context_slot());
}

void Scheduler::put_in_run_list(HardwareQueue& queue, bool in) {
  if (!shared_.config.schedules || queue.removed != in) return;
  shared_.touch_schedule(true);
  queue.removed = !in;
  if (!in) {
    if (!at_node(queue)) return shared_.set_state(queue, QueueStateKind::kSuspended);
    uses_.turns.ask_to_leave(shared_.node_of(queue));
    return;
  }
  if (!at_node(queue))
    shared_.set_state(queue, queue.parked       ? QueueStateKind::kParked
                             : queue.has_work() ? QueueStateKind::kReady
                                                : QueueStateKind::kIdle);
  become_ready(queue);
}

bool Scheduler::at_node(const HardwareQueue& queue) const {
  return shared_.node_of(queue).turn.queue == queue.slot + 1;
}

void Scheduler::become_ready(const HardwareQueue& queue) {
  Node& node = shared_.node_of(queue);
  node.ready.open();
  update_due(node);
}

HardwareQueue* Scheduler::next(Node& node) {
  if (node.turn.held) {
    shared_.touch_schedule(false);
    return nullptr;
  }
  if (shared_.config.schedules) return next_by_rank(node);
  const auto& queues = shared_.queues.of_node(node.number);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const std::size_t at = (node.next + i) % queues.size();
    shared_.touch(queues[at]->place, false);
    if (!queues[at]->ready()) continue;
    node.next = at;
    return queues[at];
  }
  return nullptr;
}

/// A save area has room for the state of one queue: the others of its context come after that one.
bool Scheduler::may_run(const HardwareQueue& queue) const {
  if (!queue.ready()) return false;
  const std::uint32_t holder = queue.of_driver() ? 0 : context_of(queue).holder;
  return holder == 0 || holder == queue.slot + 1;
}

/// Next queue that may run, round robin, and that no such queue outranks.
HardwareQueue* Scheduler::next_by_rank(Node& node) {
  const auto& queues = shared_.queues.of_node(node.number);
  std::vector<std::size_t> candidates;
  shared_.touch_schedule(false);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const std::size_t at = (node.next + i) % queues.size();
    shared_.touch(queues[at]->place, false);
    if (may_run(*queues[at])) candidates.push_back(at);
  }
  for (const std::size_t at : candidates) {
    HardwareQueue& queue = *queues[at];
    const bool first = std::none_of(candidates.begin(), candidates.end(), [&](std::size_t other) {
      return outranks(*queues[other], queue);
    });
    if (!first) continue;
    node.next = at;
    return &queue;
  }
  return nullptr;
}

/// The driver's own rings have no priority: they share the node round robin.
bool Scheduler::outranks(const HardwareQueue& queue, const HardwareQueue& other) const {
  if (queue.of_driver() || other.of_driver()) return false;
  return abi::mutant(abi::Mutant::kLowRankFirst) ? context_of(other).above(context_of(queue))
                                                 : context_of(queue).above(context_of(other));
}

void Scheduler::begin_turn(Node& node, HardwareQueue& queue) {
  const bool schedules = shared_.config.schedules;
  if (queue.of_driver() || !(schedules || uses_.turns.watched())) return;
  shared_.touch_schedule(true);
  Turn& turn = node.turn;
  turn.queue = queue.slot + 1;
  turn.progress = shared_.steps().simulated();
  turn.asked = false;
  uses_.turns.queue_moved.open();
  if (!schedules) return;
  turn.since = Turn::kNever;
  turn.due = Turn::kNever;
  turn.yields = false;
  update_due(node);
  ScheduledContext& context = context_of(queue);
  if (context.holder != queue.slot + 1) return;
  shared_.steps().elapse(shared_.config.context_switch);
  uses_.areas.restore(node, queue, {queue.address_space(), uses_.areas.of(queue)}, 0);
  context.holder = 0;
}

void Scheduler::begin_quantum(Node& node, const HardwareQueue& queue) {
  if (!shared_.config.schedules || queue.of_driver()) return;
  node.turn.since = shared_.steps().simulated();
  update_due(node);
}

void Scheduler::end_turn(Node& node, HardwareQueue& queue) {
  if (queue.of_driver() || node.turn.queue == 0) return;
  if (node.stop.reset) return;  // the state of the queue is lost
  node.turn.asked = false;
  uses_.turns.queue_moved.open();
  const bool schedules = shared_.config.schedules;
  if (!queue.enabled)
    drop_work(queue);
  else if (schedules)
    save_state(node, queue);
  shared_.touch_schedule(true);
  if (schedules && queue.removed)
    shared_.set_state(queue, QueueStateKind::kSuspended);
  else if (schedules && !queue.parked && queue.has_work())
    shared_.set_state(queue, QueueStateKind::kReady);
  node.turn.queue = 0;
  if (schedules) {
    node.turn.due = Turn::kNever;
    node.turn.yields = false;
  }
  uses_.turns.let_stay(node);
  if (schedules) uses_.turns.schedule_changed.open();
}

/// Saves the progress of a queue that leaves its node inside a buffer.
void Scheduler::save_state(Node& node, HardwareQueue& queue) {
  const std::uint64_t area = uses_.areas.of(queue);
  if (queue.parked || area == 0 || (!queue.in_packet && queue.open_buffers.empty())) return;
  uses_.areas.save(node, queue, {queue.address_space(), area});
  context_of(queue).holder = queue.slot + 1;
  queue.in_packet = false;
  queue.open_buffers.clear();
}

/// Computes when the queue at the node must make room for another one. Only for one that the node
/// can take: else the same queue would come and go without end.
void Scheduler::update_due(Node& node) {
  if (!shared_.config.schedules) return;
  shared_.touch_schedule(true);
  Turn& turn = node.turn;
  if (turn.queue == 0 || turn.yields) return;
  const ScheduledContext& at_node = context_of(*shared_.queues.at(turn.queue - 1));
  const bool exploring = shared_.steps().exploring();
  const Time now = shared_.steps().simulated();
  const Time since = exploring ? ContextRanks::kNever : turn.since;
  for (const HardwareQueue* other : shared_.queues.of_node(node.number)) {
    if (other->of_driver() || other->context_slot() == at_node.slot || !may_run(*other)) continue;
    const Time due = uses_.ranks.due(at_node, context_of(*other), now, since);
    if (due != ContextRanks::kNever) turn.due = std::min(turn.due, exploring ? now : due);
  }
  if (turn.due != Turn::kNever) uses_.turns.schedule_changed.open();
  if (turn.due <= now) uses_.turns.make_room(node);
}

/// Earliest time at which a node must make room.
Time Scheduler::next_due() const {
  Time next = Turn::kNever;
  for (const auto& node : shared_.nodes) next = std::min(next, node->turn.due);
  return next;
}

void Scheduler::run() {
  common::Steps& steps = shared_.steps();
  for (;;) {
    steps.forget();
    const Time next = next_due();
    const Time now = steps.simulated();
    const auto news = [&] { return uses_.suspensions.due() != nullptr || next_due() != next; };
    if (next == Turn::kNever || steps.exploring())
      steps.wait_until(uses_.turns.schedule_changed, news);
    else if (next > now)
      steps.wait_until_for(uses_.turns.schedule_changed, news, next - now);
    for (const auto& node : shared_.nodes)
      if (node->turn.due <= steps.simulated()) uses_.turns.make_room(*node);
    if (const ScheduledContext* context = uses_.suspensions.due())
      uses_.suspensions.report(context->slot);
  }
}

void Scheduler::end_work(HardwareQueue& queue) {
  shared_.touch_schedule(true);
  // The front end of the node works with the state of the queue until the queue has left.
  if (!at_node(queue)) drop_work(queue);
}

void Scheduler::drop_work(HardwareQueue& queue) {
  queue.end_wait();
  queue.in_packet = false;
  queue.open_buffers.clear();
  queue.ring.position = queue.ring.end;
  shared_.report_commands_dropped(queue);
  if (shared_.config.schedules) {
    ScheduledContext& context = context_of(queue);
    if (context.holder == queue.slot + 1) context.holder = 0;
  }
  shared_.set_state(queue, QueueStateKind::kIdle);
}

void Scheduler::reset_turn(Node& node) {
  Turn& turn = node.turn;
  shared_.touch_schedule(true);
  turn.ended = turn.queue;
  if (turn.queue != 0) {
    HardwareQueue& queue = *shared_.queues.at(turn.queue - 1);
    shared_.report_work_dropped(queue);
    drop_work(queue);
  }
  turn.queue = 0;
  turn.due = Turn::kNever;
  turn.yields = turn.asked = turn.timed_out = false;
  turn.held = turn.hold;
  turn.hold = turn.spares_ring = false;
  uses_.turns.schedule_changed.open();
  uses_.turns.queue_moved.open();
}

/// Lets a held node continue after its reset.
void Scheduler::release(Node& node) {
  shared_.touch_schedule(true);
  node.turn.held = false;
  shared_.touch(shared_.place_of(node), true);
  node.changed.open();
  node.ready.open();
  uses_.turns.schedule_changed.open();
}

}  // namespace fenceline::command_processor
