#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/keys.h"
#include "models/abi/preemption.h"
#include "models/common/steps/time.h"
#include "models/common/steps/trigger.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// Kind of a node. Source: WDDM node types, PCI-independent.
enum class EngineKind : std::uint8_t { kGraphics, kCompute, kCopy };
constexpr std::array<abi::Choice<EngineKind>, 3> kEngineKinds{{{"graphics", EngineKind::kGraphics},
                                                               {"compute", EngineKind::kCompute},
                                                               {"copy", EngineKind::kCopy}}};

/// Support of a node for monitored fences. Source: WDDM, context monitoring: basic and advanced.
enum class FenceWrite : std::uint8_t {
  kNone,      ///< cannot write a value: the OS signals instead
  kBasic,     ///< writes the value; the OS checks it when a buffer completes
  kAdvanced,  ///< can also interrupt at each write
};
constexpr std::array<abi::Choice<FenceWrite>, 3> kFenceWrites{
    {{"none", FenceWrite::kNone},
     {"basic", FenceWrite::kBasic},
     {"advanced", FenceWrite::kAdvanced}}};

struct EngineConfig {
  static constexpr const char* kName = "engine";
  std::string name;
  EngineKind kind = EngineKind::kCompute;
  common::Time issue = 5 * common::kNanosecond;    ///< A-90
  common::Time compare = 3 * common::kNanosecond;  ///< A-91
  FenceWrite fence_write = FenceWrite::kAdvanced;
  std::uint64_t copy_mbps = 20'000;  ///< A-92
  /// A copy keeps its rate for access latencies up to this value: it has enough accesses in flight;
  ///
  common::Time copy_cover = 8 * common::kMicrosecond;
  std::uint32_t function = 0;             ///< A-246
  std::vector<common::Trigger> hangs{};   ///< packets that never end; for tests
  std::vector<common::Trigger> faults{};  ///< packets that fail to execute; for tests
  std::uint32_t adapter = 0;              ///< ObjectKind::kAdapter, for events; set by Gpu
  abi::Granularity granularity{};         ///< points where work can stop; set by Gpu
  ChipConfig chip{};                      ///< set by Gpu
  std::uint64_t seed = 0;                 ///< seed of the durations of thread groups
  bool whole_stores = true;  ///< 64-bit stores are not split; set by GpuConfig::atomics64

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.required().name("name", t.name, "Unique on the adapter.");
    v.required().choice("kind", t.kind, kEngineKinds, "Kind of the node.");
    v.duration("issue", t.issue, "Time of one memory instruction.");
    v.duration("compare", t.compare, "Time to compare a value with MonitoredValue.");
    v.rate("copy_bandwidth", t.copy_mbps, "Bandwidth of a copy engine's data path.");
    v.number("function", t.function, {0, 7}, "PCIe function of its accesses to the host.");
    v.choice(
        "fence_write", t.fence_write, kFenceWrites,
        "Monitored fences: the engine cannot write them, can write them, or can also interrupt.");
  }
};

}  // namespace fenceline::engine
