#pragma once

#include <string_view>

#include "tb/compare/comparison.h"
#include "tb/report/record/output.h"

namespace fenceline::compare {

/// Writes a page for a browser that shows both runs on one time axis, and their differences.
/// @pre both folders have a timeline. @param shell see report::page_shell()
void write_comparison_page(std::string_view shell, const RunFiles& a, const RunFiles& b,
                           const Comparison& comparison, report::Output& out);

}  // namespace fenceline::compare
