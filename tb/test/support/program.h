#pragma once

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace fenceline::support {

/// What the program has printed, to both streams, and its exit code.
struct Result {
  int exit_code = -1;
  std::string output;
};

/// Runs the program as a user does. @param environment in front of the command, for example
/// "NAME=value".
inline Result run(const std::string& arguments, const std::string& environment = {}) {
  const std::string command = environment + " " FENCELINE_PROGRAM " " + arguments + " 2>&1";
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe))
    result.output.append(buffer, count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace fenceline::support
