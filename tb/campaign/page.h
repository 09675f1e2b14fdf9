#pragma once

#include "tb/campaign/results.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/page_shell.h"

namespace fenceline::campaign {

/// Writes the page of a campaign: totals, groups of failures with their scenarios and commands, and
/// the coverage with its holes. @param page see report::campaign_page()
void write_page(const report::PageKind& page, const Results& results, const Repeat& repeat,
                report::Output& out);

}  // namespace fenceline::campaign
