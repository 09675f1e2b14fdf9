#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::display {

/// Display mode as set by firmware; it does not change. A-470.
struct DisplayConfig {
  common::Time refresh_period = 0;  ///< from one vertical sync to the next; 0: no display
  common::Time blanking =
      667 * common::kMicrosecond;            ///< from the vertical sync to the first line; A-471
  std::uint64_t primary_bytes = 8ULL << 20;  ///< bytes per frame; A-472
  /// Number of frames without a new image before self refresh. The panel then shows the image from
  /// its own memory, and the display is silent until the next image; A-473.
  std::uint32_t self_refresh_frames = 2;
};

}  // namespace fenceline::display
