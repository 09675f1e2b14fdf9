#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/app/cli/live/live.h"
#include "tb/campaign/campaign.h"

namespace fenceline::cli {

/// The live page of a campaign.
class LiveCampaign {
 public:
  /// `live` must outlive it. @param name of the constraints @param runs of the whole campaign
  LiveCampaign(Live& live, std::string name, std::uint64_t runs);

  /// A run has ended. @param now by this command, not by an earlier one
  void add(const campaign::Evaluation& evaluation, bool now);
  /// @param done runs, those of earlier commands included
  void update(std::uint64_t done);
  /// All runs have ended.
  void finish();
  /// A failure is now made small. @param number from 0
  void shrink(std::size_t number, std::size_t all, const std::string& cause);

 private:
  LiveView view() const;

  Live& live_;
  const std::string name_;
  const std::uint64_t runs_;
  std::uint64_t done_ = 0;
  std::uint64_t made_ = 0;  ///< by this command
  std::uint64_t failed_ = 0;
  std::uint64_t states_ = 0;  ///< of all searches
  std::uint64_t executions_ = 0;
  std::map<std::string, std::pair<campaign::Failure, std::uint64_t>> groups_;  ///< by key
  coverage::Table coverage_;
  LiveRate rate_;
  double rate_now_ = 0;
};

}  // namespace fenceline::cli
