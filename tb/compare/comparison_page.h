#pragma once

#include "tb/compare/comparison.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/page_shell.h"

namespace fenceline::compare {

/// Writes a page for a browser that shows both runs on one time axis, and their differences.
/// @pre both folders have a timeline. @param page see report::comparison_page()
void write_comparison_page(const report::PageKind& page, const RunFiles& a, const RunFiles& b,
                           const Comparison& comparison, report::Output& out);

}  // namespace fenceline::compare
