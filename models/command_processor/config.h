#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/abi/keys.h"
#include "models/common/steps/time.h"

namespace fenceline::command_processor {

/// When the read pointer of a ring is written to system memory.
enum class WriteBack : std::uint8_t {
  kIdle,    ///< after each quarter of the ring, and when the ring becomes empty
  kQuarter  ///< only after each quarter of the ring
};
constexpr std::array<abi::Choice<WriteBack>, 2> kWriteBacks{
    {{"idle", WriteBack::kIdle}, {"quarter", WriteBack::kQuarter}}};

struct CommandProcessorConfig {
  static constexpr const char* kName = "command_processor";
  common::Time doorbell = 20 * common::kNanosecond;       ///< A-70
  common::Time decode = 10 * common::kNanosecond;         ///< A-71
  common::Time queue_switch = 200 * common::kNanosecond;  ///< A-72
  std::uint32_t fetch_bytes = 256;
  WriteBack write_back = WriteBack::kIdle;  ///< A-74
  std::uint32_t doorbells = 0;              ///< number of shared doorbells; 0: one per queue slot
  /// Points where a node stops buffers of contexts, in addition to stops within a packet.
  struct Stops {
    bool between_buffers = true;
    bool between_packets = true;
  };
  std::vector<Stops> stops{};  ///< by engine; set by Gpu
  bool schedules = false;      ///< hardware-queue contexts have priorities and can be suspended
  /// Time that a user-mode queue may run without finishing a packet. Then it must leave its node.
  /// If it does not leave within the same time again, it hangs. 0: no check. A-646
  common::Time engine_timeout = 0;
  bool can_hang = false;            ///< an engine hangs in this scenario; set by Gpu
  bool resets_together = false;     ///< a reset of one node resets all nodes; set by Gpu
  common::Time context_switch = 0;  ///< without memory traffic; set by Gpu
  std::uint64_t state_mbps = 0;     ///< [MB/s] limit for saved state; 0: memory speed; set by Gpu

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.duration("doorbell", t.doorbell, "Time from doorbell write to ready queue.");
    v.duration("decode", t.decode, "Time to decode one packet.");
    v.duration("queue_switch", t.queue_switch, "Time for an engine to take another queue.");
    v.size("fetch", t.fetch_bytes, {64, 4096, 1, true},
           "Size of one read of a ring or indirect buffer.");
    v.choice("write_back", t.write_back, kWriteBacks,
             "When the read pointer of a ring is written to memory: when the ring is empty and "
             "after each quarter, or only after each quarter.");
  }
};

}  // namespace fenceline::command_processor
