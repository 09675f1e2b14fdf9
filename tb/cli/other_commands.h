#pragma once

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

/// Each runs one command and returns its exit code; see run_command.h for what they throw.
int validate_scenarios(const Options& options, const Services& services, const Console& console);
int list_scenarios(const Options& options, const Services& services, const Console& console);
int print_schema(const Services& services, const Console& console);
int explain_scenarios(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
