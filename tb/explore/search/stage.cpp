#include "tb/explore/search/stage.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "tb/run/run_scenario.h"
#include "tb/run/unended.h"

namespace fenceline::explore {

namespace {

std::uint64_t key_in_state(const common::Candidate& candidate, std::uint64_t state) {
  return common::hash_values(state, candidate.agent,
                             static_cast<std::uint64_t>(candidate.operation));
}

std::uint64_t key_anywhere(const common::Candidate& candidate) {
  return common::hash_values(key_in_state(candidate, candidate.history));
}

bool same(const Trace& a, const Trace& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TraceStep& one, const TraceStep& other) {
                      return one.agent == other.agent && one.operation == other.operation;
                    });
}

/// Follows a trace up to its last step, and keeps what that is.
class LastStep : public common::Policy {
 public:
  explicit LastStep(const Trace& trace) : trace_(trace) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override {
    const auto it = std::find_if(candidates.begin(), candidates.end(), [this](const auto& one) {
      return one.agent == trace_[next_].agent && one.operation == trace_[next_].operation;
    });
    if (it == candidates.end()) return kStop;
    if (++next_ < trace_.size()) return static_cast<std::size_t>(it - candidates.begin());
    found = true;
    in_state = key_in_state(*it, state());
    anywhere = key_anywhere(*it);
    return kStop;
  }

  bool found = false;
  std::uint64_t in_state = 0;
  std::uint64_t anywhere = 0;

 private:
  const Trace& trace_;
  std::size_t next_ = 0;
};

}  // namespace

Stage::Stage(const scenario::Scenario& scenario, const std::string& kmd, std::uint64_t max_steps,
             Memory memory, std::vector<FatalStep> fatal, Flight* flight)
    : max_steps_(max_steps), fatal_(std::move(fatal)), flight_(flight) {
  if (!Arena::available())
    throw std::runtime_error("explore does not run under a sanitizer: it copies memory as a whole");
  prepare(scenario, kmd);
  const Arena::Scope inside(arena_);
  simulated_ = new run::Simulated(scenario, kmd);
  whereabouts_ = new run::Whereabouts(simulated_->simulation);
  whereabouts_->attach(simulated_->simulation.events);
  order_ = new ObservedOrder(simulated_->simulation, simulated_->checkers, memory);
  if (const auto& most = scenario.explore.bounds.interrupts) order_->limit_interrupts(*most);
}

/// Runs once outside the arena: objects that the program creates at first use must not be restored.
void Stage::prepare(const scenario::Scenario& scenario, const std::string& kmd) {
  run::RunOptions options;
  options.kmd = kmd;
  options.policy = scenario::PolicyKind::kRandom;
  options.max_steps = max_steps_;
  Trace trace;
  options.before_step = [&](const common::Candidate& step) {
    trace.push_back({step.agent, step.operation});
    if (flight_ != nullptr) flight_->step(trace.size() - 1, trace.back());
    return std::none_of(fatal_.begin(), fatal_.end(),
                        [&](const FatalStep& it) { return same(it.trace, trace); });
  };
  report::Record record(0);
  const report::RunReport report = run::run_scenario(scenario, options, record);
  if (report.set_up_hangs())
    throw std::invalid_argument(
        "the programs do not begin; fenceline run shows who waits for what");
  if (flight_ != nullptr) flight_->start();
}

Stage::~Stage() {
  image_.reset();
  const Arena::Scope inside(arena_);
  delete judge_;
  delete order_;
  delete whereabouts_;
  delete simulated_;
}

void Stage::play(const std::function<void()>& body) {
  const Arena::Scope inside(arena_);
  simulated_->machine.run_programs = [&] {
    steps().begin_exploring(*this, max_steps_);
    if (make_judge_) {
      judge_ = make_judge_().release();
      judge_->ready(simulated_->machine);
    }
    {
      const Arena::Outside outside;
      image_ = std::make_unique<Image>(arena_, steps());
      tested_in_set_up_ = simulated_->checkers.tested();
      try {
        learn_fatal();
        body();
      } catch (...) {  // must not pass through the simulation
        failure_ = std::current_exception();
      }
      image_->restore();
      image_.reset();
    }
    sc_core::sc_stop();
  };
  sc_core::sc_start();
  if (failure_) std::rethrow_exception(failure_);
  if (steps().failure()) std::rethrow_exception(steps().failure());
}

void Stage::hold(std::vector<common::HoldRule> rules) {
  const Arena::Scope inside(arena_);
  steps().start_counting(std::vector<common::HoldRule>(rules.begin(), rules.end()));
}

void Stage::listen(common::EventSink& sink) {
  const Arena::Scope inside(arena_);
  events().subscribe(sink);
}

void Stage::go_on(common::Policy& policy) {
  policy_ = &policy;
  died_ = nullptr;
  left_out_ = false;
  const Arena::Scope inside(arena_);
  steps().go_on();
}

