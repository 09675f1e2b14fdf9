#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/host/driver_caps.h"
#include "models/common/operations.h"
#include "models/top/config.h"
#include "tb/os/core/system_options.h"
#include "tb/scenario/steps/program.h"
#include "tb/user/ordering.h"

namespace fenceline::scenario {

// ------------------------------------------------------------------ platform

/// Properties of the driver of one adapter.
struct Driver {
  std::string adapter;
  std::optional<DXGK_WDDMVERSION> wddm;  ///< default: version of the OS
  std::vector<std::string> scheduling_caps{"MultiEngineAware", "PreemptionAware"};
  kmd_host::DriverCaps caps;        ///< without the two members above
  bool user_writes_status = false;  ///< its user-mode part stores to the status of its doorbells
  Location at;
};

/// Hardware, operating system and drivers.
struct Platform : top::PlatformConfig {
  user::Ordering ordering;
  os::SystemOptions system;
  std::vector<Driver> drivers;  ///< adapters without an entry have the default driver
};

// ------------------------------------------------------------------ faults

/// Kind of a fault.
enum class FaultKind : std::uint8_t {
  kMessageLost,
  kMessageTwice,
  kMessageLate,
  kLinkReplay,
  kEngineHang,
  kEngineFault
};
enum class FaultWay : std::uint8_t { kUp, kDown };

/// A fault of an adapter or its link.
struct Fault {
  FaultKind kind = FaultKind::kMessageLost;
  std::optional<std::string> adapter;  ///< default: the first adapter
  std::optional<std::string> engine;   ///< for a hang
  std::optional<FaultWay> way;         ///< for a replay; default: up
  std::optional<Time> delay;           ///< for a late message and a replay
  std::optional<Time> at;              ///< trigger: one of these four
  std::optional<std::uint64_t> nth;
  std::optional<std::uint64_t> every;
  std::optional<std::string> after;
  Location location;
};

// ------------------------------------------------------------------ holds

/// One operation of one agent, e.g. {"agent": "gpu0.compute0.vram1", "op": "drain", "nth": 1}.
struct OperationRef {
  std::string agent;
  std::string op;         ///< operation name, e.g. "drain"; "any": all operations
  std::uint32_t nth = 1;  ///< 1-based, counted from the end of the set-up
};
/// `operation` must not happen before `until`.
struct Hold {
  OperationRef operation;
  OperationRef until;
  Location at;
};

// ------------------------------------------------------------------ expectations

struct Range {
  std::optional<std::uint64_t> min;
  std::optional<std::uint64_t> max;
};

/// Expected final state of a fence.
struct FinalFence {
  std::string fence;  ///< "process/fence" or a unique fence name
  std::optional<std::uint64_t> current_value;
  std::optional<std::uint64_t> monitored_value;  ///< UINT64_MAX if written as "none"
  Location at;
};
/// A counter of stats.json, e.g. "interrupts.raised".
struct CounterExpectation {
  std::string counter;
  Range range;
  Location at;
};
/// A latency statistic of stats.json, e.g. "wait_release" "p99".
struct LatencyExpectation {
  std::string latency;
  std::string statistic;
  Range range;
  Location at;
};  ///< [ps]
/// CurrentValue at the time when a thread reaches a mark.
struct MarkExpectation {
  std::string label;
  std::string fence;
  Range value;
  Location at;
};

/// Expected result of an adapter start.
struct StartExpectation {
  std::string adapter;
  std::string how;  ///< "starts", or the rule that prevents it
  Location at;
};

/// The expected bug check.
struct StopExpectation {
  std::uint64_t code = 0;
  std::optional<std::uint64_t> parameter;  ///< first parameter
  Location at;
};

enum class Outcome : std::uint8_t { kCompletes, kHang, kBugCheck, kLivelock };

/// Expected verdict of an exploration.
enum class ExpectedVerdict : std::uint8_t { kProved, kViolated, kIncomplete, kVacuous };

struct Expectations {
  Outcome outcome = Outcome::kCompletes;
  /// Not set: follows from the expected violations and the outcome.
  std::optional<ExpectedVerdict> verdict;
  /// Invariants that must break, e.g. "I1"; all others must hold.
  std::vector<std::string> violations;
  std::vector<std::string> may_violate;  ///< invariants that may break
  std::vector<FinalFence> fences;
  std::vector<CounterExpectation> counters;
  std::vector<LatencyExpectation> latencies;
  std::vector<MarkExpectation> marks;
  std::vector<StartExpectation> adapter_start;  ///< adapters without an entry must start
  std::optional<StopExpectation> bug_check;
};

/// Limits for the size of the explored scenario; no value: no limit.
struct ExploreBounds {
  std::optional<std::uint64_t> signals;      ///< of queues and threads in total
  std::optional<std::uint64_t> waiters;      ///< waits of threads
  std::optional<std::uint64_t> queues;       ///< queues with work
  std::optional<std::uint64_t> preemptions;  ///< preemptions of nodes: only 0
  std::optional<std::uint64_t> pending;      ///< writes in one posted FIFO
  /// Interrupts raised since a core last accepted one. Runs with more are not explored.
  std::optional<std::uint64_t> interrupts;
};

/// Settings of an exploration.
struct ExploreSettings {
  ExploreBounds bounds;
  std::uint64_t executions = 5'000'000;  ///< limit of runs, including those that were cut short
  std::uint64_t states = 20'000'000;     ///< limit of different states
  std::optional<common::Grain> steps;    ///< none: coarse in runs, all in searches
  std::vector<std::string> matrix;       ///< switches whose subsets --matrix explores
};

// ------------------------------------------------------------------ sweep

/// Values of one place of the scenario in a sweep: a list or a range.
struct Variation {
  std::string pointer;                  ///< JSON pointer of the place
  std::vector<std::string> values;      ///< JSON texts; empty: a range
  std::string from, to;                 ///< JSON texts of a number or quantity; both ends inclusive
  std::optional<std::string> step;      ///< distance between values, in the same notation
  std::optional<std::uint64_t> factor;  ///< factor between values, instead of a step
  Location at;
};

/// Combinations of values that are points: all combinations, the nth value of each list, or random
/// ones.
enum class SweepDesign : std::uint8_t { kCartesian, kList, kRandom };

/// Runs of a sweep of the scenario.
struct SweepSettings {
  SweepDesign design = SweepDesign::kCartesian;
  std::vector<Variation> vary;
  std::optional<std::uint64_t> points;  ///< for a random design
  std::uint64_t seeds = 1;              ///< runs per point, with consecutive seeds
  std::uint64_t seed = 1;               ///< seed of a random design
};

/// Interleavings of a run: given by timing, or seeded random orders without time.
enum class PolicyKind : std::uint8_t { kTiming, kRandom };

/// Limits for runs that do not end by themselves.
struct RunLimits {
  Time standstill = common::kSecond;            ///< time in which only polling threads advance
  std::uint64_t standstill_steps = 10'000'000;  ///< number of such steps, if time does not pass
  std::uint64_t steps = 1'000'000'000;          ///< steps of a run with time
};

/// A checked scenario: all names resolve and all values are in range.
struct Scenario {
  // Defined in scenario.cpp: otherwise each user would compile the copy of all steps.
  Scenario();
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  std::string path;  ///< as given
  std::string name;
  std::string title;                   ///< one line
  std::string description;             ///< a paragraph
  std::vector<std::string> covers;     ///< requirements that it shows, e.g. "NF3"
  std::vector<std::string> negatives;  ///< requirements whose checker it shows to fail
  PolicyKind policy = PolicyKind::kTiming;
  std::uint64_t seed = 1;
  RunLimits limits;
  std::optional<Time> end_time;  ///< end of the run; an agent that still waits then is hung
  Platform platform;
  std::vector<Process> processes;
  std::vector<Program> programs;
  std::vector<Fault> faults;
  std::vector<Hold> holds;
  Expectations expect;
  ExploreSettings explore;
  SweepSettings sweep;
  std::string effective_json;  ///< the formatted document with all defaults
};

}  // namespace fenceline::scenario
