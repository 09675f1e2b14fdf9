#include "tb/app/sweep/page.h"

#include <nlohmann/json.hpp>

#include "tb/app/sweep/command.h"
#include "tb/report/record/packing.h"
#include "tb/report/writers/page.h"
#include "tb/scenario/text/units.h"

namespace fenceline::sweep {

using Json = nlohmann::ordered_json;

namespace {

/// Of each point of the page, a line: the options that set its values.
std::string settings_of(const Design& design, const std::vector<std::uint64_t>& points) {
  std::string text;
  for (const std::uint64_t point : points) {
    for (const std::string& it : design.assignments(point)) text += " --set " + shell_word(it);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string run_command_of(const Plan& plan) {
  std::string command = "fenceline run " + shell_word(plan.path);
  for (const std::string& it : plan.overrides) command += " --set " + shell_word(it);
  if (plan.stop_at) command += " --stop-at " + scenario::format_duration(*plan.stop_at);
  if (!plan.kmd.empty()) command += " --kmd " + shell_word(plan.kmd);
  return command;
}

void write_page(const report::PageKind& page, const Plan& plan, const Summary& summary,
                const PageTable& table, report::Output& out) {
  const Design design(plan.sweep);
  Json varied = Json::array();
  for (const scenario::Variation& it : design.variations()) varied.push_back(it.pointer);
  Json meta{{"codec", report::kPageCodec},
            {"scenario", plan.name},
            {"points", summary.points},
            {"runs", summary.runs},
            {"failed", summary.failed},
            {"verdicts", summary.verdicts},
            {"rows", table.rows()},
            {"groups", table.points().size()},
            {"command", run_command_of(plan)},
            {"varied", std::move(varied)},
            {"columns", table.columns()},
            {"same", table.same()}};
  report::fill_page(
      page, plan.name, std::move(meta),
      report::packed(table.bytes()) + "\n" + report::packed(settings_of(design, table.points())),
      out);
}

}  // namespace fenceline::sweep
