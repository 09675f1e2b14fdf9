#include "tb/app/cli/live/live_runs.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/app/cli/outputs/progress.h"

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxShownFailures = 100;  ///< rows of the page
constexpr std::size_t kMaxShownRuns = 4;        ///< of which all parts are shown

/// Parts that a run has written. Code of a driver may have spoiled them: only JSON is let through.
std::vector<ordered_json> parts_of(const run::SharedText& text) {
  const ordered_json parts = ordered_json::parse(text.read(), nullptr, false);
  return parts.is_array() ? std::vector<ordered_json>(parts.begin(), parts.end())
                          : std::vector<ordered_json>();
}

std::string name_of(const Job& job, bool several) {
  return several ? fmt::format("{} seed {}", job.scenario->name, job.request.seed)
                 : job.scenario->name;
}

}  // namespace

LiveRuns::LiveRuns(Live& live, const std::vector<Job>& jobs) : live_(live), jobs_(jobs) {
  live_.show(view());
}

void LiveRuns::begin(std::size_t number) {
  if (live_.on()) under_way_[number].text = std::make_unique<run::SharedText>(kMaxRunText);
}

std::unique_ptr<LiveRun> LiveRuns::observer(std::size_t number) const {
  const auto it = under_way_.find(number);
  if (it == under_way_.end()) return nullptr;
  return std::make_unique<LiveRun>(name_of(jobs_[number], jobs_.size() > 1), *it->second.text);
}

void LiveRuns::update(std::size_t number, std::uint64_t now) {
  const auto it = under_way_.find(number);
  if (it == under_way_.end()) return;
  it->second.now = now;
  if (live_.due()) live_.show(view());
}

void LiveRuns::end(std::size_t number) {
  const auto it = under_way_.find(number);
  if (it == under_way_.end()) return;
  last_ = parts_of(*it->second.text);
  under_way_.erase(it);
}

void LiveRuns::made(const Outcome& outcome) {
  if (!live_.on()) return;
  ++made_;
  if (outcome.exit_code != kExitOk) add_failure(outcome);
  if (live_.due()) live_.show(view());
}

void LiveRuns::add_failure(const Outcome& outcome) {
  ++failed_;
  if (failures_.size() == kMaxShownFailures) return;
  std::string reason = outcome.error;
  if (reason.empty() && !outcome.reasons.empty()) reason = outcome.reasons.front();
  failures_.push_back({outcome.scenario, std::to_string(outcome.seed),
                       outcome.error.empty() ? outcome.verdict : "error", reason});
}

void LiveRuns::finish() {
  if (live_.on()) live_.show(view());
}

LiveView LiveRuns::view() const {
  LiveView view;
  const bool several = jobs_.size() > 1;
  if (several) view.title = fmt::format("{} runs", jobs_.size());
  if (!several && !jobs_.empty())
    view.title = jobs_[0].scenario ? jobs_[0].scenario->name : jobs_[0].file;
  view.done = made_;
  view.all = jobs_.size();
  view.unit = "runs";
  view.facts = {{"runs ended", made_}, {"not as expected", failed_}};
  ordered_json rows = ordered_json::array();
  for (const auto& [number, run] : under_way_) {
    const std::uint64_t end = end_of(jobs_[number]);
    rows.push_back({name_of(jobs_[number], several), readable_time(run.now),
                    end == 0 ? "when nothing is left to do" : readable_time(end)});
    if (several || end == 0) continue;
    view.done = std::min(run.now, end);
    view.all = end;
    view.unit.clear();
  }
  if (!rows.empty())
    view.parts.push_back(
        live_part("Under way", {"run", "simulated time", "ends"}, std::move(rows)));
  if (failed_ != 0)
    view.parts.push_back(live_part("Not as expected", {"scenario", "seed", "verdict", "reason"},
                                   failures_, more_text(failed_, failures_.size())));
  std::size_t shown = 0;
  for (const auto& [number, run] : under_way_) {
    if (++shown > kMaxShownRuns) break;
    for (ordered_json& part : parts_of(*run.text)) view.parts.push_back(std::move(part));
  }
  if (under_way_.empty()) view.parts.insert(view.parts.end(), last_.begin(), last_.end());
  return view;
}

}  // namespace fenceline::cli
