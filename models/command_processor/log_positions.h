#pragma once

#include <cstdint>
#include <tlm>

#include "models/command_processor/memory_port.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// The fence logs of queues: where the next entry goes. An engine takes a cursor for one entry and
/// gives it back with the next position. The driver changes a log only between two entries.
class LogPositions {
 public:
  LogPositions(Shared& shared, MemoryPort& memory)
      : shared_(shared), memory_(memory), written_(shared.steps()) {}

  /// Serves an engine: a read begins an entry, a write ends it. See common::LogCursor.
  void access(tlm::tlm_generic_payload& payload);
  /// The driver has written the address of a log. Waits for the end of an entry: the whole entry
  /// goes to the old buffer before the register changes.
  void set(HardwareQueue& queue, common::LogKind kind);

 private:
  static QueueLog& log_of(HardwareQueue& queue, common::LogKind kind) {
    return kind == common::LogKind::kWaits ? queue.waits : queue.signals;
  }

  Shared& shared_;
  MemoryPort& memory_;
  common::Gate written_;  ///< an engine has issued a log entry and its index
};

}  // namespace fenceline::command_processor
