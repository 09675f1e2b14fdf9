#pragma once

#include <string>

#include "tb/reference/values.h"

namespace fenceline::reference {

/// The reason why a call may name a CPU event that is not there, or why its event may not be set.
/// Empty: each call comes after the creation and before the destruction.
std::string cpu_event_misuse(const Analysis& analysis);

}  // namespace fenceline::reference
