#pragma once

#include <array>
#include <cstdint>

#include "models/command_processor/memory_port.h"
#include "models/command_processor/scheduling/scheduler.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// Doorbells of queues, own or shared, and scans of write pointers in memory: how a queue learns
/// that its ring has new packets.
class Doorbells {
 public:
  Doorbells(Shared& shared, MemoryPort& memory, Scheduler& scheduler,
            common::RegisterFile& registers);

  /// A doorbell page is written. @param page number of the page; @param data the write pointer.
  void ring(std::uint64_t page, std::uint64_t data);

  /// A queue of the node whose write pointer in memory must be read; null if there is none.
  HardwareQueue* next_scan(const Node& node) const;
  /// Reads the write pointer in memory, as if a doorbell had delivered it.
  void scan(const Node& node, HardwareQueue& queue);
  void add_to(common::Hasher& hasher) const;

 private:
  HardwareQueue* queue_of(std::uint64_t page) const;
  void announce(HardwareQueue& queue, std::uint64_t write_pointer);
  void request_scan(std::uint64_t slot);

  Shared& shared_;
  MemoryPort& memory_;
  Scheduler& scheduler_;
  std::array<std::uint64_t, abi::kQueueSlots> pages_{};  ///< abi::kDoorbellTable
  bool scans_ = false;                                   ///< abi::kRingScan was used
};

}  // namespace fenceline::command_processor
