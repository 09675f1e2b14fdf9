#include "tb/app/cli/outputs/exploration_page.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "tb/app/cli/commands/explored_runs.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/sweep/command.h"
#include "tb/compare/page_timeline.h"
#include "tb/report/record/packing.h"
#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/page_shell.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::cli {

void write_exploration_page(const std::string& result, const report::RunReport& report,
                            const std::vector<std::string>& names, report::RunFolder& folder) {
  if (report::exploration_page().shell.empty()) return;
  nlohmann::ordered_json meta;
  meta["exploration"] = scenario::json_tree<nlohmann::ordered_json>(result);
  meta["config"] = report::shown_configuration(report);
  meta["defaults"] = report::changed_defaults(report);
  report::add_scenario(report, meta);
  meta["runs"] = nlohmann::ordered_json::array();   // timelines
  meta["drawn"] = nlohmann::ordered_json::array();  // of each, the place of its counterexample
  std::string columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::ifstream file(folder.hidden() / (names[i] + kPageEnding), std::ios::binary);
    if (!file) continue;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const compare::PageData page = compare::read_page(text);
    meta["runs"].push_back(page.meta);
    meta["drawn"].push_back(i);
    columns += (columns.empty() ? "" : "\n") + page.columns;
  }
  const auto sink = folder.create("report.html");
  report::Output out(*sink);
  const auto title = meta["exploration"].at("scenario").get<std::string>();
  report::fill_page(report::exploration_page(), title, std::move(meta), columns, out);
  out.finish();
}

std::string subset_command(const std::string& file, const Options& options) {
  std::string command = "fenceline explore " + sweep::shell_word(file);
  for (const std::string& it : load_request(file, options).overrides)
    command += " --set " + sweep::shell_word(it);
  if (!options.kmd.empty()) command += " --kmd " + sweep::shell_word(options.kmd);
  if (options.keep_holds) command += " --keep-holds";
  if (!options.about.empty()) command += fmt::format(" --about {}", fmt::join(options.about, ","));
  return command;
}

void write_matrix_page(const std::string& result, const Stories& stories,
                       const std::string& command, report::RunFolder& folder, std::size_t limit) {
  if (report::matrix_page().shell.empty()) return;
  nlohmann::ordered_json meta{{"codec", report::kPageCodec}, {"command", command}};
  meta["matrix"] = scenario::json_tree<nlohmann::ordered_json>(result);
  std::size_t most = meta["matrix"].at("rows").size();
  std::string found = report::packed(stories(most));
  for (; found.size() > limit && most > 0; found = report::packed(stories(most))) most /= 2;
  const auto sink = folder.create("report.html");
  report::Output out(*sink);
  const auto title = meta["matrix"].at("scenario").get<std::string>();
  report::fill_page(report::matrix_page(), title, std::move(meta), found, out);
  out.finish();
}

}  // namespace fenceline::cli
