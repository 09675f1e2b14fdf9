#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tb/check/core/violation.h"
#include "tb/explore/search/coverage.h"
#include "tb/explore/search/observed_order.h"
#include "tb/explore/search/trace.h"
#include "tb/scenario/shapes/codec.h"

namespace fenceline::explore {

/// Findings other than violated invariants.
constexpr const char* kHang = scenario::Findings::kHang;
constexpr const char* kBugCheck = scenario::Findings::kBugCheck;
constexpr const char* kCrash = "CRASH";
constexpr const char* kEndlessLoop = "ENDLESS_LOOP";

struct OtherFinding {
  const char* name;
  const char* meaning;
};
constexpr std::array<OtherFinding, 4> kOtherFindings{
    {{kHang,
      "Some order leaves an agent that never ends, and no wait for a missing signal is to blame. "
      "It breaks no invariant."},
     {kBugCheck, "Some order stops the machine with a bug check."},
     {kCrash, "Some order crashes the program that takes the steps."},
     {kEndlessLoop, "Some order leads to a step that never ends."}}};
/// One of them; null for an invariant.
const OtherFinding* other_finding(const std::string& name);

/// Strategy by which a search chooses the orders to run.
enum class Strategy : std::uint8_t {
  kSystematic,  ///< all of them
  kPct,         ///< `executions` of them, by random priorities: no proof
  kRandom       ///< `executions` of them, each choice uniformly at random: no proof
};
const char* strategy_name(Strategy strategy);

/// Strategy of a search, and the limits at which it gives up.
struct SearchLimits {
  Strategy strategy = Strategy::kSystematic;
  std::uint64_t executions = 5'000'000;  ///< runs, including those cut short
  std::uint64_t states = 20'000'000;     ///< in the cache
  std::uint64_t steps = 20'000;          ///< of one run: more is a livelock
  std::uint64_t fallback = 20'000;       ///< runs with random priorities after giving up
  /// [steps] Scenarios with longer runs have too many orders: they run in random orders only.
  std::uint64_t long_run = 2'000;
  std::uint64_t sampled = 2'500'000;  ///< approximate steps of all runs in random orders
  /// Deadlines of the search and of the random runs after it; the epoch: none.
  std::chrono::steady_clock::time_point search_until{}, sample_until{};
  std::uint64_t fatal = 32;                 ///< steps that crash or never end
  std::chrono::milliseconds stuck{10'000};  ///< of CPU time: a step that takes more never ends
  /// States are remembered, and steps that no other agent depends on are taken at once. Tests
  /// switch this off to show that the search finds the same without it.
  bool reduce = true;
  /// Agents that run before all others at the start of each run, as long as they can; see
  /// first_agents().
  std::vector<std::string> first;
  bool first_only = false;            ///< give up at the first finding
  bool watched = false;               ///< estimate what is left, which takes time
  std::set<std::string> about;        ///< invariants that count; empty: all
  Memory memory = Memory::kCheckers;  ///< what makes two states different
};

/// True if there is such a deadline and it has passed.
inline bool is_past(std::chrono::steady_clock::time_point until) {
  return until != std::chrono::steady_clock::time_point{} &&
         std::chrono::steady_clock::now() >= until;
}

/// A step that killed the process in which it was taken.
struct FatalStep {
  Trace trace;          ///< the run up to and including the step
  std::string finding;  ///< kCrash or kEndlessLoop
  std::string why;      ///< such as "SIGSEGV"
  /// The search leaves out all like steps: those of this agent with the same operation and the same
  /// history. These are not tried and make no finding.
  bool anywhere = false;
  /// Like steps count as fatal, too. Used while a counterexample is minimised; its smallest run is
  /// executed in the end.
  bool counts = false;
};

/// A failure, with the shortest run that showed it.
struct Finding {
  check::Violation violation;  ///< for kHang and the like only `message` and `invariant` are set
  Trace trace;
  std::uint64_t execution = 0;  ///< number of the first run that showed it; 0: a run of the warm-up
};

/// Key by which findings count as the same: the invariant, and the message without names and
/// numbers.
std::string cause_of(const check::Violation& violation);

/// What a search still has to do.
struct Frontier {
  std::uint64_t open = 0;  ///< ways that are not taken yet, at the choices along the current runs
  double left = 0;         ///< executions behind these ways, estimated from those taken before
};

/// Results and statistics of a search.
struct SearchReport {
  Strategy strategy = Strategy::kSystematic;
  bool complete = false;
  bool interrupted = false;
  bool late = false;  ///< time was up
  /// A step crashed or did not end outside the driver of the user: an error of fenceline itself.
  bool own_fault = false;
  std::string why_incomplete;
  std::uint64_t executions = 0;  ///< from the start or a choice; see kExecutionEnds
  std::uint64_t finished = 0;
  std::uint64_t at_choice = 0;
  std::uint64_t asleep = 0;
  std::uint64_t met = 0;
  std::uint64_t beyond = 0;
  std::uint64_t left_out = 0;
  std::uint64_t outdated = 0;
  std::uint64_t states = 0;  ///< distinct states at choices
  std::uint64_t steps = 0;
  std::uint64_t restarts = 0;  ///< times the search began again, with more footprints known
  std::uint64_t deepest = 0;   ///< most steps in one run
  std::uint64_t choices = 0;   ///< most choices in one run
  std::uint64_t fallback = 0;  ///< runs with random priorities after giving up
  bool completes = false;      ///< some runs end with every program finished
  bool waits = false;          ///< some runs end with a wait for a value that is never signalled
  Coverage coverage;
  std::map<std::string, Finding> findings;  ///< by cause, see cause_of
};

/// How an execution can end: key of result.json, where it is counted, and what is counted.
struct ExecutionEnd {
  const char* key;
  std::uint64_t SearchReport::*count;
  const char* meaning;
};
/// Each execution ends in one of these ways, so the counts add up to SearchReport::executions.
constexpr std::array<ExecutionEnd, 7> kExecutionEnds{
    {{"finished", &SearchReport::finished, "the run came to its end"},
     {"reached_choices", &SearchReport::at_choice,
      "reached a new choice: one more execution continues from there with each of its steps"},
     {"cut_asleep", &SearchReport::asleep,
      "cut short: every next step was taken in another order before"},
     {"cut_met_before", &SearchReport::met, "cut short: the state was met before"},
     {"cut_beyond_bounds", &SearchReport::beyond, "cut short: beyond the bounds"},
     {"cut_left_out", &SearchReport::left_out,
      "cut short: before a step like one that was fatal elsewhere"},
     {"cut_outdated", &SearchReport::outdated,
      "cut short: agents share more than was known, and the search began again"}}};

}  // namespace fenceline::explore
