#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::fabric {

struct FabricConfig {
  static constexpr const char* kName = "fabric";
  std::uint32_t write_banks = 2;
  std::uint32_t fifo_depth = 32;                           ///< A-60
  common::Time drain_latency = 120 * common::kNanosecond;  ///< A-61
  common::Time drain_interval = 2 * common::kNanosecond;   ///< A-62
  common::Time read_latency = 60 * common::kNanosecond;    ///< A-63

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.number("write_banks", t.write_banks, {1, 16}, "Posted FIFOs per agent towards VRAM.");
    v.number("fifo_depth", t.fifo_depth, {1, 1024}, "Writes per FIFO before its agent stalls.");
    v.duration("drain_latency", t.drain_latency, "Time from FIFO to memory.");
    v.duration("drain_interval", t.drain_interval, "Time between two writes of a FIFO.");
    v.duration("read_latency", t.read_latency, "Time from agent to memory controller.");
  }
};

}  // namespace fenceline::fabric
