#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/generate/constraints.h"

namespace fenceline::generate {

/// A scenario that the loader accepts, whose programs come to an end with one outcome. The same
/// constraints and seed give the same scenario. scenario::brief_text writes it.
nlohmann::json generate(const Constraints& constraints, std::uint64_t seed);

}  // namespace fenceline::generate
