#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::display {

/// The mode of a display, as firmware has set it; nobody changes it. A-470.
struct DisplayConfig {
  common::Time refresh_period = 0;  ///< from one vertical sync to the next; 0: no display
  common::Time blanking = 667 * common::kMicrosecond;  ///< from the sync to the first line; A-471
  std::uint64_t primary_bytes = 8ULL << 20;            ///< of a frame; A-472
  /// Frames without a new image after which the panel shows it from a memory of its own, and the
  /// display is silent until there is another one; A-473.
  std::uint32_t self_refresh_frames = 2;
};

}  // namespace fenceline::display
