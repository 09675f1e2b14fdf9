#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/command_processor/log_positions.h"
#include "models/command_processor/memory_port.h"
#include "models/command_processor/scheduling/scheduler.h"
#include "models/command_processor/shared.h"
#include "models/common/register_file.h"

namespace fenceline::command_processor {

/// The queue table: the registers through which the driver makes, changes and removes queues.
class QueueRegisters {
 public:
  /// Parts of the command processor that it uses.
  struct Uses {
    MemoryPort& memory;
    Scheduler& scheduler;
    LogPositions& logs;
  };
  /// @param front_ends agent names, for the names of the driver's own rings.
  QueueRegisters(Shared& shared, const Uses& uses, const std::vector<std::string>& front_ends,
                 common::RegisterFile& registers);

 private:
  /// A word of the table.
  struct Word {
    HardwareQueue& queue;
    std::uint64_t field;  ///< offset in the entry
    std::uint64_t& value;
  };
  Word word(std::uint64_t index);
  HardwareQueue& create(std::uint32_t slot);
  void write(const Word& word, std::uint64_t value);
  void update_control(HardwareQueue& queue);
  void enable(HardwareQueue& queue);
  std::uint32_t name_of(const HardwareQueue& queue);

  Shared& shared_;
  const Uses uses_;
  const std::vector<std::string> front_ends_;
};

}  // namespace fenceline::command_processor
