#include "tb/app/cli/commands/campaign_folder.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <utility>

#include "tb/report/record/output.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

namespace {
constexpr const char* kSettings = "settings.json";
}  // namespace

CampaignFolder::CampaignFolder(const Options& options, std::string command)
    : command_(std::move(command)) {
  if (!options.engine.worker.empty()) {
    path_ = fs::absolute(options.engine.worker);
    return;
  }
  if (options.out.empty()) {
    path_ = temporary_.emplace("fenceline-" + command_).path();
    return;
  }
  const fs::path out = fs::absolute(options.out);
  path_ = out.parent_path() / fmt::format(".{}.{}", out.filename().string(), command_);
}

void CampaignFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void CampaignFolder::join(const std::string& settings) const {
  std::ifstream file(path_ / kSettings);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  if (found != settings)
    throw UsageError(fmt::format(
        "--worker: {} has no {} with these settings: a worker has the options of the command that "
        "leads it, and is of the same build",
        path_.string(), command_));
}

void CampaignFolder::begin(const std::string& settings, bool force) {
  for (const fs::path& folder : {journals(), logs()}) fs::create_directories(folder);
  lock_.emplace(path_);
  const fs::path file = path_ / kSettings;
  if (std::ifstream there(file); there) {
    const std::string found{std::istreambuf_iterator<char>(there), {}};
    if (found == settings) return;
    if (!force)
      throw UsageError(
          fmt::format("{} holds runs of a {} with other settings; begin again with --force",
                      path_.string(), command_));
    fs::remove_all(journals());
  }
  report::FileSink(file).write_whole(settings);
}

}  // namespace fenceline::cli
