#pragma once

#include <string>

#include "tb/app/cli/summary.h"

namespace fenceline::cli {

/// Serialises an outcome for another process of the same program.
std::string bytes_of(const Outcome& outcome);
/// Throws std::runtime_error for bytes that are not from bytes_of.
Outcome outcome_of(const std::string& bytes);

}  // namespace fenceline::cli
