#include "tb/report/writers/fst.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/report/record/output.h"

namespace fenceline::report {

bool can_write_fst() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  const std::string folders = path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string program = folders.substr(begin, end - begin) + "/vcd2fst";
    if (::access(program.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

void convert_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst) {
  std::string words[] = {"vcd2fst", "-v", vcd.string(), "-f", fst.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "vcd2fst", &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw WriteError(fmt::format("cannot start vcd2fst: {}", std::strerror(error)));
  }
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  std::error_code missing;
  const auto size = std::filesystem::file_size(fst, missing);
  if (ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || missing || size == 0) {
    throw WriteError(fmt::format("vcd2fst failed to write {}", fst.string()));
  }
}

}  // namespace fenceline::report
