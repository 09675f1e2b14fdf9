#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// Error in the command line, with its explanation.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class SweepEngine : std::uint8_t { kLocal, kSlurm, kCommand };

/// Options of a sweep.
struct SweepOptions {
  std::vector<scenario::Variation> vary;
  std::optional<scenario::SweepDesign> design;
  std::optional<std::uint64_t> points;
  std::optional<std::uint64_t> seeds;
  std::optional<SweepEngine> engine;  ///< none: local
  std::optional<std::uint64_t> shards;
  std::uint64_t at_once = 0;  ///< concurrent shards; 0: all
  std::string submit_template;
  std::vector<std::string> submit_options;
  bool plan = false;   ///< create only the work folder
  std::string worker;  ///< work folder of the sweep whose shard to make
  std::string shard;   ///< "i/n"; empty: taken from the environment
};

/// Parses --vary: "/json/pointer=a,b,c", "/json/pointer=1us..9us:2us", "/json/pointer=1..64*2", or
/// "/json/pointer=1..64". Throws UsageError.
scenario::Variation parse_variation(const std::string& text);

}  // namespace fenceline::cli
