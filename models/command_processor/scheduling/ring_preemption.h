#pragma once

#include <cstdint>

#include "models/command_processor/engine_port.h"
#include "models/command_processor/scheduling/resets.h"
#include "models/command_processor/scheduling/save_areas.h"
#include "models/command_processor/scheduling/turns.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// Buffers of contexts in the driver's own rings: how they begin and end, and how a preemption
/// stops them. The node stops where its granularity allows, saves the state of the buffer, and
/// drops the later buffers. Source: WDDM, GPU preemption.
class RingPreemption {
 public:
  /// Parts of the command processor that it uses.
  struct Uses {
    SaveAreas& areas;
    EnginePort& engines;
    const Turns& turns;
    Resets& resets;
  };
  RingPreemption(Shared& shared, const Uses& uses, common::RegisterFile& registers);

  void begin(Node& node, HardwareQueue& queue, const abi::RunBufferPacket& packet);
  void end(Node& node, HardwareQueue& queue);
  /// Drops the rest of a buffer with a fault, and the CMP reports it. The buffers after it run.
  bool give_up(Node& node, HardwareQueue& queue);

  /// True if the queue must stop between two packets of a buffer.
  bool stops_here(const Node& node, const HardwareQueue& queue) const;
  /// True if the front end must handle a reset or a preemption before it runs queues.
  bool has_request(const Node& node) const;
  /// Handles the request that has_request found. False if there was none.
  bool attend(Node& node);

 private:
  void request_preemption(Node& node, std::uint64_t id);
  void report_preemption(Node& node);

  Shared& shared_;
  const Uses uses_;
};

}  // namespace fenceline::command_processor
