#include "tb/app/cli/live/live_sweep.h"

#include <algorithm>
#include <fmt/format.h>

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {
constexpr std::size_t kMaxShownRows = 100;
}  // namespace

LiveSweep::LiveSweep(Live& live, std::string name, std::uint64_t points, std::uint64_t runs,
                     std::uint64_t at_once)
    : live_(live), name_(std::move(name)), points_(points), runs_(runs), at_once_(at_once) {
  live_.show(view());
}

void LiveSweep::add(const std::string& row) {
  if (!live_.on()) return;
  const sweep::Row run = sweep::unpack_row(row);
  ++verdicts_[run.verdict];
  if (run.exit_code == 0) return;
  ++failed_;
  if (failures_.size() < kMaxShownRows)
    failures_.push_back({run.run / (runs_ / points_), run.verdict, run.reason});
}

void LiveSweep::update(std::uint64_t done) {
  done_ = done;
  if (!live_.due() && done != runs_) return;
  rate_now_ = rate_.of(done);
  live_.show(view());
}

LiveView LiveSweep::view() const {
  LiveView view;
  view.title = name_;
  view.done = done_;
  view.all = runs_;
  view.unit = "runs";
  view.facts = {{"points", points_}, {"done", done_}};
  if (at_once_ != 0) {
    view.facts.emplace_back("failed", failed_);
    view.facts.emplace_back("running", std::min(at_once_, runs_ - done_));
  }
  view.facts.emplace_back("rate", rate_text(rate_now_));
  view.facts.emplace_back("left", time_left_text(runs_ - done_, rate_now_));
  ordered_json rows = ordered_json::array();
  for (const auto& [verdict, runs] : verdicts_) rows.push_back({verdict, runs});
  if (rows.empty()) return view;
  view.parts.push_back(live_part("Runs of this process", {"verdict", "runs"}, std::move(rows)));
  if (failed_ != 0)
    view.parts.push_back(live_part("Failed", {"point", "verdict", "reason"}, failures_,
                                   more_text(failed_, failures_.size())));
  return view;
}

}  // namespace fenceline::cli
