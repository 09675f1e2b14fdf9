#include "tb/explore/stage.h"

#include <stdexcept>

#include "tb/run/run_scenario.h"

namespace fenceline::explore {

Stage::Stage(const scenario::Scenario& scenario, const std::string& kmd, std::uint64_t max_steps,
             Memory memory)
    : max_steps_(max_steps) {
  if (!Arena::available())
    throw std::runtime_error("explore does not run under a sanitizer: it copies memory as a whole");
  prepare(scenario, kmd);
  const Arena::Scope inside(arena_);
  simulated_ = new run::Simulated(scenario, kmd);
  order_ = new ObservedOrder(simulated_->simulation, simulated_->checkers, memory);
  if (const auto& most = scenario.explore.bounds.interrupts) order_->limit_interrupts(*most);
}

/// A run outside the arena: what the program makes once, at first use, must not be put back.
void Stage::prepare(const scenario::Scenario& scenario, const std::string& kmd) {
  run::RunOptions options;
  options.kmd = kmd;
  options.policy = scenario::PolicyKind::kRandom;
  report::Record record(0);
  run::run_scenario(scenario, options, record);
}

Stage::~Stage() {
  image_.reset();
  const Arena::Scope inside(arena_);
  delete order_;
  delete simulated_;
}

void Stage::play(const std::function<void()>& body) {
  const Arena::Scope inside(arena_);
  simulated_->machine.run_programs = [&] {
    steps().begin_exploring(*this, max_steps_);
    {
      const Arena::Outside outside;
      image_ = std::make_unique<Image>(arena_, steps());
      try {
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
  const Arena::Scope inside(arena_);
  steps().go_on();
}

std::size_t Stage::pick(const std::vector<common::Candidate>& candidates,
                        const std::function<std::uint64_t()>& state) {
  const Arena::Outside outside;
  return policy_->pick(candidates, state);
}

const std::vector<check::Violation>& Stage::violations() const {
  return simulated_->checkers.violations();
}

std::vector<std::string> Stage::waiting() {
  std::vector<std::string> lines;
  const Arena::Scope inside(arena_);
  for (const std::string& line : run::explain_waiting(simulated_->machine, simulated_->history)) {
    const Arena::Outside outside;
    lines.push_back(line);
  }
  return lines;
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
  if (!steps().held().empty()) return violations();
  rest_ = simulated_->rest();
  {
    const Arena::Scope inside(arena_);
    events().emit(common::EventKind::kQuiescent, 0, 0);
    simulated_->checkers.finish();
  }
  std::vector<check::Violation> all = violations();
  if (rest_ != run::Rest::kStuck || !all.empty()) return all;
  other.invariant = other.name = kHang;
  other.message = "nothing is left to do, and somebody has not ended who waits for no value";
  return {other};
}

}  // namespace fenceline::explore
