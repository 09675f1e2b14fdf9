#pragma once

#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Sends the default spdlog logger to stderr, with the level of --quiet and --verbose, and colours
/// only on a terminal. Reports of SystemC go there too.
void set_up_log(const Options& options);

}  // namespace fenceline::cli
