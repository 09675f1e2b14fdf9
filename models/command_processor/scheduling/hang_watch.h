#pragma once

#include "models/command_processor/engine_port.h"
#include "models/command_processor/scheduling/turns.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// Detects user-mode queues that hang: a packet takes too long, and the queue does not leave its
/// node when it is asked to. Source: WDDM, DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT.
class HangWatch {
 public:
  HangWatch(Shared& shared, Turns& turns, EnginePort& engines)
      : shared_(shared), turns_(turns), engines_(engines) {}

  /// A packet of the queue has ended. A queue that timed out waits here for its reset.
  void note_progress(const HardwareQueue& queue);
  /// Body of the agent.
  void run();

 private:
  void await_verdict(const HardwareQueue& queue);
  bool may_time_out(const Turn& turn) const;
  common::Time next_look() const;
  void look_at(Node& node);
  void report_timeout(Node& node, const HardwareQueue& queue);

  Shared& shared_;
  Turns& turns_;
  EnginePort& engines_;
};

}  // namespace fenceline::command_processor
