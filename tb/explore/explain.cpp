#include "tb/explore/explain.h"

#include <algorithm>

#include "tb/explore/counterexample_fields.h"

namespace fenceline::explore {

namespace {

constexpr std::size_t kMaxTries = 8;  ///< each with one more fatal step known

/// A finding that is being explained.
struct Job {
  const Finding* finding;
  std::vector<FatalStep> fatal;
  Depth depth = Depth::kAll;
  std::size_t tries = 0;
  Counterexample result;
  bool done = false;
};

/// The process has died: prepares the next try, without the fatal step or in less depth.
void learn(Job& job, const Ended& ended) {
  const bool again = ++job.tries < kMaxTries && !ended.trace.empty() && job.depth != Depth::kBare;
  if (again) {
    job.fatal.push_back(fatal_step(ended, true));
    job.fatal.back().counts = true;
    return;
  }
  job.done = job.depth == Depth::kBare;
  job.depth = job.depth == Depth::kAll ? Depth::kUntimed : Depth::kBare;
}

/// Drops the holds of counterexamples that do not crash when they are executed.
void execute_small(std::vector<Job>& jobs, const Watch& watch, const Execute& execute) {
  std::vector<Task> tasks;
  std::vector<Counterexample*> open;
  for (Job& job : jobs) {
    const std::string& finding = job.result.violation.invariant;
    if (!job.result.eager || (finding != kCrash && finding != kEndlessLoop)) continue;
    open.push_back(&job.result);
    tasks.emplace_back([&result = job.result, &execute](Flight& flight) {
      execute(result, flight);
      return std::string();
    });
  }
  const std::vector<Ended> ended = run_contained(tasks, watch);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (ended[i].how != Ended::How::kWell) continue;
    open[i]->eager = false;
    open[i]->holds.clear();
    open[i]->held.clear();
  }
}

}  // namespace

Counterexample unexplained(const Finding& finding) {
  Counterexample found;
  found.violation = finding.violation;
  found.execution = finding.execution;
  found.steps = finding.trace.size();
  return found;
}

std::vector<Counterexample> explain_contained(const std::vector<Finding>& findings,
                                              const std::vector<FatalStep>& fatal,
                                              const Watch& watch, const Explain& explain,
                                              const Execute& execute) {
  std::vector<Job> jobs;
  jobs.reserve(findings.size());
  for (const Finding& finding : findings) {
    jobs.push_back({&finding, fatal, Depth::kAll, 0, unexplained(finding), finding.trace.empty()});
  }
  for (;;) {
    std::vector<Task> tasks;
    std::vector<Job*> open;
    for (Job& job : jobs) {
      if (job.done) continue;
      open.push_back(&job);
      tasks.emplace_back([&job, &explain](Flight& flight) {
        return to_bytes(explain(*job.finding, job.fatal, job.depth, flight));
      });
    }
    if (open.empty()) break;
    const std::vector<Ended> ended = run_contained(tasks, watch);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (ended[i].how != Ended::How::kWell) {
        learn(*open[i], ended[i]);
        continue;
      }
      from_bytes(ended[i].result, open[i]->result);
      open[i]->done = true;
    }
  }
  execute_small(jobs, watch, execute);
  std::vector<Counterexample> results;
  results.reserve(jobs.size());
  for (Job& job : jobs) results.push_back(std::move(job.result));
  return results;
}

}  // namespace fenceline::explore
