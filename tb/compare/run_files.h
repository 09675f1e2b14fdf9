#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/compare/page_timeline.h"

namespace fenceline::compare {

/// A folder cannot be compared; the message names the file and the reason.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the folder of a run holds of it.
struct RunFiles {  // NOLINT(bugprone-exception-escape): a move of Json does not throw
  std::string folder;
  Json result, stats;
  Json configuration;                    ///< version, seed, policy, driver, and the whole scenario
  std::optional<PageTimeline> timeline;  ///< none: no report.html, or one without all spans
};

/// Reads result.json, stats.json, config.json and report.html. Throws InputError.
RunFiles read_run(const std::filesystem::path& folder);

}  // namespace fenceline::compare
