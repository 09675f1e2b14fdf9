#include "tb/reference/predict.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/abi/mutant.h"
#include "tb/reference/contents.h"
#include "tb/reference/event_use.h"
#include "tb/reference/memory_use.h"
#include "tb/reference/program/unroll.h"
#include "tb/reference/progress.h"
#include "tb/reference/scope.h"
#include "tb/reference/statuses.h"
#include "tb/reference/values.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// Limit for the entries of all clocks together.
constexpr std::size_t kMaxClockEntries = std::size_t{1} << 24U;

/// Writes an analysis as an outcome.
class OutcomeWriter {
 public:
  OutcomeWriter(const Analysis& analysis, Outcome& outcome)
      : analysis_(analysis), program_(analysis.program), outcome_(outcome) {
    for (const Lane& lane : program_.lanes) {
      count_commands(lane);
      const bool shared = lane.queue && program_.queues[*lane.queue].lanes.size() > 1;
      names_.push_back(shared ? part_name(lane.name, lane.submitter) : lane.name);
    }
  }

  void write() {
    for (Id fence = 0; fence < program_.fences.size(); ++fence) write_fence(fence);
    for (Id lane = 0; lane < program_.lanes.size(); ++lane) {
      if (program_.lanes[lane].kind == Lane::Kind::kThread) write_thread(lane);
      if (program_.lanes[lane].kind == Lane::Kind::kQueue) write_commands(lane);
    }
    write_contents(analysis_, outcome_);
    write_end();
  }

 private:
  /// Work of a device in error may be lost: what comes behind such work may be done without it.
  void count_commands(const Lane& lane) {
    const bool may_lose = std::any_of(
        program_.failures.begin(), program_.failures.end(),
        [&](const Failure& failure) { return lane.queue && failure.process == lane.process; });
    const auto id = static_cast<Id>(counts_.size());
    bool sure = true;
    std::vector<std::uint64_t> counts{0};
    for (Id i = 0; i < lane.ops.size(); ++i) {
      sure = sure && (!may_lose || abi::mutant(abi::Mutant::kLostWorkCounts) ||
                      analysis_.ends({id, i}) == Happens::kAlways);
      counts.push_back(counts.back() + (sure && lane.ops[i].counted ? 1 : 0));
    }
    counts_.push_back(std::move(counts));
  }

  void write_fence(Id fence) {
    const std::string& name = program_.fences[fence].name;
    if (name.empty() || is_never_made(analysis_, fence)) return;
    const std::optional<Allowed> value = final_value(analysis_, fence);
    if (value)
      outcome_.fences[name] = *value;
    else
      outcome_.fences.emplace(name, Allowed{});
  }

  void write_thread(Id lane) {
    std::vector<StepOutcome>& steps = outcome_.threads[program_.lanes[lane].name];
    for (Id i = 0; i < program_.lanes[lane].ops.size(); ++i) {
      const Ref ref{lane, i};
      StepOutcome step;
      step.pointer = program_.at(ref).pointer;
      step.begins = analysis_.begins(ref);
      step.ends = analysis_.ends(ref);
      step.statuses = statuses_of(analysis_, ref);
      step.after = after(ref);
      steps.push_back(std::move(step));
    }
  }

  void write_commands(Id lane) {
    const Queue& queue = program_.queues[*program_.lanes[lane].queue];
    const std::string& submitter = program_.lanes[lane].submitter;
    for (Id i = 0; i < program_.lanes[lane].ops.size(); ++i) {
      const Ref ref{lane, i};
      const Op& op = program_.at(ref);
      if (op.faulty)
        outcome_.commands[queue.name].push_back({op.pointer, Happens::kNever, {}, submitter});
      if (!op.counted) continue;
      outcome_.commands[queue.name].push_back(
          {op.pointer, analysis_.ends(ref), after(ref), submitter});
    }
  }

  /// What the operation before it does not say already.
  Progress after(Ref ref) const {
    Progress progress;
    if (analysis_.ends(ref) == Happens::kNever) return progress;
    const std::uint32_t* clock = analysis_.order.at(ref);
    const std::uint32_t* before =
        ref.op == 0 ? nullptr : analysis_.order.at({ref.lane, ref.op - 1});
    for (Id lane = 0; lane < program_.lanes.size(); ++lane) {
      const std::uint64_t count = counts_[lane][clock[lane]];
      const std::uint64_t known = before == nullptr ? 0 : counts_[lane][before[lane]];
      if (lane != ref.lane && !names_[lane].empty() && count > known)
        progress[names_[lane]] = count;
    }
    return progress;
  }

