#include "tb/app/cli/live/live_campaign.h"

#include <fmt/format.h>

namespace fenceline::cli {

using nlohmann::ordered_json;

LiveCampaign::LiveCampaign(Live& live, std::string name, std::uint64_t runs)
    : live_(live), name_(std::move(name)), runs_(runs) {
  live_.show(view());
}

void LiveCampaign::add(const campaign::Evaluation& evaluation, bool now) {
  if (now) ++made_;
  if (evaluation.coverage) coverage_.add(*evaluation.coverage);
  if (evaluation.searched) {
    states_ += evaluation.searched->states;
    executions_ += evaluation.searched->executions;
  }
  if (evaluation.failures.empty()) return;
  ++failed_;
  const campaign::Failure& failure = evaluation.failures.front();
  ++groups_.try_emplace(failure.key(), failure, 0).first->second.second;
}

void LiveCampaign::update(std::uint64_t done) {
  done_ = done;
  if (!live_.due()) return;
  rate_now_ = rate_.of(done);
  live_.show(view());
}

void LiveCampaign::finish() { live_.show(view()); }

void LiveCampaign::shrink(std::size_t number, std::size_t all, const std::string& cause) {
  live_.enter(fmt::format("makes failure {} of {} small: {}", number + 1, all, cause));
}

LiveView LiveCampaign::view() const {
  LiveView view;
  view.title = name_;
  view.done = done_;
  view.all = runs_;
  view.unit = "runs";
  view.facts = {{"runs of this command", made_},
                {"failed", failed_},
                {"groups of failures", groups_.size()},
                {"rate", rate_text(rate_now_)},
                {"left", time_left_text(runs_ - done_, rate_now_)}};
  if (executions_ != 0) {
    view.facts.emplace_back("states of all searches", states_);
    view.facts.emplace_back("executions of all searches", executions_);
  }
  if (coverage_.runs() != 0) {
    const coverage::Table::Share share = coverage_.share();
    view.facts.emplace_back("coverage so far",
                            fmt::format("{} of {} points", share.hit, share.all));
  }
  ordered_json rows = ordered_json::array();
  for (const auto& [key, group] : groups_)
    rows.push_back({group.second, group.first.cause, group.first.reason});
  if (!rows.empty())
    view.parts.push_back(
        live_part("Failures by group", {"runs", "cause", "first reason"}, std::move(rows)));
  return view;
}

}  // namespace fenceline::cli
