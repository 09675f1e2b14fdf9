#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::fabric {

struct FabricConfig {
  std::uint32_t write_banks = 2;  ///< posted FIFOs per agent towards VRAM; 1 to 16
  std::uint32_t fifo_depth = 32;  ///< writes per FIFO before its agent stalls; A-60
  common::Time drain_latency = 120 * common::kNanosecond;  ///< from FIFO to memory; A-61
  common::Time drain_interval = 2 * common::kNanosecond;   ///< between two writes of a FIFO; A-62
  common::Time read_latency = 60 * common::kNanosecond;  ///< from agent to memory controller; A-63
};

}  // namespace fenceline::fabric
