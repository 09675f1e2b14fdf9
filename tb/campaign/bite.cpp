#include "tb/campaign/bite.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "tb/campaign/shrink.h"
#include "tb/report/writers/json_writers.h"
#include "tb/run/process/pool.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::campaign {

namespace {

constexpr std::uint64_t kFirstBatch = 16;  ///< runs between two looks at their results
constexpr std::uint64_t kLastBatch = 128;

using Clock = std::chrono::steady_clock;

/// Runs of one target.
class Hunt {
 public:
  Hunt(const Target& target, const BiteOptions& options) : options_(options) {
    for (const Manner& manner : options.manners) {
      CampaignOptions campaign;
      campaign.generate = manner.generate;
      campaign.settings.kmd = target.kmd;
      campaign.settings.predict = options.predict;
      if (target.predict) {
        campaign.settings.predict = target.predict;
        campaign.settings.full = options.predict;
      }
      campaign.policy = manner.policy;
      campaign.overrides = target.overrides;
      campaigns_.push_back(std::move(campaign));
    }
  }

  /// False when interrupted.
  bool run(Bite& result);

 private:
  const CampaignOptions& campaign_of(std::uint64_t run) const {
    return campaigns_[run % campaigns_.size()];
  }
  std::uint64_t seed_of(std::uint64_t run) const { return 1 + run / campaigns_.size(); }
  /// The results of the runs that ended. False when interrupted.
  bool make_runs(std::uint64_t first, std::uint64_t last);
  /// Adds the results up to the first failure. True if there is one.
  bool take_results(Bite& result);
  FirstFailure describe(std::uint64_t run, const Failure& failure) const;
  void make_small(FirstFailure& found, const Failure& failure) const;

  struct Ended {
    bool reached = false;
    Evaluation evaluation;
  };
  const BiteOptions& options_;
  std::vector<CampaignOptions> campaigns_;
  std::map<std::uint64_t, Ended> ended_;
};

bool Hunt::run(Bite& result) {
  const Clock::time_point start = Clock::now();
  std::uint64_t batch = kFirstBatch;
  for (std::uint64_t first = 0; first < options_.runs; first += batch) {
    if (first != 0) batch = std::min(2 * batch, kLastBatch);
    const std::uint64_t last = first + std::min(batch, options_.runs - first);
    const bool whole = make_runs(first, last);
    // A failure after a run that is missing may not be the first one.
    if (!whole) return false;
    if (take_results(result)) return true;
    if (options_.time && Clock::now() - start >= *options_.time) return true;
  }
  return true;
}

bool Hunt::make_runs(std::uint64_t first, std::uint64_t last) {
  run::PoolOptions pool;
  pool.jobs = options_.jobs;
  pool.stuck = options_.stuck;
  pool.interrupted = options_.interrupted;
  std::vector<std::uint64_t> runs;
  for (std::uint64_t run = first; run < last; ++run) runs.push_back(run);
  const auto work = [this](std::uint64_t run, run::Pulse& pulse) {
    abi::take_reached();
    const Evaluation evaluation = make_run(campaign_of(run), seed_of(run), &pulse);
    return (abi::take_reached() ? "1" : "0") + to_bytes(evaluation);
  };
  const auto finished = [this](const run::Finished& it) {
    Ended& ended = ended_[it.work];
    if (it.ended.how == run::Ended::How::kWell) {
      ended.reached = it.ended.result.front() == '1';
      ended.evaluation = evaluation_of(it.ended.result.substr(1));
    } else {
      ended.evaluation.failures.push_back(failure_of_death(it.ended));
    }
  };
  return run::run_pool(runs, work, pool, finished);
}

bool Hunt::take_results(Bite& result) {
  for (const auto& [run, ended] : std::exchange(ended_, {})) {
    if (!ended.evaluation.failures.empty()) {
      result.found = describe(run, ended.evaluation.failures.front());
      return true;
    }
    ++result.runs;
    if (ended.reached) ++result.reached;
  }
  return false;
}

FirstFailure Hunt::describe(std::uint64_t run, const Failure& failure) const {
  const Manner& manner = options_.manners[run % campaigns_.size()];
  FirstFailure found;
  found.run = run + 1;
  found.seed = seed_of(run);
  found.preset = manner.preset;
  found.policy = report::policy_name(manner.policy);
  found.cause = failure.cause;
  found.reason = failure.reason;
  found.scenario = scenario_of(campaign_of(run), found.seed);
  make_small(found, failure);
  found.operations = operations_of(nlohmann::ordered_json::parse(found.scenario));
  return found;
}

void Hunt::make_small(FirstFailure& found, const Failure& failure) const {
  ShrinkOptions shrink_options;
  shrink_options.settings = campaigns_.front().settings;
  shrink_options.jobs = options_.jobs;
  shrink_options.stuck = options_.stuck;
  shrink_options.time = options_.time;
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

std::optional<Bite> bite(const Target& target, const BiteOptions& options) {
  // The machine of a wrong reference is the right one.
  if (!target.predict) abi::set_mutant(target.fault);
  Bite result;
  const bool whole = Hunt(target, options).run(result);
  abi::set_mutant(abi::Mutant::kNone);
  if (!whole || (options.interrupted != nullptr && *options.interrupted)) return std::nullopt;
  return result;
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
