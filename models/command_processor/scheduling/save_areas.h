#pragma once

#include <array>
#include <cstdint>

#include "models/command_processor/binder.h"
#include "models/command_processor/memory_port.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// The save areas of contexts in memory: where they are, and how the state of a context moves
/// between its node and its area. Source: WDDM, GPU preemption; abi::SavedContext.
class SaveAreas {
 public:
  SaveAreas(Shared& shared, MemoryPort& memory, Binder& binder, common::RegisterFile& registers);

  /// Address of the save area of a context; 0: none. @pre context < abi::kContextSlots
  std::uint64_t of(std::uint32_t context) const { return contexts_[context]; }
  /// Save area of the context of a user-mode queue.
  std::uint64_t of(const HardwareQueue& queue) const { return contexts_[queue.context_slot()]; }
  /// True if a packet of the queue can be stopped: there is a save area for its progress.
  bool has_room_for(const HardwareQueue& queue) const {
    return shared_.config.schedules && !queue.of_driver() && of(queue) != 0;
  }

  /// Saves the progress of the queue within its buffer.
  void save(const Node& node, const HardwareQueue& queue, Location area);
  /// Restores the queue. False if the area holds no state of this buffer: the buffer then starts
  /// from its beginning. @param buffer address of its outermost stream; 0: any.
  bool restore(Node& node, HardwareQueue& queue, Location area, std::uint64_t buffer);
  /// Saves the state that the node holds between buffers, and loads that of the new context. @param
  /// context slot of the context; 0: none. @param space its address space.
  void switch_context(Node& node, std::uint32_t context, std::uint32_t space);
  /// Reads the memory that the contexts of a device share. Faults without a translation.
  void read_shared_memory(const Node& node, HardwareQueue& queue, std::uint32_t space);

 private:
  using Table = std::array<std::uint64_t, abi::kContextSlots>;

  Shared& shared_;
  MemoryPort& memory_;
  Binder& binder_;
  Table contexts_{};  ///< addresses of the save areas, by slot
  Table devices_{};   ///< memory shared by the contexts of a device, by context slot
};

}  // namespace fenceline::command_processor
