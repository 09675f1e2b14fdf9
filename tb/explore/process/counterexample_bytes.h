#pragma once

#include <string>

#include "tb/explore/explore.h"

namespace fenceline::explore {

/// A counterexample for another process of the same program.
std::string bytes_of(const Counterexample& found);
Counterexample counterexample_of(const std::string& bytes);

}  // namespace fenceline::explore
