#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

struct Job;

/// One line on a terminal that says how far a run is; draws nothing elsewhere, nor in the first
/// half second, nor more than ten times a second.
class Progress {
 public:
  Progress(const Console& console, const Options& options, std::string scenario, const Job& job);

  /// The run has reached `now` [ps].
  void update(std::uint64_t now);
  /// Removes the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::string scenario_;
  std::uint64_t end_ = 0;  ///< [ps], 0 if the run has no set end
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace fenceline::cli