  /// A device in error may lose the wait.
  bool may_wait_no_more(Ref wait) const {
    return analysis_.certain.may_be_lost(wait) && !abi::mutant(abi::Mutant::kLostWaitGoesOn);
  }

  /// An agent that does not come to its end waits there.
  void write_end() {
    for (Id lane = 0; lane < program_.lanes.size(); ++lane) {
      if (program_.lanes[lane].kind == Lane::Kind::kHelper) continue;
      const auto all = static_cast<Id>(program_.lanes[lane].ops.size());
      const Id possible = analysis_.possible.ends[lane];
      if (possible < all && !may_wait_no_more({lane, possible}))
        outcome_.hangs =
            abi::mutant(abi::Mutant::kEndIsNeverSure) ? Happens::kMaybe : Happens::kAlways;
      else if (analysis_.certain.ends()[lane] < all && outcome_.hangs == Happens::kNever)
        outcome_.hangs = Happens::kMaybe;
    }
  }

  const Analysis& analysis_;
  const Program& program_;
  Outcome& outcome_;
  std::vector<std::vector<std::uint64_t>> counts_;  ///< by lane: commands among the first n
  std::vector<std::string> names_;                  ///< by lane: key in Progress; empty: none
};

/// Nothing is said about the scenario.
Outcome unknown(const std::string& reason) {
  Outcome outcome;
  outcome.hangs = outcome.bug_check = Happens::kMaybe;
  outcome.silent[""] = reason;
  return outcome;
}

/// A run that may end early, or in which agents may be held, promises nothing.
void weaken(Happens& happens) {
  if (happens == Happens::kAlways) happens = Happens::kMaybe;
}

void weaken(Outcome& outcome) {
  outcome.hangs = Happens::kMaybe;
  for (auto& [name, value] : outcome.fences) value = {true, {}};
  for (auto& [name, content] : outcome.contents)
    for (auto& [offset, value] : content) value = {true, {}};
  for (auto& [name, steps] : outcome.threads)
    for (StepOutcome& step : steps) {
      weaken(step.begins);
      weaken(step.ends);
    }
  for (auto& [name, commands] : outcome.commands)
    for (CommandOutcome& command : commands) weaken(command.done);
}

std::size_t clock_entries(const Program& program) {
  std::size_t operations = 0;
  for (const Lane& lane : program.lanes) operations += lane.ops.size();
  return operations * program.lanes.size();
}

/// What is excluded by the order may exclude more.
constexpr int kMaxRefinements = 8;

/// The reason why a call may meet an object that is not there.
std::string misuse_of(const Analysis& analysis) {
  std::string misuse = memory_misuse(analysis);
  if (misuse.empty()) misuse = cpu_event_misuse(analysis);
  return misuse.empty() ? call_misuse(analysis) : misuse;
}

void analyse(Program& program, Outcome& outcome) {
  Possible reached = possible(program);
  for (int round = 0; round <= kMaxRefinements; ++round) {
    const Signals signals(program, reached.ends);
    const Order order(program, signals, reached.sequence);
    Possible refined = possible(program, &order);
    if (refined.ends == reached.ends || round == kMaxRefinements) {
      if (settle_progress(program, order, reached.ends)) return analyse(program, outcome);
      const Certain certain(program, signals, order, reached.ends);
      const Analysis analysis{program, reached, signals, order, certain};
      if (const std::string misuse = misuse_of(analysis); !misuse.empty())
        outcome = unknown(misuse);
      else
        OutcomeWriter(analysis, outcome).write();
      return;
    }
    reached = std::move(refined);
  }
}

}  // namespace

Outcome predict(const json& scenario) {
  if (const std::string reason = out_of_scope(scenario); !reason.empty()) return unknown(reason);
  Unrolled unrolled = unroll(scenario);
  const auto all = unrolled.silent.find("");
  if (all != unrolled.silent.end()) return unknown(all->second);
  if (clock_entries(unrolled.program) > kMaxClockEntries)
    return unknown("too many operations and agents");
  Outcome outcome;
  outcome.silent = unrolled.silent;
  analyse(unrolled.program, outcome);
  if (scenario.contains("end_time") || !holds_end(scenario)) weaken(outcome);
  return outcome;
}

}  // namespace fenceline::reference
