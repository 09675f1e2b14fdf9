#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/command_processor/hardware_queue.h"

namespace fenceline::command_processor {

/// The hardware queues by slot, and the enabled ones by node.
class Queues {
 public:
  explicit Queues(std::size_t nodes) : by_slot_(abi::kQueueSlots), by_node_(nodes) {}

  /// Null where the driver made no queue. @pre slot < abi::kQueueSlots
  HardwareQueue* at(std::uint64_t slot) const { return by_slot_[slot].get(); }
  const std::vector<std::unique_ptr<HardwareQueue>>& by_slot() const { return by_slot_; }
  HardwareQueue& create(std::uint32_t slot) {
    by_slot_[slot] = std::make_unique<HardwareQueue>();
    by_slot_[slot]->slot = slot;
    return *by_slot_[slot];
  }

  /// Enabled queues of each node, in the order of enabling.
  const std::vector<std::vector<HardwareQueue*>>& by_node() const { return by_node_; }
  const std::vector<HardwareQueue*>& of_node(std::uint32_t node) const { return by_node_[node]; }
  void attach(HardwareQueue& queue) { by_node_[queue.engine].push_back(&queue); }
  void detach(HardwareQueue& queue) {
    auto& queues = by_node_[queue.engine];
    queues.erase(std::remove(queues.begin(), queues.end(), &queue), queues.end());
  }
  /// The driver's own ring that feeds the node; null if there is none.
  HardwareQueue* driver_ring(std::uint32_t node) const {
    for (HardwareQueue* queue : by_node_[node])
      if (queue->of_driver()) return queue;
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<HardwareQueue>> by_slot_;
  std::vector<std::vector<HardwareQueue*>> by_node_;
};

}  // namespace fenceline::command_processor
