#pragma once

#include <optional>

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/run_report.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// Writes timeline.svg, drawn as GPUView draws: a lane for each queue, engine, log that lost
/// entries, CMP, driver, link direction, core and thread; signals dark pink, waits light pink, an
/// arrow from each signal to the waits that it releases, lost log entries hatched. A run with more
/// than SvgLayout::kMaxSlices slices is cut to its beginning; the drawing says so.
/// @param window the part to draw; its first SvgLayout::kMostSlices slices at most
void write_svg(const Timeline& timeline, const RunReport& report, const Names& names, Output& out,
               const std::optional<DrawnSpan>& window = {});

}  // namespace fenceline::report
