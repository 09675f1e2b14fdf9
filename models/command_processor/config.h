#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace fenceline::command_processor {

/// When the read index of a ring is written to system memory, for whoever fills the ring.
enum class WriteBack : std::uint8_t {
  kIdle,    ///< after each quarter of the ring, and whenever the ring runs empty
  kQuarter  ///< after each quarter of the ring only
};

struct CommandProcessorConfig {
  common::Time doorbell = 20 * common::kNanosecond;  ///< doorbell write to queue ready; A-70
  common::Time decode = 10 * common::kNanosecond;    ///< one packet; A-71
  common::Time queue_switch =
      200 * common::kNanosecond;  ///< an engine takes up another queue; A-72
  std::uint32_t fetch_bytes =
      256;  ///< one ring or indirect-buffer read; 64 to 4096, a power of two
  WriteBack write_back = WriteBack::kIdle;  ///< A-74
  std::uint32_t doorbells = 0;              ///< that queues share; 0: each queue slot has its own
  /// Where a node stops the buffers of contexts, beside what its engine does within a packet.
  struct Stops {
    bool between_buffers = true;
    bool between_packets = true;
  };
  std::vector<Stops> stops{};  ///< by engine; set by Gpu
  bool schedules = false;      ///< contexts of hardware queues are suspended and have priority
  /// How long a queue of user mode may run without the end of a packet before it is to leave its
  /// node, and how long it may take to leave; then it has hung. 0: nobody looks. A-646
  common::Time engine_timeout = 0;
  bool can_hang = false;            ///< an engine hangs in this scenario; set by Gpu
  bool resets_together = false;     ///< a reset of one node takes all along; set by Gpu
  common::Time context_switch = 0;  ///< beside memory traffic; set by Gpu
  std::uint64_t state_mbps = 0;     ///< [MB/s] at most, of saved state; 0: as memory; set by Gpu
};

}  // namespace fenceline::command_processor
