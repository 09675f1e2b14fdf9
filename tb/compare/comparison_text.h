#pragma once

#include <cstddef>
#include <string>

#include "tb/compare/comparison.h"

namespace fenceline::compare {

/// The differences as text, section by section. @param most lines of a section; further ones are
/// counted only
std::string comparison_text(const RunFiles& a, const RunFiles& b, const Comparison& comparison,
                            std::size_t most);

}  // namespace fenceline::compare
