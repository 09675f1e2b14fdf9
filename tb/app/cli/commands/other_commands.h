#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Each function runs one command and returns its exit code. Exceptions: see run_command.h.
int validate_scenarios(const Options& options, const Services& services, const Console& console);
int list_scenarios(const Options& options, const Services& services, const Console& console);
int print_schema(const Services& services, const Console& console);
int explain_scenarios(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
