#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::display {

/// Display mode as set by firmware; it does not change. A-470.
struct DisplayConfig {
  static constexpr const char* kName = "display";
  common::Time refresh_period = 0;
  common::Time blanking = 667 * common::kMicrosecond;  ///< A-471
  std::uint64_t primary_bytes = 8ULL << 20;            ///< A-472
  std::uint32_t self_refresh_frames = 2;               ///< A-473

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.duration("period", t.refresh_period, {0, common::kSecond},
               "Time between vertical syncs; 0ps: no display.");
    v.duration("blanking", t.blanking, "Time from the vertical sync to the first line.");
    v.size("primary", t.primary_bytes, {64 << 10, 1 << 28, 4096}, "Bytes per image.");
    v.number("self_refresh_frames", t.self_refresh_frames, {1, 1000},
             "Number of frames without a new image before the panel shows its own copy.");
  }
};

}  // namespace fenceline::display
