#pragma once

#include <filesystem>
#include <string>

namespace fenceline::run {

/// A new folder among the temporary files. It is removed with everything in it.
class TemporaryFolder {
 public:
  /// @param name start of the folder's name. Throws report::FolderError.
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Lock of a folder with results so far: only one process may work in it.
class FolderLock {
 public:
  /// Throws report::FolderError if another process has the lock.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace fenceline::run
