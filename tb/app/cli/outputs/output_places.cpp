#include "tb/app/cli/outputs/output_places.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

#include "tb/app/cli/options.h"
#include "tb/report/record/run_folder.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& path,
                         const std::string& why) {
  throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, why));
}

}  // namespace

void check_output_file(const std::string& option, const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    refuse(option, path,
           "it is a folder; name a file, such as " + (fs::path(path) / "file").string());
  if (fs::exists(path, error)) {
    if (::access(path.c_str(), W_OK) != 0) refuse(option, path, std::strerror(errno));
    return;
  }
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error))
    refuse(option, path, "there is no folder " + parent.string() + "; make it first");
  // Access rights are not enough: the file system may be read-only.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) refuse(option, path, std::strerror(errno));
  ::close(file);
  ::unlink(path.c_str());
}

std::string numbered(const std::string& name, std::map<std::string, int>& used) {
  const int nth = ++used[name];
  return nth == 1 ? name : fmt::format("{}-{}", name, nth);
}

void check_output_folders(const std::vector<std::string>& folders, bool replace) {
  std::set<fs::path> parents;
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    report::RunFolder::check(folder, replace);
    // One check per parent folder is enough.
    if (!parents.insert(fs::path(folder).parent_path()).second) continue;
    const report::RunFolder can_be(folder, replace);
  }
}

}  // namespace fenceline::cli
