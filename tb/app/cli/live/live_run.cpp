#include "tb/app/cli/live/live_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/app/cli/live/live.h"
#include "tb/app/cli/outputs/summary.h"
#include "tb/report/writers/narrative.h"
#include "tb/run/waiting.h"

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {

constexpr std::chrono::milliseconds kBetweenTexts{200};
constexpr std::size_t kMaxWaiting = 40;  ///< lines

std::string with_readable_times(const std::string& line) {
  return report::with_times(line, [](std::string_view /*before*/, const std::string& number) {
    return readable_time(std::stoull(number));
  });
}

}  // namespace

void LiveRun::ready(run::ScenarioMachine& machine) { machine.simulation().events.subscribe(*this); }

void LiveRun::on_event(const common::Event& event) {
  ++events_;
  counters_.on_event(event);
}

void LiveRun::passing(run::ScenarioMachine& machine, const run::RunHistory& history) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetweenTexts;
  write(run::explain_waiting(machine, history), "waits now");
}

void LiveRun::ended(run::ScenarioMachine& /*machine*/, const report::RunReport& report) {
  write(report.waiting, "waited at the end");
}

void LiveRun::write(const std::vector<std::string>& waiting, const char* title) {
  ordered_json lines = ordered_json::array();
  const std::size_t shown = std::min(waiting.size(), kMaxWaiting);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back({with_readable_times(waiting[i])});
  const std::string note = waiting.empty() ? "nothing waits" : more_text(waiting.size(), shown);
  std::vector<report::Counter> counters;
  counters_.report_always(counters);
  counters_.report_used(counters);
  ordered_json rows = ordered_json::array();
  rows.push_back({"events", events_, "events of the run so far"});
  for (const report::Counter& it : counters)
    if (it.value != 0) rows.push_back({it.name, it.value, it.meaning});
  const ordered_json parts = {
      live_part(fmt::format("{}: {}", name_, title), {""}, std::move(lines), note),
      live_part(name_ + ": counters", {"counter", "value", "meaning"}, std::move(rows))};
  text_.write(parts.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace fenceline::cli
