#include "tb/run/process/work_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tb/report/record/run_folder.h"

namespace fenceline::run {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& name) {
  const fs::path parent = fs::temp_directory_path();
  std::string pattern = (parent / (name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw report::FolderError(fmt::format("cannot write in {}", parent.string()));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path path = folder / "lead";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  if (file_ >= 0) ::close(file_);
  if (error == EWOULDBLOCK)
    throw report::FolderError(fmt::format("another process is at {}", folder.string()));
  throw report::FolderError(fmt::format("cannot lock {}: {}", path.string(), std::strerror(error)));
}

FolderLock::~FolderLock() { ::close(file_); }

}  // namespace fenceline::run
