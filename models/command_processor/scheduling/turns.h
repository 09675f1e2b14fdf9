#pragma once

#include "models/command_processor/engine_port.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// Makes the user-mode queue at a node leave the node.
class Turns {
 public:
  Turns(Shared& shared, EnginePort& engines)
      : schedule_changed(shared.steps()),
        queue_moved(shared.steps()),
        shared_(shared),
        engines_(engines) {}

  common::Gate schedule_changed;  ///< the scheduler must look
  common::Gate queue_moved;       ///< a user-mode queue came to a node or left it

  /// A hang can be detected. While exploring, time stands still: the watch then runs only if the
  /// scenario has a hang.
  bool watched() const {
    return shared_.config.engine_timeout != 0 &&
           (shared_.config.can_hang || !shared_.steps().exploring());
  }
  /// Asks the queue at the node to leave. It has the same time limit as a preemption.
  void ask_to_leave(Node& node) {
    if (watched() && !node.turn.asked) {
      node.turn.progress = shared_.steps().simulated();
      node.turn.asked = true;
    }
    engines_.ask_to_stop(node);
  }
  /// Takes a request to leave back.
  void let_stay(Node& node) { engines_.take_back_stop(node); }
  /// The queue must leave for another queue.
  void make_room(Node& node) {
    node.turn.yields = true;
    node.turn.due = Turn::kNever;
    ask_to_leave(node);
  }
  /// True if the queue must leave its node between two packets.
  bool must_leave(const Node& node, const HardwareQueue& queue) const {
    if (node.turn.queue == 0 || queue.of_driver()) return false;
    shared_.touch_schedule(false);
    return node.stop.reset || !queue.enabled ||
           ((queue.removed || node.turn.yields) &&
            shared_.config.stops[node.number].between_buffers);
  }

 private:
  Shared& shared_;
  EnginePort& engines_;
};

}  // namespace fenceline::command_processor
