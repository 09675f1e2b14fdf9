#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::mmu {

struct MmuConfig {
  static constexpr const char* kName = "mmu";
  std::uint32_t tlb_entries = 256;                     ///< A-50
  common::Time hit_latency = 2 * common::kNanosecond;  ///< A-51

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.number("tlb_entries", t.tlb_entries, {1, 65536, true}, "Entries of the TLB; direct mapped.");
    v.duration("hit_latency", t.hit_latency, "Latency of a TLB hit.");
  }
};

}  // namespace fenceline::mmu
