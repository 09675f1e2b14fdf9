#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/host/driver_caps.h"
#include "models/common/operations.h"
#include "models/top/config.h"
#include "tb/os/system_options.h"
#include "tb/scenario/program.h"
#include "tb/user/ordering.h"

namespace fenceline::scenario {

// ------------------------------------------------------------------ platform

/// What the driver of one adapter is like.
struct Driver {
  std::string adapter;
  std::optional<DXGK_WDDMVERSION> wddm;  ///< default: that of the OS
  std::vector<std::string> scheduling_caps{"MultiEngineAware", "PreemptionAware"};
  kmd_host::DriverCaps caps;        ///< but for the two above
  bool user_writes_status = false;  ///< its user-mode half stores to the status of its doorbells
  Location at;
};

/// Hardware, operating system and drivers.
struct Platform : top::PlatformConfig {
  user::Ordering ordering;
  os::SystemOptions system;
  std::vector<Driver> drivers;  ///< of adapters whose driver is not the default one
};

// ------------------------------------------------------------------ faults

/// What goes wrong.
enum class FaultKind : std::uint8_t {
  kMessageLost,
  kMessageTwice,
  kMessageLate,
  kLinkReplay,
  kEngineHang,
  kEngineFault
};
enum class FaultWay : std::uint8_t { kUp, kDown };

/// Something that goes wrong in an adapter or on its link.
struct Fault {
  FaultKind kind = FaultKind::kMessageLost;
  std::optional<std::string> adapter;  ///< default: the first
  std::optional<std::string> engine;   ///< of a hang
  std::optional<FaultWay> way;         ///< of a replay; default: up
  std::optional<Time> delay;           ///< of a late message and of a replay
  std::optional<Time> at;              ///< when: one of these four
  std::optional<std::uint64_t> nth;
  std::optional<std::uint64_t> every;
  std::optional<std::string> after;
  Location location;
};

// ------------------------------------------------------------------ holds

/// One operation of one agent, e.g. {"agent": "gpu0.compute0.vram1", "op": "drain", "nth": 1}.
struct OperationRef {
  std::string agent;
  std::string op;         ///< operation name, e.g. "drain"; "any": every operation counts
  std::uint32_t nth = 1;  ///< 1-based, counted from the end of the set-up
};
/// `operation` does not happen before `until` has happened.
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

/// State of a fence at the end.
struct FinalFence {
  std::string fence;  ///< "process/fence" or a unique fence name
  std::optional<std::uint64_t> current_value;
  std::optional<std::uint64_t> monitored_value;  ///< UINT64_MAX when written as "none"
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
/// CurrentValue when a thread reaches a mark.
struct MarkExpectation {
  std::string label;
  std::string fence;
  Range value;
  Location at;
};

/// How the start of an adapter ends.
struct StartExpectation {
  std::string adapter;
  std::string how;  ///< "starts", or the rule for which it does not
  Location at;
};

/// The bug check that is due.
struct StopExpectation {
  std::uint64_t code = 0;
  std::optional<std::uint64_t> parameter;  ///< the first
  Location at;
};

enum class Outcome : std::uint8_t { kCompletes, kHang, kBugCheck, kLivelock };

/// What an exploration is to say.
enum class ExpectedVerdict : std::uint8_t { kProved, kViolated, kIncomplete, kVacuous };

struct Expectations {
  Outcome outcome = Outcome::kCompletes;
  std::optional<ExpectedVerdict> verdict;  ///< not set: by what must break, and the outcome
  std::vector<std::string>
      violations;  ///< invariants that must break, e.g. "I1"; any other must hold
  std::vector<std::string> may_violate;  ///< invariants that may break or not
  std::vector<FinalFence> fences;
  std::vector<CounterExpectation> counters;
  std::vector<LatencyExpectation> latencies;
  std::vector<MarkExpectation> marks;
  std::vector<StartExpectation> adapter_start;  ///< adapters that are not named start
  std::optional<StopExpectation> bug_check;
};

/// How much of a scenario there is; what is not set is as large as the scenario.
struct ExploreBounds {
  std::optional<std::uint64_t> signals;      ///< of queues and threads together
  std::optional<std::uint64_t> waiters;      ///< waits of threads
  std::optional<std::uint64_t> queues;       ///< that do something
  std::optional<std::uint64_t> preemptions;  ///< of nodes: 0
  std::optional<std::uint64_t> pending;      ///< writes in one posted FIFO
  /// Raised since a core last accepted one; runs with more are not explored.
  std::optional<std::uint64_t> interrupts;
};

/// How the scenario is explored.
struct ExploreSettings {
  ExploreBounds bounds;
  std::uint64_t executions = 5'000'000;  ///< runs, also those cut short, after which to give up
  std::uint64_t states = 20'000'000;     ///< different states, the same
  std::optional<common::Grain> steps;    ///< none: coarse in runs, all in searches
  std::vector<std::string> matrix;       ///< switches whose subsets --matrix tries
};

// ------------------------------------------------------------------ sweep

/// Values that one place of the scenario takes in a sweep: a list, or a range.
struct Variation {
  std::string pointer;                  ///< JSON pointer of the place
  std::vector<std::string> values;      ///< JSON texts; empty: there is a range
  std::string from, to;                 ///< JSON texts of a number or quantity; both inclusive
  std::optional<std::string> step;      ///< the same, from each value to the next
  std::optional<std::uint64_t> factor;  ///< in place of a step
  Location at;
};

/// Which combinations of values are points: all, the nth of each, or drawn ones.
enum class SweepDesign : std::uint8_t { kCartesian, kList, kRandom };

/// Which runs a sweep of the scenario makes.
struct SweepSettings {
  SweepDesign design = SweepDesign::kCartesian;
  std::vector<Variation> vary;
  std::optional<std::uint64_t> points;  ///< of a random design
  std::uint64_t seeds = 1;              ///< runs of each point, with seeds counting up
  std::uint64_t seed = 1;               ///< of what a random design draws
};

/// Which interleavings a run takes: the timing itself, or seeded random orders without time.
enum class PolicyKind : std::uint8_t { kTiming, kRandom };

/// When a run without an end is ended.
struct RunLimits {
  Time standstill = common::kSecond;            ///< in which nothing advances but threads that poll
  std::uint64_t standstill_steps = 10'000'000;  ///< the same where time does not pass
  std::uint64_t steps = 1'000'000'000;          ///< of a run in time
};

/// A checked scenario: every name resolves, every value is in range.
struct Scenario {
  // Not in this header: whoever only holds a scenario would compile the copying of all its steps.
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
  std::vector<std::string> covers;     ///< mission rows it shows, e.g. "NF3"
  std::vector<std::string> negatives;  ///< mission rows whose checker it shows can fail
  PolicyKind policy = PolicyKind::kTiming;
  std::uint64_t seed = 1;
  RunLimits limits;
  std::optional<Time> end_time;  ///< the scenario's own end: whoever waits then has hung
  Platform platform;
  std::vector<Process> processes;
  std::vector<Program> programs;
  std::vector<Fault> faults;
  std::vector<Hold> holds;
  Expectations expect;
  ExploreSettings explore;
  SweepSettings sweep;
  std::string effective_json;  ///< the whole document with every default filled in, formatted
};

}  // namespace fenceline::scenario
