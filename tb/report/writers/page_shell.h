#pragma once

#include <string_view>

namespace fenceline::report {

// The frame of report.html: its style, its script and the marks {{title}}, {{meta}} and
// {{columns}}, each once and in this order. A writer cuts the frame at the marks and puts its data
// in between. Empty if the build had no esbuild: then no page is written. Each kind of page has the
// code that it needs and no other.

/// Of a run, of a comparison and of an exploration.
std::string_view page_shell();
/// Of a sweep.
std::string_view sweep_page_shell();
/// Of a campaign.
std::string_view campaign_page_shell();
/// Of a matrix of explorations.
std::string_view matrix_page_shell();

/// The page of a command that runs. It has no marks: it asks its server for what it shows.
std::string_view live_page_shell();

}  // namespace fenceline::report
