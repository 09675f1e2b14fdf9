#pragma once

#include "tb/scenario/scenario.h"
#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

// Shapes of /holds and /expect: see reader.h.

/// Throws ScenarioError unless the range has at least one end and its ends are in order.
void check_range(const Node& node, const Range& range);

/// Both inclusive ends of a range, in the notation of C.
template <class C>
struct RangeShape {
  using Type = Range;
  static constexpr const char* kName = C::kRangeName;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("min", t.min, maybe(C::codec()), "Least allowed value.");
    v.field("max", t.max, maybe(C::codec()), "Greatest allowed value.");
  }
};

struct CountRange {
  static constexpr const char* kRangeName = "count_range";
  static ValueCodec codec() { return {}; }
};
struct DurationRange {
  static constexpr const char* kRangeName = "duration_range";
  static QuantityCodec codec() { return duration(); }
};

/// One exact value, or {"min", "max"}.
template <class C>
struct RangeCodec {
  void read(const Node& node, Range& out) const {
    if (node.is(JsonValue::Kind::kObject)) {
      ObjectCodec<RangeShape<C>>{}.read(node, out);
      check_range(node, out);
    } else {
      std::uint64_t value = 0;
      C::codec().read(node, value);
      out.min = out.max = value;
    }
  }
  Json write(const Range& range) const {
    if (range.min && range.min == range.max) return C::codec().write(*range.min);
    return ObjectCodec<RangeShape<C>>{}.write(range);
  }
  Json schema(SchemaDefinitions& definitions) const {
    Json ends = object_schema<RangeShape<C>>(definitions);
    return either(C::codec().schema(definitions), {{"allOf", {ends, {{"minProperties", 1}}}}});
  }
};

/// Schema of an object with names as keys and values of the schema `values`.
Json map_schema(Json values);

struct CountersCodec {
  void read(const Node& node, std::vector<CounterExpectation>& out) const;
  Json write(const std::vector<CounterExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// {"wait_release": {"p99": range}, ...}
struct LatenciesCodec {
  void read(const Node& node, std::vector<LatencyExpectation>& out) const;
  Json write(const std::vector<LatencyExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// Like ValueCodec; "none" is UINT64_MAX: no waiter.
struct MonitoredValueCodec {
  void read(const Node& node, std::uint64_t& out) const;
  Json write(std::uint64_t value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

constexpr std::array<Choice<Outcome>, 4> kOutcomes{{{"completes", Outcome::kCompletes},
                                                    {"hang", Outcome::kHang},
                                                    {"livelock", Outcome::kLivelock},
                                                    {"bug_check", Outcome::kBugCheck}}};

constexpr std::array<Choice<ExpectedVerdict>, 4> kVerdicts{
    {{"PROVED", ExpectedVerdict::kProved},
     {"VIOLATED", ExpectedVerdict::kViolated},
     {"INCOMPLETE", ExpectedVerdict::kIncomplete},
     {"VACUOUS", ExpectedVerdict::kVacuous}}};

/// Names of the operations of `Steps`.
std::vector<std::string> operation_names();

struct OperationShape {
  using Type = OperationRef;
  static constexpr const char* kName = "operation";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("agent", t.agent, agent_name(),
               "Agent of the operation, e.g. \"gpu0.compute0.vram1\".");
    v.required("op", t.op, WordCodec{operation_names()},
               "Name of the operation; \"any\": every operation.");
    v.field("nth", t.nth, IntegerCodec{1, 1'000'000'000}, "Number of the occurrence, from 1.");
  }
};

struct HoldShape {
  using Type = Hold;
  static constexpr const char* kName = "hold";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("hold", t.operation, ObjectCodec<OperationShape>{}, "Does not happen ...");
    v.required("until", t.until, ObjectCodec<OperationShape>{}, "... before this has happened.");
    v.location(t.at);
  }
};

struct FinalFenceShape {
  using Type = FinalFence;
  static constexpr const char* kName = "final_fence";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, path_name(), "\"process/fence\", or a fence name that is unique.");
    v.field("current_value", t.current_value, maybe(ValueCodec{}), "CurrentValue at the end.");
    v.field("monitored_value", t.monitored_value, maybe(MonitoredValueCodec{}),
            "MonitoredValue at the end; \"none\": no waiter.");
    v.location(t.at);
  }
};

struct MarkShape {
  using Type = MarkExpectation;
  static constexpr const char* kName = "mark_expectation";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("mark", t.label, name(), "Label of a mark step.");
    v.required("fence", t.fence, path_name(), "\"process/fence\", or a fence name that is unique.");
    v.required("value", t.value, RangeCodec<CountRange>{},
               "CurrentValue when the mark is reached.");
    v.location(t.at);
  }
};

/// {"gpu0": "not_enabled", ...}
struct StartsCodec {
  void read(const Node& node, std::vector<StartExpectation>& out) const;
  Json write(const std::vector<StartExpectation>& values) const;
  Json schema(SchemaDefinitions& definitions) const;
};

struct StopShape {
  using Type = StopExpectation;
  static constexpr const char* kName = "stop";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("code", t.code, ValueCodec{}, "Bug check code, e.g. \"0x119\".");
    v.field("parameter", t.parameter, maybe(ValueCodec{}), "First parameter of the bug check.");
    v.location(t.at);
  }
};

struct ExpectShape {
  using Type = Expectations;
  static constexpr const char* kName = "expect";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("outcome", t.outcome, choice(kOutcomes), "How the run ends.");
    v.field("verdict", t.verdict, maybe(choice(kVerdicts)),
            "Verdict of an exploration. Default: PROVED if no invariant must break and the run "
            "completes, otherwise VIOLATED.");
    v.field("violations", t.violations, list(invariant(), 0, 40),
            "Invariants that must break; any other must hold.");
    v.field("may_violate", t.may_violate, list(finding(), 0, 42),
            "Invariants that may break; also HANG and BUG_CHECK for explorations.");
    v.field("fences", t.fences, list(ObjectCodec<FinalFenceShape>{}, 0, 4096),
            "Values at the end.");
    v.field("counters", t.counters, CountersCodec{}, "Statistics, by name.");
    v.field("latencies", t.latencies, LatenciesCodec{},
            "Latency statistics, by name and then min, mean, p50, p99 or max.");
    v.field("marks", t.marks, list(ObjectCodec<MarkShape>{}, 0, 4096),
            "Values at marks of programs.");
    v.field("adapter_start", t.adapter_start, StartsCodec{},
            "Expected result of adapter starts. Adapters without an entry must start.");
    v.field("bug_check", t.bug_check, maybe(ObjectCodec<StopShape>{}),
            "Bug check that ends the run.");
  }
};

}  // namespace fenceline::scenario
