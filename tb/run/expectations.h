#pragma once

#include "tb/report/record/run_report.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Compares the report with what the scenario expects; fills expected, verdict, reasons and exit
/// code. @pre counters, latencies, violations, fences and ending are set.
void judge(const ScenarioMachine& machine, report::RunReport& report);

}  // namespace fenceline::run
