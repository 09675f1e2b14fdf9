#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// A timeline under construction. Its slices may be open: their end is not known yet.
class TimelineDraft {
 public:
  static constexpr std::size_t kNoSlice = ~std::size_t{0};

  /// Open slices by a key of the caller.
  using Open = std::map<std::uint64_t, std::size_t>;

  /// Content of a slice or an instant.
  struct Shown {
    Lane lane;
    std::uint64_t object;
    std::uint64_t detail = 0;
    std::uint32_t fence = 0;  ///< 0: none
    std::uint32_t owner = 0;  ///< 0: none
    std::uint32_t process = 0;
    common::EventKind event{};  ///< of an instant of kEvent
  };

  /// Index of the new slice, which is open.
  std::size_t begin(SliceKind kind, std::uint64_t time, const Shown& shown);
  /// Does nothing for kNoSlice.
  void end(std::size_t slice, std::uint64_t time);
  /// Ends the slice of `key`, if there is one, and takes it out of `open`.
  void end(Open& open, std::uint64_t key, std::uint64_t time);
  /// Index of the new instant.
  std::size_t mark(InstantKind kind, std::uint64_t time, const Shown& shown);

  /// Ends all open slices at `end_time` and sorts. The draft is empty then.
  Timeline finish(std::uint64_t end_time);

  Timeline timeline;
  std::uint32_t place = 0;  ///< of new slices and instants
};

/// Key of a pair of small numbers.
constexpr std::uint64_t pair_key(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

}  // namespace fenceline::report
