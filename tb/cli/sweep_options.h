#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// The command line is wrong; the message says how.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class SweepEngine : std::uint8_t { kLocal, kSlurm, kCommand };

/// Options that only a sweep takes.
struct SweepOptions {
  std::vector<scenario::Variation> vary;
  std::optional<scenario::SweepDesign> design;
  std::optional<std::uint64_t> points;
  std::optional<std::uint64_t> seeds;
  std::optional<SweepEngine> engine;  ///< none: local
  std::optional<std::uint64_t> shards;
  std::uint64_t at_once = 0;  ///< shards; 0: all
  std::string submit_template;
  std::vector<std::string> submit_options;
  bool plan = false;   ///< make the work folder only
  std::string worker;  ///< work folder of the sweep of which to make a shard
  std::string shard;   ///< "i/n"; empty: the environment says
};

/// What --vary says: "/json/pointer=a,b,c", "/json/pointer=1us..9us:2us", "/json/pointer=1..64*2",
/// or "/json/pointer=1..64". Throws UsageError.
scenario::Variation parse_variation(const std::string& text);

}  // namespace fenceline::cli
