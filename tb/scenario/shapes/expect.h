#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

// Members of /expect.

struct Range {
  std::optional<std::uint64_t> min;
  std::optional<std::uint64_t> max;
};

/// One exact value, or {"min", "max"} with inclusive ends.
/// @tparam Unit CountRange or DurationRange
template <class Unit>
struct RangeCodec {
  void read(const Node& node, Range& out) const;
  Json write(const Range& range) const;
  Json schema(SchemaDefinitions& definitions) const;
};
struct CountRange;
struct DurationRange;

/// Expected final state of a fence.
struct FinalFence {
  static constexpr const char* kName = "final_fence";
  std::string fence;
  std::optional<std::uint64_t> current_value;
  std::optional<std::uint64_t> monitored_value;  ///< UINT64_MAX if written as "none"
  Location at;

  /// Like ValueCodec; "none" is UINT64_MAX.
  struct MonitoredValueCodec {
    void read(const Node& node, std::uint64_t& out) const;
    Json write(std::uint64_t value) const;
    Json schema(SchemaDefinitions& definitions) const;
  };

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, path_name(), "\"process/fence\", or a fence name that is unique.");
    v.field("current_value", t.current_value, maybe(ValueCodec{}), "CurrentValue at the end.");
    v.field("monitored_value", t.monitored_value, maybe(MonitoredValueCodec{}),
            "MonitoredValue at the end; \"none\": no waiter.");
    v.location(t.at);
  }
};

/// A counter of stats.json, e.g. "interrupts.raised".
struct CounterExpectation {
  std::string counter;
  Range range;
  Location at;
};
/// {"interrupts.raised": range, ...}
struct CountersCodec {
  void read(const Node& node, std::vector<CounterExpectation>& out) const;
  Json write(const std::vector<CounterExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// A latency statistic of stats.json, e.g. "wait_release" "p99".
struct LatencyExpectation {
  std::string latency;
  std::string statistic;
  Range range;  ///< [ps]
  Location at;
};
/// {"wait_release": {"p99": range}, ...}
struct LatenciesCodec {
  void read(const Node& node, std::vector<LatencyExpectation>& out) const;
  Json write(const std::vector<LatencyExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// CurrentValue at the time when a thread reaches a mark.
struct MarkExpectation {
  static constexpr const char* kName = "mark_expectation";
  std::string label;
  std::string fence;
  Range value;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("mark", t.label, name(), "Label of a mark step.");
    v.required("fence", t.fence, path_name(), "\"process/fence\", or a fence name that is unique.");
    v.required("value", t.value, RangeCodec<CountRange>{},
               "CurrentValue when the mark is reached.");
    v.location(t.at);
  }
};

/// Expected result of an adapter start.
struct StartExpectation {
  std::string adapter;
  std::string how;  ///< "starts", or the rule that prevents it
  Location at;
};
/// {"gpu0": "not_enabled", ...}
struct StartsCodec {
  void read(const Node& node, std::vector<StartExpectation>& out) const;
  Json write(const std::vector<StartExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// The expected bug check.
struct StopExpectation {
  static constexpr const char* kName = "stop";
  std::uint64_t code = 0;
  std::optional<std::uint64_t> parameter;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("code", t.code, ValueCodec{}, "Bug check code, e.g. \"0x119\".");
    v.field("parameter", t.parameter, maybe(ValueCodec{}), "First parameter of the bug check.");
    v.location(t.at);
  }
};

enum class Outcome : std::uint8_t { kCompletes, kHang, kBugCheck, kLivelock };
constexpr std::array<Choice<Outcome>, 4> kOutcomes{{{"completes", Outcome::kCompletes},
                                                    {"hang", Outcome::kHang},
                                                    {"livelock", Outcome::kLivelock},
                                                    {"bug_check", Outcome::kBugCheck}}};

/// Result of an exploration.
enum class Verdict : std::uint8_t {
  kProved,      ///< all orders within the bounds were tried, and none breaks anything
  kViolated,    ///< an order breaks an invariant, hangs or crashes
  kIncomplete,  ///< nothing was found, but not every order was tried
  kVacuous      ///< within the bounds no run reaches its end, or there is no program
};
constexpr std::array<Choice<Verdict>, 4> kVerdicts{{{"PROVED", Verdict::kProved},
                                                    {"VIOLATED", Verdict::kViolated},
                                                    {"INCOMPLETE", Verdict::kIncomplete},
                                                    {"VACUOUS", Verdict::kVacuous}}};
inline const char* verdict_name(Verdict verdict) { return abi::word_of(kVerdicts, verdict); }

struct Expectations {
  static constexpr const char* kName = "expect";
  Outcome outcome = Outcome::kCompletes;
  std::optional<Verdict> verdict;
  std::vector<std::string> violations;
  std::vector<std::string> may_violate;
  std::vector<FinalFence> fences;
  std::vector<CounterExpectation> counters;
  std::vector<LatencyExpectation> latencies;
  std::vector<MarkExpectation> marks;
  std::vector<StartExpectation> adapter_start;
  std::optional<StopExpectation> bug_check;

  /// True if the invariant must break or may break.
  bool may_break(const std::string& invariant) const;
  /// The invariants may break as well.
  void allow(const std::vector<std::string>& invariants);
  /// True if the run may end so.
  bool may_end(Outcome ending) const;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("outcome", t.outcome, choice(kOutcomes), "How the run ends.");
    v.field("verdict", t.verdict, maybe(choice(kVerdicts)),
            "Verdict of an exploration. Default: PROVED if no invariant must break and the run "
            "completes, otherwise VIOLATED.");
    v.field("violations", t.violations, list(invariant(), 0, 40),
            "Invariants that must break; any other must hold.");
    v.field(
        "may_violate", t.may_violate, list(finding(), 0, 43),
        "Invariants that may break; also HANG and BUG_CHECK, which are ends, and CALL: a step may "
        "have another result than it expects.");
    v.field("fences", t.fences, list(ObjectCodec<FinalFence>{}, 0, 4096), "Values at the end.");
    v.field("counters", t.counters, CountersCodec{}, "Statistics, by name.");
    v.field("latencies", t.latencies, LatenciesCodec{},
            "Latency statistics, by name and then min, mean, p50, p99 or max.");
    v.field("marks", t.marks, list(ObjectCodec<MarkExpectation>{}, 0, 4096),
            "Values at marks of programs.");
    v.field("adapter_start", t.adapter_start, StartsCodec{},
            "Expected result of adapter starts. Adapters without an entry must start.");
    v.field("bug_check", t.bug_check, maybe(ObjectCodec<StopExpectation>{}),
            "Bug check that ends the run.");
  }
};

}  // namespace fenceline::scenario
