#pragma once

#include "tb/report/output.h"
#include "tb/report/svg_layout.h"
#include "tb/report/timeline.h"

namespace fenceline::report {

/// [px] that the words of the story take below the lanes; 0 without a story.
double story_height(const Timeline& timeline);

/// Draws the story of a counterexample into a timeline: a numbered disc at each of its steps, an
/// arrow to a step that was held back from the one until which it was, and below all lanes what
/// the numbers stand for. Nothing without a story.
void draw_story(const Timeline& timeline, const SvgLayout& layout, Output& out);

}  // namespace fenceline::report
