#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fenceline::sweep {

/// Result of a program run.
struct CommandResult {
  int code = 0;        ///< exit code; 127: could not be started; -1: killed by a signal
  bool late = false;   ///< it was killed at the time limit
  std::string output;  ///< standard output
  std::string errors;  ///< standard error

  bool well() const { return code == 0 && !late; }
  /// Reason of a failure, in one line.
  std::string why() const;
};

/// Runs a program found on PATH and waits for its end. Kills it after `limit`.
CommandResult run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit);

/// Starts a command line in a shell with output to `log`. The shell dies with this process. Returns
/// its process id; the process leads its own group. Throws std::runtime_error.
pid_t start_shell(const std::string& command, const std::string& log);

/// `text` quoted as one shell word.
std::string shell_word(const std::string& text);

}  // namespace fenceline::sweep
