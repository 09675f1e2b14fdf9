#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tb/check/violation.h"
#include "tb/explore/coverage.h"
#include "tb/explore/observed_order.h"
#include "tb/explore/trace.h"

namespace fenceline::explore {

/// Names of findings that are no invariants.
constexpr const char* kHang = "HANG";
constexpr const char* kBugCheck = "BUG_CHECK";
constexpr const char* kCrash = "CRASH";
constexpr const char* kEndlessLoop = "ENDLESS_LOOP";

/// Which orders a search takes.
enum class Strategy : std::uint8_t {
  kSystematic,  ///< all of them
  kPct,         ///< as many as there are executions, by random priorities: no proof
  kRandom       ///< as many, each choice uniformly at random: no proof
};
const char* strategy_name(Strategy strategy);

/// How a search goes about, and when it gives up.
struct SearchLimits {
  Strategy strategy = Strategy::kSystematic;
  std::uint64_t executions = 5'000'000;  ///< runs, also those cut short
  std::uint64_t states = 20'000'000;     ///< in the cache
  std::uint64_t steps = 20'000;          ///< of one run: more is a livelock
  std::uint64_t fallback = 20'000;       ///< runs with random priorities after giving up
  /// Steps: longer runs have too many orders, and are taken at random only.
  std::uint64_t long_run = 2'000;
  std::uint64_t sampled = 2'500'000;  ///< steps of all runs in random orders, about
  /// When the search has to give up, and when the random runs after it; 0: never.
  std::chrono::steady_clock::time_point search_until{}, sample_until{};
  std::uint64_t fatal = 32;                 ///< steps that crash or never end
  std::chrono::milliseconds stuck{10'000};  ///< of CPU time: a step that takes more never ends
  /// Off, to prove that nothing is lost by it: states are remembered, and steps that concern nobody
  /// else are taken at once.
  bool reduce = true;
  /// Agents that go on before all others at the start of each run, as long as they can; see
  /// first_agents().
  std::vector<std::string> first;
  bool first_only = false;            ///< give up at the first finding
  std::set<std::string> about;        ///< invariants that count; empty: all
  Memory memory = Memory::kCheckers;  ///< what makes two states different
};

/// True if there is such a time and it is over.
inline bool is_past(std::chrono::steady_clock::time_point until) {
  return until != std::chrono::steady_clock::time_point{} &&
         std::chrono::steady_clock::now() >= until;
}

/// A step that has killed the process which took it.
struct FatalStep {
  Trace trace;          ///< the run; it ends with the step
  std::string finding;  ///< kCrash or kEndlessLoop
  std::string why;      ///< such as "SIGSEGV"
  /// Elsewhere, steps are left out where the agent is about to do the same and knows the same. They
  /// have not been tried, and count as no finding.
  bool anywhere = false;
  /// Such steps count as fatal: in runs that make a counterexample small, of which the last one is
  /// then executed.
  bool counts = false;
};

/// Something that goes wrong, with the shortest run that showed it.
struct Finding {
  check::Violation violation;  ///< of what is no invariant only `message` and `invariant`
  Trace trace;
  std::uint64_t execution = 0;  ///< number of the run that showed it first; 0: one of the warm-up
};

/// What tells the causes of findings apart: the invariant and what the message says of it, but for
/// the names and numbers in it.
std::string cause_of(const check::Violation& violation);

/// How far a search got.
struct SearchReport {
  Strategy strategy = Strategy::kSystematic;
  bool complete = false;
  bool interrupted = false;
  bool late = false;  ///< time was up
  /// A step crashed, or did not come to an end, and not in a driver from outside: an error of
  /// fenceline itself.
  bool own_fault = false;
  std::string why_incomplete;
  std::uint64_t executions = 0;  ///< runs that were begun, from the start or from a choice
  std::uint64_t finished = 0;    ///< of these, to the end
  std::uint64_t asleep = 0;      ///< cut short: every way on had been taken in another order
  std::uint64_t met = 0;         ///< cut short: a state that had been there before
  std::uint64_t beyond = 0;      ///< cut short: beyond the bounds
  std::uint64_t left_out = 0;    ///< cut short: before a step like one that was fatal elsewhere
  std::uint64_t states = 0;      ///< different ones at choices
  std::uint64_t steps = 0;
  std::uint64_t restarts = 0;  ///< the search began again knowing more footprints
  std::uint64_t deepest = 0;   ///< most steps in one run
  std::uint64_t choices = 0;   ///< most choices in one run
  std::uint64_t fallback = 0;  ///< runs with random priorities after giving up
  bool completes = false;      ///< some runs end with nobody left
  bool waits = false;          ///< some with waits for values that no signal left
  Coverage coverage;
  std::map<std::string, Finding> findings;  ///< by cause, see cause_of
};

}  // namespace fenceline::explore
