#pragma once

#include "tb/cli/options.h"

namespace fenceline::cli {

/// Points the default spdlog logger to stderr, with a level that --quiet and --verbose give and
/// colour on a terminal only. Reports of SystemC go there too.
void set_up_log(const Options& options);

}  // namespace fenceline::cli
