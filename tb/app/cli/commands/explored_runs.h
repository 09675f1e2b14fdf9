#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/process/contained.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/record/run_report.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// The scenario as an exploration runs it: orders are free, and without holds unless `keep_holds`.
scenario::Scenario free_scenario(const scenario::Scenario& scenario, bool keep_holds);

/// Runs a free scenario in a given order: one step of each entry of `agents`. @param before_step
/// see run::RunOptions
report::RunReport run_in_order(
    const scenario::Scenario& free, const std::string& kmd, const std::vector<std::string>& agents,
    const std::function<bool(const common::Candidate&)>& before_step = {});

/// Ending of the page of a counterexample.
constexpr const char* kPageEnding = ".report.html";

/// Writes `name`.scenario.json, which breaks on the cycle timeline with its holds, and pictures of
/// that run: `name`.timeline.svg, `name`.pftrace and `name`.report.html. The run has its own
/// process; if that dies, there are no pictures. @param stuck [CPU time] limit for a run without
/// progress @pre found.timed
explore::Ended write_timed_run(const scenario::Scenario& scenario, const std::string& kmd,
                               const explore::Counterexample& found, const std::string& name,
                               std::chrono::milliseconds stuck, report::RunFolder& folder);

/// Writes one file.
void write_text(report::RunFolder& folder, const std::string& name, const std::string& text);

}  // namespace fenceline::cli
