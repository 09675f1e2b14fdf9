#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fenceline::sweep {

/// What a program that was run said.
struct CommandResult {
  int code = 0;        ///< exit code; 127: it cannot be run; -1: it was ended by a signal
  bool late = false;   ///< it took too long and was killed
  std::string output;  ///< standard output
  std::string errors;  ///< standard error

  bool well() const { return code == 0 && !late; }
  /// Why it did not go well, in one line.
  std::string why() const;
};

/// Runs a program, found on PATH, and waits for its end; kills it after `limit`.
CommandResult run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit);

/// Starts a command line in a shell, its output going to `log`; the shell dies with this process.
/// Returns its process, which leads a group of its own. Throws std::runtime_error.
pid_t start_shell(const std::string& command, const std::string& log);

/// `text` as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace fenceline::sweep
