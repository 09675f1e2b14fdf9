#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/hash.h"
#include "models/common/time.h"

namespace fenceline::command_processor {

/// Scheduler state of a context of user-mode queues. Plain data.
struct ScheduledContext {
  std::uint32_t slot = 0;     ///< slot of the context table; 0: queues without a context
  std::uint64_t suspend = 0;  ///< fence of a suspension to report; 0: none
  std::uint32_t holder = 0;   ///< slot + 1 of the queue whose state is in the save area; 0: none
  std::uint32_t band = 1;
  std::uint32_t level = 0;     ///< within the highest band
  std::uint32_t priority = 0;  ///< among contexts of one VMID
  std::uint32_t vmid = 0;
  common::Time quantum = 0;     ///< 0: no limit
  common::Time grace_same = 0;  ///< extra time after the quantum
  common::Time grace_lower =
      0;  ///< extra time for a context of lower priority of the same VMID and band

  /// True if it outranks the other. Contexts of different processes in one band take turns.
  bool above(const ScheduledContext& other) const {
    if (band != other.band) return band > other.band;
    if (level != other.level) return level > other.level;
    return vmid == other.vmid && priority > other.priority;
  }
  std::uint64_t hash() const {
    return common::Hasher()
        .add(suspend)
        .add(std::uint64_t{holder} << 32 | band << 16 | level << 8 | priority)
        .value();
  }
};

/// Scheduler state of a node. Plain data.
struct Turn {
  static constexpr common::Time kNever = ~common::Time{0};
  std::uint32_t queue = 0;    ///< slot + 1 of the user-mode queue at the node; 0: none
  std::uint32_t ended = 0;    ///< slot + 1 of the queue that the last reset ended
  common::Time since = 0;     ///< when the queue could begin; kNever: not yet
  common::Time due = kNever;  ///< when the queue must make room
  bool yields = false;        ///< `due` has passed
  bool hold = false;          ///< a reset in progress will hold the node
  bool spares_ring = false;   ///< and spares the driver's own ring
  bool held = false;          ///< the node runs nothing
  // For CommandProcessorConfig::engine_timeout.
  common::Time progress = 0;  ///< last end of a packet, or time of the request to leave
  bool asked = false;         ///< the queue was asked to leave
  bool timed_out = false;     ///< the queue did not leave: the node waits for its reset

  std::uint64_t hash() const {
    return std::uint64_t{ended} << 32 | std::uint64_t{queue} << 6 | (spares_ring ? 32U : 0U) |
           (timed_out ? 16U : 0U) | (asked ? 8U : 0U) | (yields ? 4U : 0U) | (hold ? 2U : 0U) |
           (held ? 1U : 0U);
  }
};

}  // namespace fenceline::command_processor
