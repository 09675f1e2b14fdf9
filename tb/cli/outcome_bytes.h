#pragma once

#include <string>

#include "tb/cli/summary.h"

namespace fenceline::cli {

/// The outcome for another process of the same program.
std::string bytes_of(const Outcome& outcome);
/// Throws std::runtime_error for bytes that bytes_of has not made.
Outcome outcome_of(const std::string& bytes);

}  // namespace fenceline::cli
