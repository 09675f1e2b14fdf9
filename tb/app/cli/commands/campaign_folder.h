#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tb/app/cli/options.h"
#include "tb/run/process/work_folder.h"

namespace fenceline::cli {

/// Keeps the results that a command has so far, until it is complete: beside the folder of --out;
/// without --out among the temporary files.
class CampaignFolder {
 public:
  /// @param command its name
  CampaignFolder(const Options& options, std::string command);

  std::filesystem::path journals() const { return path_ / "journals"; }
  void remove() const;
  /// Begins, or goes on with results of the same settings. Throws report::FolderError if another
  /// process works on it, UsageError if there are results of other settings and not `force`.
  void begin(const std::string& settings, bool force);

 private:
  const std::string command_;
  std::optional<run::TemporaryFolder> temporary_;
  std::filesystem::path path_;
  std::optional<run::FolderLock> lock_;
};

}  // namespace fenceline::cli
