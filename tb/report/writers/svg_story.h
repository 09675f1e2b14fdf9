#pragma once

#include "tb/report/record/output.h"
#include "tb/report/record/timeline.h"
#include "tb/report/writers/svg_layout.h"

namespace fenceline::report {

/// [px] Height of the lines of the story below the lanes; 0 without a story.
double story_height(const Timeline& timeline);

/// Draws the story of a counterexample: a numbered disc at each of its steps, an arrow to each held
/// step from the step that it was held for, and the list of the steps below the lanes. Draws
/// nothing without a story.
void draw_story(const Timeline& timeline, const SvgLayout& layout, Output& out);

}  // namespace fenceline::report
