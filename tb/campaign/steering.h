#pragma once

#include "tb/coverage/table.h"
#include "tb/generate/constraints.h"

namespace fenceline::campaign {

/// Constraints under which holes of the coverage are met more often: steps, commands and kinds of
/// fences that take part in many holes occur more often than `base` says, others less often. What
/// `base` rules out stays out. Depends on its arguments only.
generate::Constraints steered(const generate::Constraints& base, const coverage::Table& coverage);

}  // namespace fenceline::campaign
