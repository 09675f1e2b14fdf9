#include "tb/campaign/bite.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "tb/campaign/says_less.h"
#include "tb/campaign/shrink.h"
#include "tb/report/writers/json_writers.h"
#include "tb/run/process/pool.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::campaign {

namespace {

constexpr std::uint64_t kFirstBatch = 16;  ///< runs between two looks at their results
constexpr std::uint64_t kLastBatch = 128;

using Clock = std::chrono::steady_clock;

/// The time that makes a scenario small is limited where others wait for their turn.
constexpr std::chrono::milliseconds kShrinkTime{60'000};

/// The prediction of a target for a run. The run is made for kMayFail alone.
enum Screened : char {
  kSame = '0',     ///< its fault is not reached: the prediction is right
  kReached = '1',  ///< its fault is reached, and the prediction is right all the same
  kMayFail = '2'   ///< the prediction is another one, or there is none
};

/// Runs of targets that share their scenarios.
class Hunt {
 public:
  Hunt(const std::vector<Target>& targets, const BiteOptions& options, const Bitten& bitten)
      : options_(options), bitten_(bitten) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Hunted& hunted = hunted_.emplace_back();
      hunted.index = i;
      hunted.target = &targets[i];
      for (const Manner& manner : options.manners)
        hunted.campaigns.push_back(campaign_of(targets[i], manner));
    }
  }

  /// False when interrupted.
  bool run();

 private:
  struct Hunted {
    std::size_t index = 0;
    const Target* target = nullptr;
    std::vector<CampaignOptions> campaigns;
    Bite bite;
  };
  struct Ended {
    bool reached = false;
    Evaluation evaluation;
  };
  /// Number of a run of a target in the pool.
  std::uint64_t trial_of(std::uint64_t run, std::size_t hunted) const {
    return run * hunted_.size() + hunted;
  }
  struct Turn {
    std::size_t manner = 0;
    std::uint64_t seed = 0;
  };
  Turn turn_of(std::uint64_t run) const;
  CampaignOptions campaign_of(const Target& target, const Manner& manner) const;

  /// The target is a machine and no reference: all its runs are made.
  bool is_machine() const { return !hunted_.front().target->predict; }
  /// A character of Screened for each target.
  std::string screen(std::uint64_t run) const;
  bool make_screens(std::uint64_t first, std::uint64_t last);
  bool make_trials();
  bool pool(const std::vector<std::uint64_t>& works,
            const std::function<std::string(std::uint64_t, run::Pulse&)>& work,
            const std::function<void(const run::Finished&)>& finished) const;
  void take_results();
  /// True if a run of the target failed.
  bool take_results(std::size_t hunted);
  FirstFailure describe(const Hunted& hunted, std::uint64_t run, const Failure& failure) const;
  void make_small(const CampaignOptions& campaign, FirstFailure& found,
                  const Failure& failure) const;

  const BiteOptions& options_;
  const Bitten& bitten_;
  std::vector<Hunted> hunted_;                    ///< not found yet
  std::map<std::uint64_t, std::string> screens_;  ///< by run, of a batch
  std::map<std::uint64_t, Ended> ended_;          ///< by trial
};

CampaignOptions Hunt::campaign_of(const Target& target, const Manner& manner) const {
  CampaignOptions campaign;
  campaign.generate = manner.generate;
  campaign.settings.kmd = target.kmd;
  campaign.settings.predict = options_.predict;
  if (target.predict) {
    campaign.settings.predict = target.predict;
    campaign.settings.full = options_.predict;
  }
  campaign.policy = manner.policy;
  campaign.settings.search = manner.search;
  campaign.overrides = target.overrides;
  return campaign;
}

Hunt::Turn Hunt::turn_of(std::uint64_t run) const {
  const auto searches = static_cast<std::size_t>(
      std::count_if(options_.manners.begin(), options_.manners.end(),
                    [](const Manner& manner) { return manner.search.has_value(); }));
  const std::size_t others = options_.manners.size() - searches;
  const std::uint64_t round = kSearchTurns * others + searches;
  const std::uint64_t place = run % round;
  if (place >= kSearchTurns * others)
    return {others + (place - kSearchTurns * others), 1 + run / round};
  return {place % others, 1 + run / round * kSearchTurns + place / others};
}

