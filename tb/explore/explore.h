#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/explore/search_report.h"
#include "tb/report/run_report.h"
#include "tb/scenario/scenario.h"

namespace fenceline::explore {

/// What an exploration says.
enum class Verdict : std::uint8_t {
  kProved,      ///< no order within the bounds breaks anything
  kViolated,    ///< some order does
  kIncomplete,  ///< nothing was found, and not every order was looked at
  kVacuous  ///< the bounds have left no run to its end, or no program: there was nothing to find
};
const char* verdict_name(Verdict verdict);

/// How to explore.
struct ExploreOptions {
  SearchLimits limits;
  std::string kmd;          ///< shared library with the driver; empty: the built-in one
  bool explain = true;      ///< minimise and tell what was found
  unsigned jobs = 1;        ///< processes at once; what is found does not depend on it
  bool keep_left = false;   ///< Exploration::left is wanted
  bool keep_holds = false;  ///< the scenario's holds bind the search; otherwise they are dropped
  std::function<void(const SearchReport&)> progress;
  const std::atomic<bool>* interrupted = nullptr;
};

/// One line of the story of a counterexample.
struct StoryLine {
  std::size_t step = 0;  ///< from 1
  std::string agent;
  std::string operation;
  std::string text;   ///< what happened
  bool held = false;  ///< one of the holds speaks of it
};

/// Something that goes wrong, made small.
struct Counterexample {
  check::Violation violation;
  std::uint64_t execution = 0;        ///< number of the run that showed it first
  std::size_t steps = 0;              ///< of the shortest run found
  std::vector<scenario::Hold> holds;  ///< smallest set of fixed orders that breaks it
  bool eager = false;                 ///< it breaks under the holds when nothing else is delayed
  bool timed = false;                 ///< it breaks on the cycle timeline too
  std::vector<scenario::Hold> timed_holds;  ///< under these
  std::size_t replays = 0;                  ///< runs that making it small has cost
  std::size_t inevitable = 0;  ///< the first step after which nothing could prevent it; 0: unknown
  std::vector<std::string> why;  ///< two sentences
  std::vector<StoryLine> story;  ///< the steps on which it rests
  /// "switch=value": of each switch that would prevent it the weakest value that does.
  std::vector<std::string> prevented_by;
  /// "switch=value: what a machine with it does": what the scenario has of those switches, where
  /// that is not their default.
  std::vector<std::string> mechanisms;
  std::string not_prevented;       ///< why prevented_by is empty
  std::vector<std::string> trace;  ///< agents, in the order of their steps
};

/// What a verdict is about.
struct Bounds {
  std::vector<std::pair<std::string, std::uint64_t>> most;  ///< e.g. {"signals", 2}
  common::Grain steps = common::Grain::kAll;                ///< how small they are

  /// e.g. "signals<=2 waiters<=1 steps=shared"; nothing of the smallest steps.
  std::string text() const;
};
/// Of a search of the scenario.
Bounds bounds_of(const scenario::Scenario& scenario);

/// Everything that an exploration found.
struct Exploration {
  Verdict verdict = Verdict::kIncomplete;
  SearchReport search;
  std::string left;  ///< of a search that gave up and can go on: with what
  std::vector<Counterexample> counterexamples;  ///< by invariant
  Bounds bounds;
};

/// Makes the scenario with these "/json/pointer=value" overrides.
using Load = std::function<scenario::Scenario(const std::vector<std::string>& overrides)>;

/// Fills in for each counterexample which switches would prevent it: those with which alone the
/// search finds it no more. All stronger values of all switches are tried; where none of them does,
/// the other values of those that have no order.
void find_preventions(const scenario::Scenario& scenario, const Load& load,
                      const ExploreOptions& options, Exploration& exploration);

/// What searching again says of a search.
struct Comparison {
  std::string differs;                  ///< what the search has missed, in words; empty: nothing
  std::vector<std::string> uncompared;  ///< what could not be compared, a sentence each
};
/// Searches twice more and compares what breaks: with every order of events remembered, and without
/// remembering states and taking steps at once.
Comparison compare_unreduced(const scenario::Scenario& scenario, const ExploreOptions& options,
                             const Exploration& exploration);

/// Searches all orders of a scenario. Throws what running it throws.
/// @param left what an earlier search of the same scenario left, by the same program; empty: from
/// the start.
Exploration explore(const scenario::Scenario& given, const ExploreOptions& options,
                    const std::string& left = {});

}  // namespace fenceline::explore
