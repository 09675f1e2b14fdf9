#pragma once

#include <cstdint>

#include "models/abi/registers.h"
#include "models/common/register_file.h"
#include "models/common/steps/gpu_clock.h"

namespace fenceline::cmp {

/// Configuration facts that the read-only registers report.
struct Identity {
  std::uint64_t engines = 0;
  std::uint64_t vram_bytes = 0;
  std::uint32_t adapter = 0;  ///< ObjectKind::kAdapter
  bool whole_stores = true;   ///< the device does not split 64-bit stores
  bool native_fences = true;
  bool iommu = false;
  bool display = false;
  std::uint64_t paging_node = 0;      ///< a node with a copy engine, or 0
  std::uint64_t granularity = 0;      ///< see abi::kGranularity
  std::uint64_t reset_group = 0;      ///< see abi::kResetGroup
  std::uint64_t state_bytes = 0;      ///< see abi::kStateBytes
  std::uint64_t fence_writers = 0;    ///< bit n: engine n
  std::uint64_t fence_notifiers = 0;  ///< bit n: engine n
  std::uint64_t doorbells = 0;        ///< number of shared doorbells; 0: one per queue slot

  /// Value of abi::kHardwareCaps.
  std::uint64_t caps() const {
    return (native_fences ? 0 : abi::kNoNativeFences) | (iommu ? abi::kHasIommu : 0) |
           (display ? abi::kHasDisplay : 0) | paging_node << abi::kPagingNodeShift |
           doorbells << abi::kDoorbellsShift;
  }
  void add_to(common::RegisterFile& registers, const common::GpuClock& clock) const {
    const auto add = [&registers](abi::Register at, std::uint64_t value) {
      registers.add_read_only(at, [value](const auto&) { return value; });
    };
    add(abi::kId, abi::kDeviceId);
    add(abi::kEngineCount, engines);
    add(abi::kVramBytes, vram_bytes);
    add(abi::kAtomicBits, whole_stores ? 64 : 32);
    add(abi::kHardwareCaps, caps());
    add(abi::kGranularity, granularity);
    add(abi::kStateBytes, state_bytes);
    add(abi::kResetGroup, reset_group);
    add(abi::kFenceWriters, fence_writers);
    add(abi::kFenceNotifiers, fence_notifiers);
    add(abi::kClockHz, clock.hertz());
    registers.add_read_only(abi::kTimestamp, [&clock](const auto&) { return clock.ticks(); });
    // On a device without a display its registers are 0.
    if (!display) registers.add({abi::kDisplayMode, 5}, nullptr, nullptr);
  }
};

}  // namespace fenceline::cmp
