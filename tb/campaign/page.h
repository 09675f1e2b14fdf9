#pragma once

#include <string_view>

#include "tb/campaign/results.h"
#include "tb/report/record/output.h"

namespace fenceline::campaign {

/// Writes the page of a campaign: totals, groups of failures with their scenarios and commands, and
/// the coverage with its holes. @param shell see report::campaign_page_shell()
void write_page(std::string_view shell, const Results& results, const Repeat& repeat,
                report::Output& out);

}  // namespace fenceline::campaign
