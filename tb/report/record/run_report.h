#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/check/core/violation.h"
#include "tb/scenario/scenario.h"

namespace fenceline::report {

/// End of a run.
enum class Ending : std::uint8_t {
  kCompleted,   ///< every program ended and nothing is left to simulate
  kHang,        ///< a thread or queue waits at the end of the simulation or at the end time
  kStopped,     ///< --stop-at was reached
  kBugCheck,    ///< the OS model stopped the machine
  kLivelock,    ///< threads poll for values that are never stored
  kStepLimit,   ///< the run reached its limit of steps
  kCrash,       ///< its process died
  kEndlessLoop  ///< code of the driver or the model ran without taking a step
};

/// One expectation of the scenario and its result.
struct Expected {
  std::string pointer;  ///< JSON pointer of the expectation
  std::string text;     ///< e.g. "interrupts.raised between 1 and 1"
  std::string found;    ///< e.g. "2"
  bool holds = false;
};

/// An expectation that does not hold, as a reason for a verdict.
inline std::string reason(const Expected& expected) {
  return "expected that " + expected.text + "; found: " + expected.found;
}

/// A statistic with its unit and meaning.
struct Counter {
  std::string name;  ///< dotted, e.g. "interrupts.raised"
  std::string unit;  ///< "count", "bytes", "ps", "percent" ...
  std::string meaning;
  std::uint64_t value = 0;
};

/// A distribution of durations; every figure in [ps]. Percentiles by nearest rank.
struct Latency {
  std::string name;  ///< e.g. "wait_release"
  std::string meaning;
  std::uint64_t count = 0, min = 0, mean = 0, p50 = 0, p99 = 0, max = 0;
};

/// The bug check that ended a run.
struct StopReport {
  std::uint32_t code = 0;
  std::string name;  ///< e.g. "VIDEO_SCHEDULER_INTERNAL_ERROR"
  std::array<std::uint64_t, 4> parameters{};
  std::string explanation;

  /// One line, as a crash screen has it, and why.
  std::string text() const;
};

/// Result of an adapter's start.
struct AdapterStart {
  std::string adapter;
  std::string how = "starts";  ///< "starts", or the rule that the driver broke
  std::string explanation;     ///< empty for a successful start
  bool native_fences = false;  ///< as user mode sees it
};

/// A fault of the scenario that happened.
struct FaultSeen {
  std::string text;        ///< e.g. "gpu0.pcie.up: a message is lost (number 3)"
  std::uint64_t time = 0;  ///< [ps]
  std::string pointer;     ///< JSON pointer of the fault in the scenario
  std::uint32_t line = 0;  ///< of the scenario, from 1; 0: it comes from an option
};

/// Final values of a fence.
struct FinalFence {
  std::string name;
  std::uint64_t current_value = 0;
  std::uint64_t monitored_value = 0;
};

/// One choice of an exploring run, as repro.json keeps it.
struct Choice {
  std::string agent;
  std::string op;
  std::uint64_t state_hash = 0;  ///< hash of the whole state before the choice
};

/// Two steps of different agents that could be taken in either order, and how often each came
/// first. A step is named by agent and operation, e.g. "gpu0.cmp read_value".
struct Race {
  std::string first, second;  ///< in the order of their names
  std::uint64_t first_won = 0, second_won = 0;
};

/// Everything that the output writers need about one run. Plain data; independent of the wall clock
/// and of addresses.
struct RunReport {
  const scenario::Scenario* scenario = nullptr;
  std::string version;
  std::string kmd;  ///< file of the driver, as given; empty: the built-in one
  std::uint64_t seed = 1;
  Ending ending = Ending::kCompleted;
  bool began = false;  ///< the set-up has ended, and the programs have begun
  /// The set-up has come to no end, and no bug check says why.
  bool set_up_hangs() const { return !began && !bug_check; }
  std::uint64_t end_time = 0;  ///< [ps]
  std::uint64_t event_count = 0;
  int exit_code = 0;                    ///< as docs of the program say
  std::string verdict;                  ///< see docs/reference/command_line.md
  std::vector<std::string> reasons;     ///< one sentence each, worst first
  std::vector<std::string> waiting;     ///< lines of run::explain_waiting
  std::vector<FaultSeen> faults;        ///< the last ones that happened
  bool holds_open = false;              ///< an agent was still held at the end of the run
  std::optional<StopReport> bug_check;  ///< when the ending is kBugCheck
  std::vector<AdapterStart> adapters;
  std::vector<check::Violation> violations;
  std::vector<check::Exercise> exercised;
  std::vector<Expected> expected;
  std::vector<Counter> counters;
  std::vector<Latency> latencies;
  std::vector<FinalFence> fences;
  std::vector<Choice> choices;  ///< of a run under an exploring policy
  std::vector<Race> races;      ///< the same, by name
};

}  // namespace fenceline::report
