#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/cli/commands.h"
#include "tb/cli/options.h"
#include "tb/cli/summary.h"

namespace fenceline::cli {

/// What to load for `path` under these options: --set, then --policy and --seed.
LoadRequest load_request(const std::string& path, const Options& options);

/// One run to be made.
struct Job {
  std::shared_ptr<const scenario::Scenario> scenario;
  RunRequest request;
  std::string folder;  ///< where its files go; empty: nowhere
};

/// Runs one job and writes its files. Never throws for what goes wrong with this one run: that is
/// in the outcome. `progress` draws a bar on the terminal.
Outcome run_job(const Job& job, const Options& options, const Services& services,
                const Console& console);

}  // namespace fenceline::cli
