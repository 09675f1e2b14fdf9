#include "tb/report/run_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fenceline::report {

namespace fs = std::filesystem;

namespace {

/// Renames without ever replacing something; 0, or an errno.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (fs::exists(to)) return EEXIST;  // a file system without the flag: nearly as good
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

fs::path parent_of(const fs::path& target) {
  const fs::path parent = target.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

/// "runs/a/" names the same folder as "runs/a".
fs::path without_slash(fs::path target) {
  while (target.has_relative_path() && target.filename().empty()) target = target.parent_path();
  return target;
}

}  // namespace

RunFolder::RunFolder(fs::path target, bool replace, OpenSink open)
    : target_(without_slash(std::move(target))), replace_(replace), open_(std::move(open)) {
  if (!open_) open_ = [](const fs::path& path) { return std::make_unique<FileSink>(path); };
  if (target_.empty()) throw FolderError("the output folder has no name");
  check_target();
  std::error_code error;
  fs::create_directories(parent_of(target_), error);
  if (error) {
    throw FolderError(
        fmt::format("cannot create {}: {}", parent_of(target_).string(), error.message()));
  }
  std::string pattern =
      (parent_of(target_) / ("." + target_.filename().string() + ".partial-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw FolderError(
        fmt::format("cannot write in {}: {}", parent_of(target_).string(), std::strerror(errno)));
  }
  hidden_ = pattern;
  ::chmod(hidden_.c_str(), 0755);  // mkdtemp makes it private
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(hidden_, ignored);
}

void RunFolder::check_target() const {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw FolderError(fmt::format("{} exists and is no folder", target_.string()));
  }
  if (fs::is_empty(target_, error) && !error) return;
  if (!replace_) {
    throw FolderError(fmt::format("{} exists; name another folder, or replace it with --force",
                                  target_.string()));
  }
  if (!fs::exists(target_ / kMarker, error)) {
    throw FolderError(fmt::format("{} has no {}, so no run wrote it: --force does not replace it",
                                  target_.string(), kMarker));
  }
}

std::unique_ptr<Sink> RunFolder::create(const std::string& name) { return open_(hidden_ / name); }

void RunFolder::commit() {
  check_target();
  std::error_code error;
  if (fs::is_directory(target_, error)) {
    if (fs::is_empty(target_, error)) {
      fs::remove(target_, error);
    } else {
      swap_with_old();
      return;
    }
  }
  if (const int code = rename_to_new(hidden_, target_); code != 0) {
    throw FolderError(
        fmt::format("cannot name the output folder {}: {}", target_.string(), std::strerror(code)));
  }
  committed_ = true;
}

// The old folder steps aside under a hidden name, so that one of both is always complete.
void RunFolder::swap_with_old() {
  const fs::path old = hidden_.string() + ".old";
  int code = rename_to_new(target_, old);
  if (code == 0) code = rename_to_new(hidden_, target_);
  if (code != 0) {
    rename_to_new(old, target_);
    throw FolderError(fmt::format("cannot replace {}: {}", target_.string(), std::strerror(code)));
  }
  committed_ = true;
  std::error_code ignored;
  fs::remove_all(old, ignored);
}

}  // namespace fenceline::report
