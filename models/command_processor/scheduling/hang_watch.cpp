#include "models/command_processor/scheduling/hang_watch.h"

#include <algorithm>

namespace fenceline::command_processor {

using common::Time;

void HangWatch::note_progress(const HardwareQueue& queue) {
  if (queue.of_driver() || !turns_.watched()) return;
  Node& node = shared_.node_of(queue);
  Turn& turn = node.turn;
  if (turn.queue != queue.slot + 1) return;
  turn.progress = shared_.steps().simulated();
  if (turn.asked && !turn.yields && !queue.removed && !turn.timed_out) {
    turn.asked = false;
    turns_.let_stay(node);
  }
  await_verdict(queue);
}

/// A queue that timed out stops here, even if its packet ends later. The requested reset must hit
/// this queue and no other.
void HangWatch::await_verdict(const HardwareQueue& queue) {
  Node& node = shared_.node_of(queue);
  if (!node.turn.timed_out) return;
  shared_.steps().wait_until(node.changed, [this, &node] {
    shared_.touch(shared_.place_of(node), false);
    return node.stop.reset;
  });
}

/// DisableGpuTimeout covers packets that take long. It does not cover a queue that must leave for a
/// suspension.
bool HangWatch::may_time_out(const Turn& turn) const {
  const HardwareQueue& queue = *shared_.queues.at(turn.queue - 1);
  return queue.removed || (queue.field(abi::kQueueControl) & abi::kQueueNoTimeout) == 0;
}

/// Next time to check a node; kNever: no user-mode queue is at a node.
Time HangWatch::next_look() const {
  Time next = Turn::kNever;
  for (const auto& node : shared_.nodes)
    if (node->turn.queue != 0 && !node->turn.timed_out && may_time_out(node->turn))
      next = std::min(next, node->turn.progress + shared_.config.engine_timeout);
  return next;
}

void HangWatch::run() {
  common::Steps& steps = shared_.steps();
  const auto busy = [this] {
    shared_.touch_schedule(false);
    return turns_.watched() && next_look() != Turn::kNever;
  };
  for (;;) {
    steps.forget();
    steps.wait_until(turns_.queue_moved, busy);
    const Time now = steps.simulated();
    const Time next = next_look();
    const Time limit = next > now ? next - now : 0;
    const auto idle = [&busy] { return !busy(); };
    if (steps.wait_until_for(turns_.queue_moved, idle, limit, common::Fires::kLast)) continue;
    for (const auto& node : shared_.nodes) look_at(*node);
  }
}

/// The first timeout asks the queue to leave, the second reports it as hung.
void HangWatch::look_at(Node& node) {
  Turn& turn = node.turn;
  common::Steps& steps = shared_.steps();
  shared_.touch_schedule(true);
  if (turn.queue == 0 || turn.timed_out || !may_time_out(turn)) return;
  if (!steps.exploring() && steps.simulated() < turn.progress + shared_.config.engine_timeout)
    return;
  steps.observe(std::uint64_t{turn.queue} << 1 | (turn.asked ? 1U : 0U));
  if (turn.asked) return report_timeout(node, *shared_.queues.at(turn.queue - 1));
  if (shared_.config.schedules) return turns_.make_room(node);
  turns_.ask_to_leave(node);
}

void HangWatch::report_timeout(Node& node, const HardwareQueue& queue) {
  node.turn.timed_out = true;
  shared_.simulation.emit(event::EngineTimedOut{queue.object, shared_.adapter, node.number + 1});
  engines_.report(node.number, queue, abi::make_packet<abi::Opcode::kTimedOut>(0));
}

}  // namespace fenceline::command_processor
