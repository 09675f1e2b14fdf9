#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/app/sweep/results.h"

namespace fenceline::cli {

/// A progress line on a terminal with the remaining time. Draws nothing on other outputs.
class SweepProgress {
 public:
  SweepProgress(const Console& console, const Options& options, std::string name,
                std::uint64_t runs);
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  /// Sets the number of completed runs.
  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_left(std::uint64_t done) const;

  const Console& console_;
  const std::string name_;
  const std::uint64_t runs_;
  const bool enabled_;
  bool begun_ = false;
  bool drawn_ = false;
  std::uint64_t first_ = 0;  ///< runs that existed at the start
  Clock::time_point start_;
  Clock::time_point next_;
};

/// "1 h 05 min", "2 min 10 s", "40 s".
std::string readable_seconds(std::uint64_t seconds);

/// Summary of a complete sweep for the user. @param folder folder of its files
std::string sweep_text(const sweep::Plan& plan, const sweep::Summary& summary,
                       const std::string& folder);

}  // namespace fenceline::cli
