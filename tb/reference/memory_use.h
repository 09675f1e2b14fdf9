#pragma once

#include <string>

#include "tb/reference/values.h"

namespace fenceline::reference {

/// The reason why a use of an allocation may meet it where it is not: work that finds it not
/// resident or destroyed, or a call for it out of order. Empty: every use is in order.
std::string memory_misuse(const Analysis& analysis);

}  // namespace fenceline::reference
