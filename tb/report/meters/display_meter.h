#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Counts frames, flips and tears of the displays, as the events come.
class DisplayMeter {
 public:
  void on(const common::At<event::Present>& event);
  void on(const common::At<event::FlipEffective>& event);
  void on(const common::At<event::VerticalSync>& event);
  void on(const common::At<event::ScanTop>& event);
  void on(const common::At<event::ScanBottom>& event);
  /// Appends the counters; none where no display has scanned out a frame.
  void report(std::vector<Counter>& counters) const;

 private:
  /// State of the screen of an adapter.
  struct Screen {
    std::deque<std::uint64_t> waiting;  ///< primaries of presents that have not taken effect
    std::uint64_t current = 0;          ///< primary of the scan-out
    bool flipped = false;               ///< since the last vertical sync
    std::uint64_t top = 0;              ///< word at the top of the frame
    std::uint64_t top_address = 0;
  };

  std::vector<Screen> screens_;  ///< by adapter
  std::uint64_t frames_ = 0, flips_ = 0, missed_syncs_ = 0, tears_ = 0, unfinished_ = 0;
};

}  // namespace fenceline::report
