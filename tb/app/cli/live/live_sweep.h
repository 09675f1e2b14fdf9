#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/app/cli/live/live.h"
#include "tb/app/sweep/row.h"

namespace fenceline::cli {

/// The live page of a sweep.
class LiveSweep {
 public:
  /// `live` must outlive it. @param points of the design @param runs of the whole sweep
  /// @param at_once runs that this process makes at the same time; 0: others make them
  LiveSweep(Live& live, std::string name, std::uint64_t points, std::uint64_t runs,
            std::uint64_t at_once);

  /// A run of this process has ended: its packed row.
  void add(const std::string& row);
  /// @param done runs, those of earlier commands and of workers included
  void update(std::uint64_t done);

 private:
  LiveView view() const;

  Live& live_;
  const std::string name_;
  const std::uint64_t points_;
  const std::uint64_t runs_;
  const std::uint64_t at_once_;
  std::uint64_t done_ = 0;
  std::map<std::string, std::uint64_t> verdicts_;  ///< of the runs of this process
  nlohmann::ordered_json failures_ = nlohmann::ordered_json::array();  ///< the first ones
  std::uint64_t failed_ = 0;
  LiveRate rate_;
  double rate_now_ = 0;
};

}  // namespace fenceline::cli
