#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/explore/search/run_judge.h"
#include "tb/explore/search/search_report.h"
#include "tb/report/record/run_report.h"
#include "tb/scenario/scenario.h"

namespace fenceline::explore {

using scenario::Verdict;

/// Options of an exploration.
struct ExploreOptions {
  SearchLimits limits;
  std::string kmd;          ///< shared library with the driver; empty: the built-in one
  bool explain = true;      ///< minimise findings and write their stories
  bool brief = false;       ///< explain without the cycle timeline and the inevitable step
  unsigned jobs = 1;        ///< processes at once; the result does not depend on it
  bool keep_left = false;   ///< fill Exploration::left
  bool keep_holds = false;  ///< the search obeys the holds of the scenario; otherwise it drops them
  MakeJudge judge;          ///< empty: runs are judged by the invariants alone
  /// Called now and then with the results so far. @param frontier null while orders are random
  std::function<void(const SearchReport&, const Frontier* frontier)> progress;
  const std::atomic<bool>* interrupted = nullptr;
};

/// One line of the story of a counterexample.
struct StoryLine {
  std::size_t step = 0;  ///< from 1
  std::string agent;
  std::string operation;
  std::string text;   ///< what happened
  bool held = false;  ///< one of the holds names the step
  /// Of the lines of one of the two steps whose order decides: the one that says what decides.
  bool decides = false;
};

/// Two steps of a run, by their numbers from 1; 0: not in the run.
struct OrderedSteps {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Steps that a story leaves out in one place.
struct OmittedSteps {
  std::size_t count = 0;
  std::vector<std::string> agents;  ///< of these steps, each once
};

/// A finding, minimised and explained.
struct Counterexample {
  check::Violation violation;
  std::uint64_t execution = 0;        ///< number of the first run that showed it
  std::size_t steps = 0;              ///< of the shortest run found
  std::vector<scenario::Hold> holds;  ///< a smallest set of fixed orders that breaks it
  std::vector<OrderedSteps> held;     ///< of each hold: the steps in the order that it fixes
  bool eager = false;                 ///< it breaks under the holds when nothing else is delayed
  bool timed = false;                 ///< it breaks on the cycle timeline too
  std::vector<scenario::Hold> timed_holds;  ///< holds with which it does
  std::size_t replays = 0;                  ///< runs that were needed to minimise it
  std::size_t inevitable = 0;    ///< the first step after which every order breaks it; 0: unknown
  OrderedSteps decisive;         ///< the race that this step wins; zeros: unknown
  std::vector<std::string> why;  ///< two sentences: the violation, and the orders that cause it
  std::vector<StoryLine> story;  ///< the steps that cause it
  /// Threads and queues that have not ended, a sentence each, if it shows at the end of a run.
  std::vector<std::string> at_end;
  /// "switch=value": for each switch that would prevent it, the weakest value that does.
  std::vector<std::string> prevented_by;
  /// "switch=value: what a machine with it does": values of those switches in the scenario, where
  /// they differ from the default.
  std::vector<std::string> mechanisms;
  std::string not_prevented;       ///< why prevented_by is empty
  std::vector<std::string> trace;  ///< agents, in the order of their steps
  std::vector<std::string> told;   ///< what each step of `trace` does; empty without a story

  /// Steps that the story leaves out before its line `line`; behind its last line, if `line` is
  /// the number of lines.
  OmittedSteps omitted_before(std::size_t line) const;
};

/// Bounds within which a verdict holds.
struct Bounds {
  struct Bound {
    std::string name;  ///< "signals"
    std::uint64_t most = 0;
    std::string meaning;
  };
  std::vector<Bound> most;
  common::Grain steps = common::Grain::kAll;  ///< grain of the steps

  /// e.g. "signals<=2 waiters<=1 steps=shared"; `steps` is left out for the smallest ones.
  std::string text() const;
};
/// Bounds of a search of the scenario.
Bounds bounds_of(const scenario::Scenario& scenario);

/// Verdict and findings of an exploration.
struct Exploration {
  Verdict verdict = Verdict::kIncomplete;
  SearchReport search;
  std::string left;  ///< state to resume from, if the search gave up and can go on
  std::vector<Counterexample> counterexamples;  ///< by invariant
  Bounds bounds;
};

/// Loads the scenario with these "/json/pointer=value" overrides.
using Load = std::function<scenario::Scenario(const std::vector<std::string>& overrides)>;

/// Behaviour of a machine with "switch=value".
std::string meaning_of_value(const std::string& switch_value);

/// Fills in for each counterexample the switches that would prevent it: with such a switch alone
/// changed the search no longer finds it. Tries all stronger values of all switches. If none
/// prevents it, also tries the other values of switches whose values have no order.
void find_preventions(const scenario::Scenario& scenario, const Load& load,
                      const ExploreOptions& options, Exploration& exploration);

/// Result of searching again without reductions.
struct Comparison {
  std::string differs;                  ///< findings that the search missed, in words; empty: none
  std::vector<std::string> uncompared;  ///< what could not be compared, a sentence each
};
/// Searches twice more and compares the findings: once with Memory::kWholeOrder, once without
/// SearchLimits::reduce.
Comparison compare_unreduced(const scenario::Scenario& scenario, const ExploreOptions& options,
                             const Exploration& exploration);

/// Searches all orders of a scenario. Throws what running it throws.
/// @param left Exploration::left of an earlier search of the same scenario by the same program;
/// empty: search from the start.
Exploration explore(const scenario::Scenario& given, const ExploreOptions& options,
                    const std::string& left = {});

}  // namespace fenceline::explore
