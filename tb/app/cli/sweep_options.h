#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/app/cli/engine_options.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// Options of a sweep.
struct SweepOptions {
  std::vector<scenario::Variation> vary;
  std::optional<scenario::SweepDesign> design;
  std::optional<std::uint64_t> points;
  std::optional<std::uint64_t> seeds;
  bool plan = false;  ///< create only the work folder
};

/// Parses --vary: "/json/pointer=a,b,c", "/json/pointer=1us..9us:2us", "/json/pointer=1..64*2", or
/// "/json/pointer=1..64". Throws UsageError.
scenario::Variation parse_variation(const std::string& text);

}  // namespace fenceline::cli
