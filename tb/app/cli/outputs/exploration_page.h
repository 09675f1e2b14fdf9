#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tb/app/cli/options.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/record/run_report.h"

namespace fenceline::cli {

/// Writes report.html of an exploration, with the timelines of those counterexamples that have a
/// page in the folder. Writes nothing if the program has no page. @param result text of
/// result.json @param report has the configuration @param names of the counterexamples, in the
/// order of result.json: their files begin with them
void write_exploration_page(const std::string& result, const report::RunReport& report,
                            const std::vector<std::string>& names, report::RunFolder& folder);

/// The command that explores a scenario as a matrix does, without the switches of a subset.
std::string subset_command(const std::string& file, const Options& options);
/// Counterexamples of the rows of a matrix, so many of them with a story: see
/// explore::counterexamples_json().
using Stories = std::function<std::string(std::size_t most)>;
constexpr std::size_t kMaxStories = std::size_t{6} << 20U;  ///< in a page, packed [bytes]
/// Writes report.html of a matrix, unless the program has no page. @param result text of
/// matrix.json @param command see subset_command() @param limit of the packed counterexamples
/// [bytes]: where they are larger, half of the rows have no story, and so on
void write_matrix_page(const std::string& result, const Stories& stories,
                       const std::string& command, report::RunFolder& folder,
                       std::size_t limit = kMaxStories);

}  // namespace fenceline::cli
