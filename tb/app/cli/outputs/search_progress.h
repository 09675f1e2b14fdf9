#pragma once

#include <chrono>
#include <string>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/explore/search/search_report.h"

namespace fenceline::cli {

/// A progress line of a search on a terminal, updated once per second.
class SearchProgress {
 public:
  SearchProgress(const Console& console, const Options& options, std::string name);
  /// Removes the line.
  ~SearchProgress();
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  void update(const explore::SearchReport& report);

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  const std::string name_;
  const bool shown_;
  bool drawn_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace fenceline::cli
