#pragma once

#include "tb/app/cli/commands/commands.h"

namespace fenceline::cli {

/// The loader, the simulator and the schema of this program.
Services program_services();

}  // namespace fenceline::cli
