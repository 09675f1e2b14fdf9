#pragma once

#include <string>

#include "tb/report/record/output.h"
#include "tb/report/record/timeline.h"
#include "tb/report/writers/svg_layout.h"

namespace fenceline::report {

/// Draws an instant at `x` on a lane with the upper edge `top` [px]. Draws nothing for a release:
/// the arrow ends there. @param title plain text, shown when the pointer is on the mark
void draw_mark(InstantKind kind, double x, double top, const std::string& title, Output& out);

/// Names every style and mark that the lanes have. @param story a counterexample is drawn
void draw_legend(const SvgLayout& layout, bool story, Output& out);

}  // namespace fenceline::report
