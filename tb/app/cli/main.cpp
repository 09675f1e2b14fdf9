#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/services.h"

/// libsystemc requires it. The commands start the simulation instead.
extern "C" int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[]) {
  const fenceline::cli::Console console{std::cout,
                                        std::cerr,
                                        ::isatty(STDOUT_FILENO) != 0,
                                        ::isatty(STDERR_FILENO) != 0,
                                        &std::cin,
                                        ::isatty(STDIN_FILENO) != 0};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return fenceline::cli::run_program(arguments, fenceline::cli::program_services(), console);
}
