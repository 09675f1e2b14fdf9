#include "tb/app/cli/live/live_search.h"

#include <algorithm>
#include <fmt/format.h>

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {

constexpr double kMostLeft = 1e15;  ///< executions: such an estimate says nothing
constexpr const char* kSearchNote =
    "What is left is an estimate: the ways that are not taken yet count as many executions as "
    "such ways took so far. It can be wrong by a factor of ten or more in either direction, and "
    "does not know whether the search will have to begin again.";

std::string left_text(double left, double rate) {
  if (left > kMostLeft) return "unknown";
  const auto executions = static_cast<std::uint64_t>(left);
  return fmt::format("about {} executions: {}", executions, time_left_text(executions, rate));
}

ordered_json findings_of(const explore::SearchReport& report) {
  ordered_json rows = ordered_json::array();
  for (const auto& [cause, finding] : report.findings)
    rows.push_back({finding.violation.invariant, cause, finding.execution, finding.trace.size()});
  return rows;
}

}  // namespace

LiveSearch::LiveSearch(Live& live, std::string name, const explore::SearchLimits& limits)
    : live_(live), name_(std::move(name)), max_executions_(limits.executions) {
  live_.show(view({}));
}

void LiveSearch::update(const explore::SearchReport& report, const explore::Frontier* frontier) {
  if (!live_.due()) return;
  rate_now_ = rate_.of(report.executions);
  LiveView now = view(report);
  now.facts.emplace_back("rate", rate_text(rate_now_));
  if (frontier != nullptr) {
    add_frontier(report, *frontier, now);
  } else {
    now.facts.emplace_back("orders", "random: they prove nothing");
  }
  live_.show(std::move(now));
}

void LiveSearch::finish(const explore::Exploration& exploration) {
  LiveView last = view(exploration.search);
  last.facts.emplace_back("verdict", verdict_name(exploration.verdict));
  live_.show(std::move(last));
}

LiveView LiveSearch::view(const explore::SearchReport& report) {
  LiveView view;
  view.title = name_;
  view.facts = {{"states", report.states},
                {"executions", report.executions},
                {"findings", report.findings.size()}};
  if (report.restarts != 0) view.facts.emplace_back("begun again", report.restarts);
  if (!report.findings.empty())
    view.parts.push_back(live_part(
        "Findings so far", {"finding", "cause", "first execution", "steps"}, findings_of(report)));
  return view;
}

void LiveSearch::add_frontier(const explore::SearchReport& report,
                              const explore::Frontier& frontier, LiveView& view) {
  view.facts.emplace_back("frontier", fmt::format("{} ways not taken yet", frontier.open));
  view.facts.emplace_back("left", left_text(frontier.left, rate_now_));
  const std::uint64_t rest =
      max_executions_ - std::min(max_executions_, report.executions + report.fallback);
  view.facts.emplace_back("up to the limit",
                          fmt::format("{} executions, {}", rest, time_left_text(rest, rate_now_)));
  view.parts.push_back(live_part("About the estimate", {""}, {}, kSearchNote));
}

LiveMatrix::LiveMatrix(Live& live, const std::string& name) : live_(live) {
  view_.title = name;
  view_.unit = "subsets";
  live_.show(view_);
}

void LiveMatrix::update(const explore::MatrixRow& row, std::size_t all) {
  if (!live_.on()) return;
  ++view_.done;
  view_.all = all;
  if (row.verdict == scenario::Verdict::kProved) ++proved_;
  if (row.verdict == scenario::Verdict::kViolated) ++violated_;
  executions_ += row.executions;
  const double rate = rate_.of(view_.done);
  view_.facts = {{"proved", proved_},
                 {"violated", violated_},
                 {"neither", view_.done - proved_ - violated_},
                 {"executions", executions_},
                 {"rate", fmt::format("{} of subsets", rate_text(rate))},
                 {"left", time_left_text(all - view_.done, rate)}};
  if (live_.due() || view_.done == all) live_.show(view_);
}

}  // namespace fenceline::cli
