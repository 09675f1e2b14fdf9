#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tb/app/cli/options.h"
#include "tb/run/process/work_folder.h"

namespace fenceline::cli {

/// Keeps the results that a command has so far, until it is complete: beside the folder of --out;
/// without --out among the temporary files. A worker is given the folder itself.
class CampaignFolder {
 public:
  /// @param command its name
  CampaignFolder(const Options& options, std::string command);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path journals() const { return path_ / "journals"; }
  std::filesystem::path logs() const { return path_ / "logs"; }
  void remove() const;
  /// Begins, or goes on with results of the same settings. Throws report::FolderError if another
  /// process works on it, UsageError if there are results of other settings and not `force`.
  void begin(const std::string& settings, bool force);
  /// A worker joins a command that has begun. Throws UsageError if that has other settings.
  void join(const std::string& settings) const;

 private:
  const std::string command_;
  std::optional<run::TemporaryFolder> temporary_;
  std::filesystem::path path_;
  std::optional<run::FolderLock> lock_;
};

}  // namespace fenceline::cli