bool Hunt::run() {
  Clock::duration spent{};
  std::uint64_t batch = kFirstBatch;
  for (std::uint64_t first = 0; first < options_.runs && !hunted_.empty(); first += batch) {
    if (first != 0) batch = std::min(2 * batch, kLastBatch);
    const Clock::time_point start = Clock::now();
    // A failure after a run that is missing may not be the first one.
    if (!make_screens(first, first + std::min(batch, options_.runs - first)) || !make_trials())
      return false;
    spent += Clock::now() - start;
    take_results();
    if (options_.interrupted != nullptr && *options_.interrupted) return false;
    if (options_.time && spent >= *options_.time) break;
  }
  for (const Hunted& hunted : hunted_) bitten_(hunted.index, hunted.bite);
  return true;
}

std::string Hunt::screen(std::uint64_t run) const {
  const Turn turn = turn_of(run);
  const CampaignOptions& campaign = hunted_.front().campaigns[turn.manner];
  const nlohmann::json scenario = effective_scenario(campaign, turn.seed);
  abi::forget_reached();
  const reference::Outcome right = options_.predict(scenario);
  std::string result;
  for (const Hunted& it : hunted_) {
    const abi::Mutant fault = it.target->fault;
    const bool reached = fault == abi::Mutant::kNone || abi::reached(fault);
    result.push_back(static_cast<char>(reached ? kReached : kSame));
  }
  for (std::size_t i = 0; i < hunted_.size(); ++i)
    if (result[i] == kReached && !is_same(hunted_[i].target->predict(scenario), right))
      result[i] = kMayFail;
  return result;
}

bool Hunt::make_screens(std::uint64_t first, std::uint64_t last) {
  screens_.clear();
  std::vector<std::uint64_t> runs;
  for (std::uint64_t run = first; run < last; ++run) {
    runs.push_back(run);
    screens_[run] = std::string(hunted_.size(), kMayFail);
  }
  if (is_machine()) return true;
  return pool(
      runs, [this](std::uint64_t run, run::Pulse&) { return screen(run); },
      [this](const run::Finished& it) {
        // The prediction of one of them died: each is tried alone.
        if (it.ended.how == run::Ended::How::kWell) screens_[it.work] = it.ended.result;
      });
}

bool Hunt::make_trials() {
  std::vector<std::uint64_t> trials;
  for (const auto& [run, screen] : screens_)
    for (std::size_t i = 0; i < hunted_.size(); ++i)
      if (screen[i] == kMayFail) trials.push_back(trial_of(run, i));
  const auto work = [this](std::uint64_t trial, run::Pulse& pulse) {
    const Hunted& hunted = hunted_[trial % hunted_.size()];
    const Turn turn = turn_of(trial / hunted_.size());
    abi::forget_reached();
    const Evaluation evaluation = make_run(hunted.campaigns[turn.manner], turn.seed, &pulse);
    return (abi::reached(hunted.target->fault) ? "1" : "0") + to_bytes(evaluation);
  };
  return pool(trials, work, [this](const run::Finished& it) {
    Ended& ended = ended_[it.work];
    if (it.ended.how == run::Ended::How::kWell) {
      ended.reached = it.ended.result.front() == '1';
      ended.evaluation = evaluation_of(it.ended.result.substr(1));
    } else {
      ended.evaluation.failures.push_back(failure_of_death(it.ended));
    }
  });
}

bool Hunt::pool(const std::vector<std::uint64_t>& works,
                const std::function<std::string(std::uint64_t, run::Pulse&)>& work,
                const std::function<void(const run::Finished&)>& finished) const {
  run::PoolOptions pool;
  pool.jobs = options_.jobs;
  pool.stuck = options_.stuck;
  pool.interrupted = options_.interrupted;
  return run::run_pool(works, work, pool, finished);
}

void Hunt::take_results() {
  std::vector<Hunted> left;
  for (std::size_t i = 0; i < hunted_.size(); ++i)
    if (take_results(i))
      bitten_(hunted_[i].index, hunted_[i].bite);
    else
      left.push_back(hunted_[i]);
  ended_.clear();
  hunted_ = std::move(left);
}

bool Hunt::take_results(std::size_t hunted) {
  Bite& bite = hunted_[hunted].bite;
  for (const auto& [run, screen] : screens_) {
    bool reached = screen[hunted] == kReached;
    if (screen[hunted] == kMayFail) {
      const Ended& ended = ended_.at(trial_of(run, hunted));
      if (!ended.evaluation.failures.empty()) {
        bite.found = describe(hunted_[hunted], run, ended.evaluation.failures.front());
        return true;
      }
      reached = ended.reached;
    }
    ++bite.runs;
    if (reached) ++bite.reached;
  }
  return false;
}

