#pragma once

#include <string_view>

#include "tb/app/sweep/page_table.h"
#include "tb/app/sweep/results.h"
#include "tb/report/record/output.h"

namespace fenceline::sweep {

/// Writes the page of a sweep: its runs as points, and for each the command that repeats it.
/// @param shell see report::sweep_page_shell()
void write_page(std::string_view shell, const Plan& plan, const Summary& summary,
                const PageTable& table, report::Output& out);

/// The command of a run, without its varied values and its seed.
std::string run_command_of(const Plan& plan);

}  // namespace fenceline::sweep
