#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/hash.h"
#include "models/display/config.h"

namespace fenceline::display {

/// State of the scan-out: the current primary and the time of the next frame. The display does the
/// reading and the waiting.
class ScanOut {
 public:
  explicit ScanOut(const DisplayConfig& config) : config_(config) {}

  /// The address of the primary is written. @return true if it takes effect at once.
  bool write(std::uint64_t primary, bool immediate) {
    frames_left_ = config_.self_refresh_frames;
    pending_ = !immediate;
    next_ = primary;
    if (immediate) current_ = primary;
    return immediate;
  }
  /// A frame begins. @return true if the primary changes.
  bool sync(common::Time now) {
    last_sync_ = now;
    ++frame_;
    const bool flips = pending_;
    if (flips) {
      current_ = next_;
      pending_ = false;
      frames_left_ = config_.self_refresh_frames;
    } else if (frames_left_ > 0) {
      --frames_left_;
    }
    return flips;
  }
  /// True if there is an image that the panel does not have in its own memory.
  bool awake() const { return pending_ || frames_left_ > 0; }

  /// Start of the next frame. Syncs are at multiples of the period.
  common::Time next_sync(common::Time now) const {
    const common::Time period = config_.refresh_period;
    return std::max((now + period - 1) / period * period,
                    last_sync_ == 0 ? period : last_sync_ + period);
  }
  /// Time from the sync to the line at `part` of `parts` of the frame.
  common::Time line(std::uint64_t part, std::uint64_t parts) const {
    return config_.blanking + (config_.refresh_period - config_.blanking) / parts * part;
  }

  std::uint64_t current() const { return current_; }  ///< GPU physical address
  std::uint64_t frame() const { return frame_; }      ///< frame number, from 1
  std::uint64_t hash() const {
    return common::hash_values(current_, pending_ ? next_ : ~0ULL, frames_left_);
  }

 private:
  const DisplayConfig config_;
  std::uint64_t current_ = 0;
  std::uint64_t next_ = 0;
  bool pending_ = false;
  std::uint32_t frames_left_ = 0;
  std::uint64_t frame_ = 0;
  common::Time last_sync_ = 0;
};

}  // namespace fenceline::display