FirstFailure Hunt::describe(const Hunted& hunted, std::uint64_t run, const Failure& failure) const {
  const Turn turn = turn_of(run);
  const CampaignOptions& campaign = hunted.campaigns[turn.manner];
  FirstFailure found;
  found.run = run + 1;
  found.seed = turn.seed;
  found.preset = options_.manners[turn.manner].preset;
  found.policy = policy_word(campaign);
  found.cause = failure.cause;
  found.reason = failure.reason;
  found.scenario = scenario_of(campaign, found.seed);
  make_small(campaign, found, failure);
  found.operations = operations_of(nlohmann::ordered_json::parse(found.scenario));
  return found;
}

void Hunt::make_small(const CampaignOptions& campaign, FirstFailure& found,
                      const Failure& failure) const {
  ShrinkOptions shrink_options;
  shrink_options.settings = campaign.settings;
  shrink_options.jobs = options_.jobs;
  shrink_options.stuck = options_.stuck;
  shrink_options.time = std::min(options_.time.value_or(kShrinkTime), kShrinkTime);
  shrink_options.interrupted = options_.interrupted;
  found.smallest = false;
  try {
    const auto small = shrink(found.scenario, "bite", shrink_options, failure);
    if (!small) return;
    found.scenario = small->text;
    found.reason = small->failure.reason;
    found.smallest = small->complete;
  } catch (const scenario::ScenarioError&) {
    // The generator made a scenario that the loader refuses: it stays as it is.
  }
}

}  // namespace

bool bite(const std::vector<Target>& targets, const BiteOptions& options, const Bitten& bitten) {
  // The machine of a wrong reference is the right one.
  if (!targets.front().predict) abi::set_mutant(targets.front().fault);
  const bool whole = Hunt(targets, options, bitten).run();
  abi::set_mutant(abi::Mutant::kNone);
  return whole;
}

std::uint64_t operations_of(const nlohmann::ordered_json& scenario) {
  std::uint64_t count = 0;
  if (scenario.is_object())
    for (const auto& [key, value] : scenario.items())
      if (value.is_array() && (key == "steps" || key == "commands")) count += value.size();
  if (scenario.is_structured())
    for (const auto& part : scenario) count += operations_of(part);
  return count;
}

nlohmann::ordered_json bite_json(const Target& target, const Bite& bite) {
  nlohmann::ordered_json json = {{"target", target.name},
                                 {"kind", target.kind},
                                 {"what", target.what},
                                 {"found", bite.found.has_value()},
                                 {"runs", bite.runs}};
  if (target.fault != abi::Mutant::kNone) json["reached"] = bite.reached;
  if (!bite.found) return json;
  const FirstFailure& found = *bite.found;
  json.update({{"run", found.run},
               {"seed", found.seed},
               {"preset", found.preset},
               {"policy", found.policy},
               {"cause", found.cause},
               {"reason", found.reason},
               {"operations", found.operations},
               {"smallest", found.smallest},
               {"scenario", nlohmann::ordered_json::parse(found.scenario)}});
  return json;
}

Bite bite_of(const nlohmann::ordered_json& json) {
  Bite bite;
  bite.runs = json.at("runs");
  bite.reached = json.value("reached", std::uint64_t{0});
  if (!json.at("found")) return bite;
  FirstFailure& found = bite.found.emplace();
  found.run = json.at("run");
  found.seed = json.at("seed");
  found.preset = json.at("preset");
  found.policy = json.at("policy");
  found.cause = json.at("cause");
  found.reason = json.at("reason");
  found.operations = json.at("operations");
  found.smallest = json.at("smallest");
  found.scenario = json.at("scenario").dump(2) + "\n";
  return bite;
}

std::string bite_text(const Target& target, const Bite& bite) {
  if (bite.found)
    return fmt::format("{}: found in run {} (seed {}, {}, {}): {}, {}{} operations\n", target.name,
                       bite.found->run, bite.found->seed, bite.found->preset, bite.found->policy,
                       bite.found->cause, bite.found->smallest ? "" : "at most ",
                       bite.found->operations);
  const std::string reached = target.fault == abi::Mutant::kNone
                                  ? ""
                                  : fmt::format(", {} of which reach the fault", bite.reached);
  return fmt::format("{}: not found in {} runs{}\n", target.name, bite.runs, reached);
}

}  // namespace fenceline::campaign
