#include "tb/explore/walk.h"

#include <algorithm>
#include <utility>

#include "tb/explore/story/story.h"
#include "tb/report/writers/narrative.h"

namespace fenceline::explore {

using common::Candidate;

namespace {

bool worth_telling(const common::Event& event) {
  return explains(event.kind) || report::is_story(event.kind);
}

}  // namespace

Walk::Walk(Stage& stage) : stage_(stage), eager_(stage.steps()) {
  stage_.listen(*this);
  go_on();
  arrive();
}

void Walk::go_on() {
  choice_.clear();
  stage_.go_on(*this);
}

std::size_t Walk::pick(const std::vector<Candidate>& candidates,
                       const std::function<std::uint64_t()>& /*state*/) {
  std::size_t picked = 0;
  if (forced_) {
    picked = *std::exchange(forced_, std::nullopt);
  } else if (one_step_ || candidates.size() > 1) {
    choice_ = candidates;
    return kStop;
  }
  const Candidate& candidate = candidates[picked];
  trace_.push_back({{candidate.agent, candidate.operation},
                    candidate.footprint,
                    {},
                    {},
                    candidates.size() > 1,
                    0});
  return picked;
}

void Walk::on_event(const common::Event& event) {
  const Arena::Outside outside;
  if (!trace_.empty()) trace_.back().events.push_back(event);
}

/// The run stands at a choice or at its end: takes a snapshot and describes the ways.
void Walk::arrive() {
  Point& point = points_.emplace_back();
  point.snapshot.take(stage_.image());
  point.candidates = choice_;
  point.length = trace_.size();
  return_to(points_.size() - 1);
}

void Walk::return_to(std::size_t point) {
  points_.resize(point + 1);
  stage_.restore(points_.back().snapshot);
  trace_.resize(points_.back().length);
  ways_.clear();
  for (std::size_t i = 0; i < points_.back().candidates.size(); ++i) ways_.push_back(look(i));
}

/// Takes a way, describes its effect, and restores the state before it.
Way Walk::look(std::size_t way) {
  const Point& point = points_.back();
  const Candidate& candidate = point.candidates[way];
  forced_ = way;
  one_step_ = true;
  go_on();
  one_step_ = false;
  Way result{stage_.steps().name(candidate.agent), common::operation_name(candidate.operation), {}};
  const report::Names names = report::Names::capture(stage_.events());
  for (const common::Event& event : trace_.back().events)
    if (worth_telling(event))
      result.text += (result.text.empty() ? "" : "; ") + report::describe(event, names);
  if (result.text.empty())
    result.text =
        describe_operation(trace_, trace_.size() - 1, stage_.steps(), names, stage_.known_places());
  stage_.restore(point.snapshot);
  trace_.resize(point.length);
  return result;
}

std::size_t Walk::by_default() { return eager_.pick(points_.back().candidates, {}); }

void Walk::take(std::size_t way) {
  points_.back().taken = way;
  forced_ = way;
  go_on();
  arrive();
}

bool Walk::back() {
  if (points_.size() == 1) return false;
  return_to(points_.size() - 2);
  return true;
}

void Walk::restart() { return_to(0); }

WalkedStep Walk::walked_step(std::size_t step) const {
  const ReplayedStep& taken = trace_[step];
  WalkedStep result{step + 1,
                    stage_.steps().name(taken.instance.agent),
                    common::operation_name(taken.instance.operation),
                    {},
                    taken.choice};
  const report::Names names = report::Names::capture(stage_.events());
  for (const common::Event& event : taken.events)
    if (worth_telling(event))
      result.events.push_back(
          with_agent(stage_.steps().name(event.agent), report::describe(event, names)));
  if (result.events.empty())
    result.events.push_back(
        describe_operation(trace_, step, stage_.steps(), names, stage_.known_places()));
  return result;
}

std::vector<WalkedStep> Walk::latest() const {
  std::vector<WalkedStep> steps;
  const std::size_t from = points_.size() < 2 ? 0 : points_[points_.size() - 2].length;
  for (std::size_t i = from; i < trace_.size(); ++i) steps.push_back(walked_step(i));
  return steps;
}

std::vector<std::size_t> Walk::taken() const {
  std::vector<std::size_t> ways;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) ways.push_back(points_[i].taken);
  return ways;
}

std::vector<std::string> Walk::trace() const {
  std::vector<std::string> agents;
  agents.reserve(trace_.size());
  for (const ReplayedStep& step : trace_)
    agents.push_back(stage_.steps().name(step.instance.agent));
  return agents;
}

std::vector<check::Violation> Walk::broken() {
  if (!ways_.empty()) return stage_.violations();
  std::vector<check::Violation> all = stage_.judge_end();
  return_to(points_.size() - 1);
  return all;
}

std::vector<std::string> Walk::waiting() {
  std::vector<std::string> lines = stage_.waiting();
  return_to(points_.size() - 1);
  return lines;
}

}  // namespace fenceline::explore
