#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/preemption.h"
#include "models/common/time.h"
#include "models/common/trigger.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// What a node can do. Source: WDDM node types, PCI-independent.
enum class EngineKind : std::uint8_t { kGraphics, kCompute, kCopy };

/// What a node can do for monitored fences. Source: WDDM, context monitoring: basic and advanced.
enum class FenceWrite : std::uint8_t {
  kNone,      ///< it cannot write a value: the OS signals in its place
  kBasic,     ///< it writes the value, the OS looks when a buffer is complete
  kAdvanced,  ///< and can interrupt for each write
};

struct EngineConfig {
  std::string name;  ///< unique on the adapter, e.g. "compute0"
  EngineKind kind = EngineKind::kCompute;
  common::Time issue = 5 * common::kNanosecond;    ///< one memory instruction; A-90
  common::Time compare = 3 * common::kNanosecond;  ///< value against MonitoredValue; A-91
  FenceWrite fence_write = FenceWrite::kAdvanced;
  std::uint64_t copy_mbps = 20'000;  ///< [MB/s] of a copy engine's data path; A-92
  /// A copy keeps its rate over accesses that take up to this: so many are under way; A-670.
  common::Time copy_cover = 8 * common::kMicrosecond;
  std::uint32_t function = 0;  ///< PCIe function that its accesses to the host come from; A-246
  std::vector<common::Trigger> hangs{};   ///< packets that never end, for tests
  std::vector<common::Trigger> faults{};  ///< packets that it cannot execute, for tests
  std::uint32_t adapter = 0;              ///< ObjectKind::kAdapter, for events; set by Gpu
  abi::Granularity granularity{};         ///< where work can be stopped; set by Gpu
  ChipConfig chip{};                      ///< set by Gpu
  std::uint64_t seed = 0;                 ///< of the durations of thread groups
  bool whole_stores = true;  ///< stores of 64 bits are not split; set by GpuConfig::atomics64
};

}  // namespace fenceline::engine
