#include "tb/app/cli/live/live_search.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/app/cli/outputs/sweep_text.h"

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {

/// Less of the tree than this says nothing about the rest.
constexpr double kLeastSearched = 0.01;
constexpr const char* kSearchNote =
    "The searched share counts the ways at each choice as equally large. Ways that are taken later "
    "are mostly smaller, because their states have been met: the search mostly ends earlier.";

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
  view.facts.emplace_back("searched", fmt::format("about {:.3g} % of all orders",
                                                  100 * std::max(0.0, 1 - frontier.left)));
  view.facts.emplace_back("left", time_left(frontier.left));
  const std::uint64_t rest =
      max_executions_ - std::min(max_executions_, report.executions + report.fallback);
  view.facts.emplace_back("up to the limit",
                          fmt::format("{} executions, {}", rest, time_left_text(rest, rate_now_)));
  view.parts.push_back(live_part("About the estimate", {""}, {}, kSearchNote));
}

std::string LiveSearch::time_left(double left) {
  if (left_at_start_ < left) {  // the first time, or it has begun again
    left_at_start_ = left;
    start_ = Clock::now();
  }
  const double searched = left_at_start_ - left;
  if (searched < kLeastSearched)
    return fmt::format("unknown: less than {:.0f} % is searched yet", 100 * kLeastSearched);
  const double took = std::chrono::duration<double>(Clock::now() - start_).count();
  return fmt::format("about {}, if the rest is like what was searched",
                     readable_seconds(static_cast<std::uint64_t>(took * left / searched)));
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
  const double rate = rate_.of(view_.done);
  view_.facts = {{"proved", proved_},
                 {"violated", violated_},
                 {"neither", view_.done - proved_ - violated_},
                 {"left", time_left_text(all - view_.done, rate)}};
  if (live_.due() || view_.done == all) live_.show(view_);
}

}  // namespace fenceline::cli
