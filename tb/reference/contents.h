#pragma once

#include "tb/reference/outcome.h"
#include "tb/reference/values.h"

namespace fenceline::reference {

/// Adds the contents of allocations at the end: each 64 bits that a command may write, by the last
/// writes. Allocations begin as zeros.
void write_contents(const Analysis& analysis, Outcome& outcome);

}  // namespace fenceline::reference
