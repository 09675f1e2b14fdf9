#pragma once

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// Writes trace.pftrace, a Perfetto trace: a track for each queue, engine, CMP, driver, link
/// direction, core and thread (more where slices would not nest), in groups; categories packet,
/// signal, wait, interrupt, pcie, cpu; a flow from each signal to the release of each wait that it
/// released; a counter track for each quantity, where a MonitoredValue for which nobody waits is
/// -1. Perfetto counts nanoseconds: the exact time is the annotation `ps` of every event.
void write_perfetto(const Timeline& timeline, const Names& names, Output& out);

}  // namespace fenceline::report
