#pragma once

#include "tb/app/sweep/page_table.h"
#include "tb/app/sweep/results.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/page_shell.h"

namespace fenceline::sweep {

/// Writes the page of a sweep: its runs as points, and for each the command that repeats it.
/// @param page see report::sweep_page()
void write_page(const report::PageKind& page, const Plan& plan, const Summary& summary,
                const PageTable& table, report::Output& out);

/// The command of a run, without its varied values and its seed.
std::string run_command_of(const Plan& plan);

}  // namespace fenceline::sweep
