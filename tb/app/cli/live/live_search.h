#pragma once

#include <cstddef>
#include <string>

#include "tb/app/cli/live/live.h"
#include "tb/explore/explore.h"
#include "tb/explore/matrix.h"

namespace fenceline::cli {

/// The live page of a search.
class LiveSearch {
 public:
  /// `live` must outlive it. @param name of the scenario
  LiveSearch(Live& live, std::string name, const explore::SearchLimits& limits);

  /// @param frontier null while orders are random
  void update(const explore::SearchReport& report, const explore::Frontier* frontier);
  /// The search has ended.
  void finish(const explore::Exploration& exploration);

 private:
  LiveView view(const explore::SearchReport& report);
  void add_frontier(const explore::SearchReport& report, const explore::Frontier& frontier,
                    LiveView& view);

  Live& live_;
  const std::string name_;
  const std::uint64_t max_executions_;
  LiveRate rate_;
  double rate_now_ = 0;
};

/// The live page of a matrix of searches.
class LiveMatrix {
 public:
  /// `live` must outlive it. @param name of the scenario
  LiveMatrix(Live& live, const std::string& name);

  /// A subset of the switches has been searched. @param all subsets
  void update(const explore::MatrixRow& row, std::size_t all);

 private:
  Live& live_;
  LiveView view_;
  std::uint64_t proved_ = 0;
  std::uint64_t violated_ = 0;
  std::uint64_t executions_ = 0;
  LiveRate rate_;
};

}  // namespace fenceline::cli
