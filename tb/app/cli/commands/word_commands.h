#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Each prints the words of one kind as the program declares them, with --json for programs such as
/// those that write the tables of the documentation.
int print_switches(const Options& options, const Console& console);
int print_invariants(const Options& options, const Console& console);
int print_events(const Options& options, const Console& console);

}  // namespace fenceline::cli
