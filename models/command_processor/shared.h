#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/command_processor/config.h"
#include "models/command_processor/node.h"
#include "models/command_processor/queues.h"
#include "models/common/fence_names.h"
#include "models/common/simulation.h"
#include "models/common/steps/gpu_clock.h"

namespace fenceline::command_processor {

/// State that all parts of a command processor share: its queues and its nodes.
struct Shared {
  /// Facts about the GPU around it.
  struct Around {
    const common::GpuClock& clock;
    const common::FenceNames& fences;
    std::uint32_t adapter;  ///< ObjectKind::kAdapter
  };
  Shared(common::Simulation& all, const CommandProcessorConfig& settings, std::size_t engines,
         const Around& around);

  common::Simulation& simulation;
  const CommandProcessorConfig& config;
  const common::GpuClock& clock;
  const common::FenceNames& fences;
  const std::uint32_t adapter;  ///< ObjectKind::kAdapter
  Queues queues;
  std::vector<std::unique_ptr<Node>> nodes;  ///< by engine
  const std::uint64_t tags_place;            ///< footprint place: the tags of fence names
  const std::uint64_t waits_place;           ///< footprint place: the waits of all queues
  /// Footprint place: contexts and the queue at each node. 0 unless queues can be ended.
  std::uint64_t schedule_place = 0;
  std::uint64_t faults = 0;  ///< number of packets that could not be executed

  common::Steps& steps() const { return simulation.steps; }
  Node& node_of(const HardwareQueue& queue) const { return *nodes[queue.engine]; }
  HardwareQueue* driver_ring(const Node& node) const { return queues.driver_ring(node.number); }
  /// A user-mode queue can be ended by a reset.
  bool ends_queues() const { return config.schedules || config.engine_timeout != 0; }

  void set_state(HardwareQueue& queue, event::QueueStateKind state) const;
  /// Counts a packet that cannot be executed. A buffer of the driver is given up because of it; a
  /// user-mode queue skips the packet.
  void fault(HardwareQueue& queue, abi::FaultCode code, std::uint64_t address = 0);

  /// Footprint place of requests to the node.
  std::uint64_t place_of(const Node& node) const;
  void touch(std::uint64_t place, bool write) const {
    simulation.steps.touch(common::Place::kRegister, place, write);
  }
  void touch_schedule(bool write) const { touch(schedule_place, write); }

  /// Event: the queue dropped its commands up to its ring position.
  void report_commands_dropped(const HardwareQueue& queue) const;
  /// Event: a reset drops the work of the queue, if it has any.
  void report_work_dropped(const HardwareQueue& queue) const;
};

}  // namespace fenceline::command_processor
