#include "tb/report/record/run_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fenceline::report {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMarkerTitle = "fenceline wrote this folder, and in it:";

/// Renames without replacing; 0, or an errno.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (fs::exists(to)) return EEXIST;  // for file systems without the flag: nearly as safe
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

fs::path parent_of(const fs::path& target) {
  const fs::path parent = target.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

/// Beginning of the names of hidden folders for a target.
std::string partial_name(const fs::path& target) {
  return "." + target.filename().string() + ".partial-";
}

/// Names that a marker lists; empty if it is no marker.
std::set<std::string> listed_in(const fs::path& marker) {
  std::ifstream file(marker);
  std::string line;
  if (!std::getline(file, line) || line != kMarkerTitle) return {};
  std::set<std::string> names{marker.filename().string()};
  while (std::getline(file, line)) names.insert(line);
  return names;
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
  check(target_, replace_);
  std::error_code error;
  fs::create_directories(parent_of(target_), error);
  if (error) {
    throw FolderError(
        fmt::format("cannot create {}: {}", parent_of(target_).string(), error.message()));
  }
  remove_stale();
  make_hidden();
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(hidden_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::make_hidden() {
  for (;;) {
    std::string pattern = (parent_of(target_) / (partial_name(target_) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw FolderError(
          fmt::format("cannot write in {}: {}", parent_of(target_).string(), std::strerror(errno)));
    }
    hidden_ = pattern;
    ::chmod(hidden_.c_str(), 0755);  // mkdtemp makes it private
    lock_ = ::open(hidden_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
    // Another run may have removed it as stale before it was locked.
    if (fs::exists(hidden_)) return;
    if (lock_ >= 0) ::close(lock_);
  }
}

/// Removes hidden folders of killed runs: those that no process has locked.
void RunFolder::remove_stale() const {
  std::error_code error;
  for (fs::directory_iterator it(parent_of(target_), error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename().string().rfind(partial_name(target_), 0) != 0) continue;
    const int folder = ::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    std::error_code ignored;
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(it->path(), ignored);
    ::close(folder);
  }
}

void RunFolder::check(const fs::path& given, bool replace) {
  const fs::path target = without_slash(given);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw FolderError(fmt::format("{} exists and is no folder", target.string()));
  }
  if (fs::is_empty(target, error) && !error) return;
  if (!replace) {
    throw FolderError(
        fmt::format("{} exists; name another folder, or replace it with --force", target.string()));
  }
  const std::set<std::string> ours = listed_in(target / kMarker);
  if (ours.empty()) {
    throw FolderError(fmt::format("{} has no {}, so no run wrote it: --force does not replace it",
                                  target.string(), kMarker));
  }
  for (fs::directory_iterator it(target, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (ours.count(name) == 0) {
      throw FolderError(fmt::format("{} holds {}, which no run wrote: --force does not replace it",
                                    target.string(), name));
    }
  }
}

void RunFolder::clear() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(hidden_, ignored))
    fs::remove_all(entry.path(), ignored);
}

void RunFolder::write_marker() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(hidden_))
    names.insert(entry.path().filename().string());
  std::string text = std::string(kMarkerTitle) + "\n";
  for (const std::string& name : names) text += name + "\n";
  create(kMarker)->write_whole(text);
}

std::unique_ptr<Sink> RunFolder::create(const std::string& name) { return open_(hidden_ / name); }

void RunFolder::commit() {
  check(target_, replace_);
  write_marker();
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

// Exchanges both names at once, so the target always exists. On file systems without this call, the
// old folder is first renamed to a hidden name.
void RunFolder::swap_with_old() {
  if (::renameat2(AT_FDCWD, hidden_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    committed_ = true;
    std::error_code ignored;
    fs::remove_all(hidden_, ignored);
    return;
  }
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
