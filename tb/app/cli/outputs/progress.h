#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

struct Job;

/// [ps] end of the run by the clock, 0 if it has none.
std::uint64_t end_of(const Job& job);

/// A progress line on a terminal. Draws nothing on other outputs or in the first half second, and
/// at most ten times per second.
class Progress {
 public:
  Progress(const Console& console, const Options& options);

  /// One of `count` runs has reached `now` [ps]; `done` runs have ended.
  void update(const Job& job, std::size_t done, std::size_t count, std::uint64_t now);
  /// Removes the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace fenceline::cli