/// Computes the keys by which fatal steps are recognised in any run.
void Stage::learn_fatal() {
  std::unordered_map<std::uint64_t, const FatalStep*> keys;
  std::unordered_map<std::uint64_t, const FatalStep*> like;
  for (const FatalStep& it : fatal_) {
    if (it.trace.empty()) continue;
    restart();
    LastStep last(it.trace);
    go_on(last);
    if (!last.found) continue;
    keys.emplace(last.in_state, &it);
    if (it.anywhere) like.emplace(last.anywhere, &it);
  }
  like_fatal_ = std::move(like);
  fatal_by_key_ = std::move(keys);
  restart();
}

const FatalStep* Stage::fatal(const common::Candidate& candidate,
                              const std::function<std::uint64_t()>& state) const {
  if (fatal_by_key_.empty()) return nullptr;
  const auto it = fatal_by_key_.find(key_in_state(candidate, state()));
  return it == fatal_by_key_.end() ? nullptr : it->second;
}

const FatalStep* Stage::like_fatal(const common::Candidate& candidate) const {
  if (like_fatal_.empty()) return nullptr;
  const auto it = like_fatal_.find(key_anywhere(candidate));
  return it == like_fatal_.end() ? nullptr : it->second;
}

std::size_t Stage::pick(const std::vector<common::Candidate>& candidates,
                        const std::function<std::uint64_t()>& state) {
  const Arena::Outside outside;
  const std::size_t picked = policy_->pick(candidates, state);
  if (picked == kStop) return kStop;
  const common::Candidate& step = candidates[picked];
  died_ = fatal(step, state);
  if (died_ == nullptr) {
    const FatalStep* like = like_fatal(step);
    left_out_ = like != nullptr && !like->counts;
    if (!left_out_) died_ = like;
  }
  if (died()) {
    last_ = step;
    return kStop;
  }
  if (flight_ != nullptr) flight_->step(steps().steps_taken(), {step.agent, step.operation});
  return picked;
}

const std::vector<check::Violation>& Stage::violations() const {
  return simulated_->checkers.violations();
}

std::bitset<check::kInvariantCount> Stage::tested() const {
  const auto times = simulated_->checkers.tested();
  std::bitset<check::kInvariantCount> tested;
  for (std::size_t i = 0; i < times.size(); ++i) tested[i] = times[i] > tested_in_set_up_[i];
  return tested;
}

/// Calls `sentences` inside the arena. @return copies outside of it
template <typename Sentences>
std::vector<std::string> Stage::copied(const Sentences& sentences) {
  std::vector<std::string> lines;
  const Arena::Scope inside(arena_);
  for (const std::string& line : sentences()) {
    const Arena::Outside outside;
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> Stage::waiting() {
  return copied([this] { return run::explain_waiting(simulated_->machine, simulated_->history); });
}

run::KnownPlaces Stage::known_places() { return run::KnownPlaces(simulated_->machine); }

std::vector<std::string> Stage::unended() {
  return copied([this] { return run::unended_threads(simulated_->machine); });
}

std::vector<std::string> Stage::left_at_end() {
  return copied([this] { return run::left_at_end(simulated_->machine, simulated_->history); });
}

std::vector<check::Violation> Stage::ask_judge() {
  if (judge_ == nullptr) return {};
  report::RunReport report;
  report.began = true;
  report.ending = rest_ == run::Rest::kNobody ? report::Ending::kCompleted : report::Ending::kHang;
  report.violations = violations();
  if (rest_ != run::Rest::kNobody) report.waiting = waiting();
  const Arena::Scope inside(arena_);
  const std::vector<check::Violation> found = judge_->judge(simulated_->machine, report);
  const Arena::Outside outside;
  return std::vector<check::Violation>(found);
}

std::vector<check::Violation> Stage::judge_end() {
  check::Violation other;
  if (steps().failure()) {
    other.invariant = other.name = kBugCheck;
    try {
      std::rethrow_exception(steps().failure());
    } catch (const std::exception& failure) {
      other.message = failure.what();
    }
    std::vector<check::Violation> all = violations();
    all.push_back(other);
    return all;
  }
  if (left_out_) return violations();
  if (died_ != nullptr) {
    other.invariant = other.name = died_->finding;
    other.message = fmt::format("{} {} in its step {}: {}", steps().name(last_.agent),
                                died_->finding == kCrash ? "crashes" : "does not come to an end",
                                common::operation_name(last_.operation), died_->why);
    std::vector<check::Violation> all = violations();
    all.push_back(other);
    return all;
  }
  if (!steps().held().empty()) return violations();
  rest_ = simulated_->rest();
  {
    const Arena::Scope inside(arena_);
    events().emit(0, event::Quiescent{});
    simulated_->checkers.finish();
  }
  std::vector<check::Violation> all = violations();
  const std::vector<check::Violation> differences = ask_judge();
  all.insert(all.end(), differences.begin(), differences.end());
  if (rest_ != run::Rest::kStuck || !all.empty()) return all;
  other.invariant = other.name = kHang;
  const std::vector<std::string> unended_now = unended();
  other.message = unended_now.empty()
                      ? "nothing is left to do, and a queue has not run all of its packets"
                      : fmt::format("nothing is left to do, and {}", fmt::join(unended_now, "; "));
  return {other};
}

}  // namespace fenceline::explore
