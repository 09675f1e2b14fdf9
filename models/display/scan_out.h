#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/hash.h"
#include "models/display/config.h"

namespace fenceline::display {

/// What a display scans out, and when its next frame begins. Plain state; the display does the
/// reading and the waiting.
class ScanOut {
 public:
  explicit ScanOut(const DisplayConfig& config) : config_(config) {}

  /// The address of the primary is written. @return true if it is in effect at once.
  bool write(std::uint64_t primary, bool immediate) {
    frames_left_ = config_.self_refresh_frames;
    pending_ = !immediate;
    next_ = primary;
    if (immediate) current_ = primary;
    return immediate;
  }
  /// A frame begins. @return true if another primary is scanned out from now on.
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
  /// There is something to scan out that the panel has not got in its own memory.
  bool awake() const { return pending_ || frames_left_ > 0; }

  /// When the next frame begins: syncs are at the multiples of the period.
  common::Time next_sync(common::Time now) const {
    const common::Time period = config_.refresh_period;
    return std::max((now + period - 1) / period * period,
                    last_sync_ == 0 ? period : last_sync_ + period);
  }
  /// When the line that is `part` of `parts` down the frame is read, after its sync.
  common::Time line(std::uint64_t part, std::uint64_t parts) const {
    return config_.blanking + (config_.refresh_period - config_.blanking) / parts * part;
  }

  std::uint64_t current() const { return current_; }  ///< GPU physical
  std::uint64_t frame() const { return frame_; }      ///< number of the frame, from 1
  std::uint64_t hash() const {
    return common::Hasher().add(current_).add(pending_ ? next_ : ~0ULL).add(frames_left_).value();
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
