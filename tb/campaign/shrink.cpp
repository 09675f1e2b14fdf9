#include "tb/campaign/shrink.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "tb/run/process/contained.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign {

namespace {

using Clock = std::chrono::steady_clock;
using How = run::Ended::How;

/// A candidate that loads.
struct Loaded {
  std::size_t index = 0;
  scenario::Scenario scenario;
};

/// Result of the runs of one candidate.
struct Result {
  std::optional<Failure> failure;  ///< with the cause that counts
  std::uint64_t seed = 0;          ///< of the run that fails
  std::uint64_t runs = 0;
  std::string error;  ///< the machine could not be built
};

/// Runs candidates in processes of their own.
class ContainedCandidates : public Candidates {
 public:
  ContainedCandidates(std::string name, const ShrinkOptions& options, const Failure& wanted)
      : name_(std::move(name)),
        options_(options),
        cause_(wanted.cause),
        shape_(wanted.shape),
        keeps_shape_(!wanted.shape.empty()) {}

  std::optional<std::size_t> first_failing(std::vector<Document>& candidates) override;
  bool stopped() const override {
    return (options_.interrupted != nullptr && *options_.interrupted) ||
           (options_.time && Clock::now() - start_ >= *options_.time);
  }

  /// Runs the scenario itself; its cause and shape are kept from now on.
  Result first(Document& document);
  std::uint64_t runs() const { return runs_; }
  const Failure& failure() const { return failure_; }

 private:
  std::vector<Result> run(const std::vector<Loaded>& loaded);
  /// In the process of a candidate: one line a run, so that a death is known by its number.
  std::string work(const scenario::Scenario& scenario, run::Pulse& pulse) const;
  Result result_of(const scenario::Scenario& scenario, const run::Ended& ended) const;
  /// With a reference, a run that must come to its end and does not is wanted instead of one of
  /// which the reference does not know: else the smallest scenario is one that may hang.
  bool is_wanted(const Failure& failure) const {
    if (undecided_)
      return failure.cause == cause_of(DifferenceKind::kHang) ||
             failure.cause == cause_of(DifferenceKind::kWait);
    return (cause_.empty() || failure.cause == cause_) &&
           (!keeps_shape_ || failure.shape == shape_);
  }
  std::uint64_t seeds_of(const scenario::Scenario& scenario) const {
    const bool dies = cause_.rfind("crash ", 0) == 0 || cause_.rfind("endless loop ", 0) == 0;
    const bool one = scenario.policy == scenario::PolicyKind::kTiming || options_.settings.search;
    return one || dies ? 1 : options_.seeds;
  }
  void accept(const Result& result, Document& document);

  const std::string name_;
  const ShrinkOptions& options_;
  std::string cause_;
  std::string shape_;
  bool keeps_shape_;
  bool undecided_ =
      false;  ///< the run does not end, and the reference does not know whether it may
  const Clock::time_point start_ = Clock::now();
  std::uint64_t runs_ = 0;
  Failure failure_;
};

std::string ContainedCandidates::work(const scenario::Scenario& scenario, run::Pulse& pulse) const {
  scenario::Scenario seeded = scenario;
  std::uint64_t runs = 0;
  try {
    for (std::uint64_t i = 0; i < seeds_of(scenario); ++i, ++seeded.seed) {
      ++runs;
      Evaluation found = evaluate(seeded, options_.settings, &pulse);
      for (const Failure& failure : found.failures)
        if (is_wanted(failure)) {
          found.failures = {failure};
          return fmt::format("{} {} {}", runs, seeded.seed, to_bytes(found));
        }
    }
  } catch (const std::exception& error) {
    return fmt::format("{} error {}", runs, error.what());
  }
  return fmt::format("{} passes ", runs);
}

Result ContainedCandidates::result_of(const scenario::Scenario& scenario,
                                      const run::Ended& ended) const {
  Result result;
  result.runs = 1;
  result.seed = scenario.seed;
  if (ended.how == How::kInterrupted || ended.how == How::kKilled) return result;
  if (ended.how != How::kWell) {
    const Failure failure = failure_of_death(ended);
    if (is_wanted(failure)) result.failure = failure;
    return result;
  }
  const std::string& bytes = ended.result;
  const std::size_t word = bytes.find(' ') + 1;
  const std::size_t rest = bytes.find(' ', word) + 1;
  result.runs = std::stoull(bytes);
  const std::string what = bytes.substr(word, rest - 1 - word);
  if (what == "error") {
    result.error = bytes.substr(rest);
  } else if (what != "passes") {
    result.seed = std::stoull(what);
    result.failure = evaluation_of(bytes.substr(rest)).failures.front();
  }
  return result;
}

/// One that stands behind a failing candidate is not run any more.
std::vector<Result> ContainedCandidates::run(const std::vector<Loaded>& loaded) {
  std::vector<Result> results(loaded.size());
  std::size_t failing = loaded.size();
  run::Works works;
  works.count = loaded.size();
  works.prepare = [&](std::size_t number) { return number < failing; };
  works.work = [&](std::size_t number, run::Pulse& pulse) {
    return work(loaded[number].scenario, pulse);
  };
  works.ended = [&](std::size_t number, const run::Ended& ended) {
    results[number] = result_of(loaded[number].scenario, ended);
    if (results[number].failure) failing = std::min(failing, number);
  };
  run::Watch watch;
  watch.jobs = options_.jobs;
  watch.stuck = options_.stuck;
  watch.interrupted = options_.interrupted;
  run::run_contained(works, watch);
  return results;
}

void ContainedCandidates::accept(const Result& result, Document& document) {
  failure_ = *result.failure;
  cause_ = failure_.cause;
  shape_ = failure_.shape;
  keeps_shape_ = true;
  undecided_ = options_.settings.predict && is_no_end(failure_);
  document["seed"] = result.seed;
}

Result ContainedCandidates::first(Document& document) {
  std::vector<Loaded> loaded;
  loaded.push_back({0, scenario::load_text(document.dump(), name_)});
  Result result = run(loaded).front();
  runs_ += result.runs;
  if (!result.failure) return result;
  accept(result, document);
  return result;
}

/// Runs are counted up to the one that fails: the number does not depend on the jobs.
std::optional<std::size_t> ContainedCandidates::first_failing(std::vector<Document>& candidates) {
  std::vector<Loaded> loaded;
  for (std::size_t i = 0; i < candidates.size(); ++i) try {
      loaded.push_back({i, scenario::load_text(candidates[i].dump(), name_)});
    } catch (const scenario::ScenarioError&) {  // it is none
    }
  const std::vector<Result> results = run(loaded);
  for (std::size_t i = 0; i < results.size(); ++i) {
    runs_ += results[i].runs;
    if (options_.progress) options_.progress(runs_);
    if (!results[i].failure) continue;
    accept(results[i], candidates[loaded[i].index]);
    return loaded[i].index;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Shrunk> shrink(const std::string& text, const std::string& name,
                             const ShrinkOptions& options, const Failure& wanted) {
  scenario::load_text(text, name);  // the whole message for one that is not valid
  auto document = scenario::json_tree<Document>(text);
  ContainedCandidates candidates(name, options, wanted);
  const Result first = candidates.first(document);
  if (!first.error.empty()) throw std::invalid_argument(first.error);
  if (!first.failure) return std::nullopt;
  const Document smallest = Reducer(std::move(document), candidates).run();
  return Shrunk{smallest.dump(2) + "\n", candidates.failure(), candidates.runs(),
                !candidates.stopped()};
}

}  // namespace fenceline::campaign
