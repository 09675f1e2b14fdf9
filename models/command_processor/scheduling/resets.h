#pragma once

#include <cstdint>

#include "models/command_processor/engine_port.h"
#include "models/command_processor/scheduling/scheduler.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// Resets of nodes: what is dropped, and what waits until the node continues. See
/// abi::kEngineReset.
class Resets {
 public:
  Resets(Shared& shared, EnginePort& engines, Scheduler& scheduler,
         common::RegisterFile& registers);

  /// Drops the node's current work and its context state. A node that runs nothing keeps its
  /// context state. The front end calls it when the node has stopped.
  void carry_out(Node& node);
  /// Between two packets the driver's own ring waits while the node is held.
  void wait_while_held(Node& node, HardwareQueue& queue);

 private:
  void request(Node& node, std::uint64_t value);
  void request_all(const Node& first);
  bool is_done(const Node& node) const;
  void await_end(Node& node);
  void drop_driver_ring(Node& node, HardwareQueue& ring);

  Shared& shared_;
  EnginePort& engines_;
  Scheduler& scheduler_;
};

}  // namespace fenceline::command_processor
