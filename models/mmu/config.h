#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::mmu {

struct MmuConfig {
  std::uint32_t tlb_entries = 256;                     ///< direct mapped, a power of two; A-50
  common::Time hit_latency = 2 * common::kNanosecond;  ///< A-51
};

}  // namespace fenceline::mmu
