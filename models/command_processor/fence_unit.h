#pragma once

#include <cstdint>
#include <tlm>

#include "models/command_processor/engine_port.h"
#include "models/command_processor/fence_tags.h"
#include "models/command_processor/memory_port.h"
#include "models/command_processor/scheduling/scheduler.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// Waits and signals of queues: which queue waits for which fence slot, and when it looks again.
///
/// A wait reads CurrentValue. If the value is too low, the queue is parked and reads once more; the
/// engine takes another queue. A signal, the CPU or another GPU makes parked queues look again.
/// Source: WDDM native fences, wait on the GPU; common::GpuOrdering for the parts that can be left
/// out.
class FenceUnit {
 public:
  /// Parts of the command processor that it uses.
  struct Uses {
    MemoryPort& memory;
    EnginePort& engines;
    Scheduler& scheduler;
  };
  FenceUnit(Shared& shared, const Uses& uses);

  /// Runs a WAIT. False when the queue must leave the engine.
  bool run_wait(Node& node, HardwareQueue& queue, const abi::FencePacket& packet);
  /// Runs a SIGNAL. Engines and CMP use plain slots without tags. False when it was stopped.
  bool run_signal(Node& node, HardwareQueue& queue, common::EngineCommand& command);
  /// True if the device has retired the fence that `name` stands for.
  bool is_stale(std::uint32_t name) const;

  /// A request of the CMP or of a signal about a fence slot: abi::kKick flags. Runs in the process
  /// of its sender. A GPU signal wakes parked queues only. The CPU's kick also reaches queues that
  /// are about to park.
  void rescan(std::uint32_t slot, std::uint64_t request);
  /// Takes a doorbell of another GPU. The payload selects the queues that look again.
  void take_peer_doorbell(std::uint64_t payload);

  /// Number of fence value reads by waiting queues.
  std::uint64_t wait_reads() const { return wait_reads_; }
  void add_to(common::Hasher& hasher) const { tags_.add_to(hasher); }

 private:
  bool skips_stale(HardwareQueue& queue, const abi::FencePacket& packet, bool waits);
  bool satisfied(const Node& node, HardwareQueue& queue, const abi::FencePacket& packet);
  bool park(const Node& node, HardwareQueue& queue, const abi::FencePacket& packet);
  bool look_again(HardwareQueue& queue, bool latches);
  template <typename Concerned>
  std::uint64_t look_again_if(const Concerned& concerned, bool latches);
  void retire(std::uint32_t slot);

  Shared& shared_;
  const Uses uses_;
  FenceTags tags_;
  common::Gate signal_ended_;
  std::uint64_t wait_reads_ = 0;
};

}  // namespace fenceline::command_processor
