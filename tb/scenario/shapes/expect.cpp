#include "tb/scenario/shapes/expect.h"

#include <algorithm>
#include <array>

#include "tb/os/driver/start_checks.h"
#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

constexpr std::size_t kMaxEntries = 1'000;

std::vector<std::string> statistics() { return {"max", "mean", "min", "p50", "p99"}; }

/// Calls `use(key, child)` for each member of the object. Keys must be names.
template <class F>
void for_each_entry(const Node& node, const F& use) {
  const auto& members = node.object();
  if (members.size() > kMaxEntries) {
    node.fail("the object has " + std::to_string(members.size()) + " keys",
              "at most " + std::to_string(kMaxEntries));
  }
  const PatternCodec rule = name();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!rule.matches(members[i].key)) node.fail_at_key(i, "the key is no name", rule.what);
    use(members[i].key, node.child(i));
  }
}

/// Schema of an object with names as keys and values of the schema `values`.
Json map_schema(Json values) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", name().pattern}}},
          {"maxProperties", kMaxEntries},
          {"additionalProperties", std::move(values)}};
}

WordCodec start_words() {
  std::vector<std::string> words{"starts"};
  words.reserve(1 + static_cast<std::size_t>(os::StartRule::kCount));
  for (std::size_t i = 0; i < static_cast<std::size_t>(os::StartRule::kCount); ++i)
    words.emplace_back(os::start_rule_name(static_cast<os::StartRule>(i)));
  return {words};
}

}  // namespace

/// Both ends of a range.
template <class Unit>
struct RangeEnds {
  using Type = Range;
  static constexpr const char* kName = Unit::kName;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("min", t.min, maybe(Unit::codec()), "Least allowed value.");
    v.field("max", t.max, maybe(Unit::codec()), "Greatest allowed value.");
  }
};
struct CountRange {
  static constexpr const char* kName = "count_range";
  static ValueCodec codec() { return {}; }
};
struct DurationRange {
  static constexpr const char* kName = "duration_range";
  static QuantityCodec codec() { return duration(); }
};

template <class Unit>
void RangeCodec<Unit>::read(const Node& node, Range& out) const {
  if (node.is(JsonValue::Kind::kObject)) {
    ObjectCodec<RangeEnds<Unit>>{}.read(node, out);
    if (!out.min && !out.max) node.fail("an empty range", "\"min\", \"max\" or both");
    if (out.min && out.max && *out.min > *out.max) node.fail("\"min\" is greater than \"max\"");
  } else {
    std::uint64_t value = 0;
    Unit::codec().read(node, value);
    out.min = out.max = value;
  }
}

template <class Unit>
Json RangeCodec<Unit>::write(const Range& range) const {
  if (range.min && range.min == range.max) return Unit::codec().write(*range.min);
  return ObjectCodec<RangeEnds<Unit>>{}.write(range);
}

template <class Unit>
Json RangeCodec<Unit>::schema(SchemaDefinitions& definitions) const {
  Json ends = ObjectCodec<RangeEnds<Unit>>{}.schema(definitions);
  return either(Unit::codec().schema(definitions), {{"allOf", {ends, {{"minProperties", 1}}}}});
}

template struct RangeCodec<CountRange>;
template struct RangeCodec<DurationRange>;

void CountersCodec::read(const Node& node, std::vector<CounterExpectation>& out) const {
  out.clear();
  for_each_entry(node, [&](const std::string& key, const Node& child) {
    CounterExpectation& entry = out.emplace_back();
    entry.counter = key;
    RangeCodec<CountRange>{}.read(child, entry.range);
    entry.at = child.location();
  });
}

Json CountersCodec::write(const std::vector<CounterExpectation>& values) const {
  Json object = Json::object();
  for (const CounterExpectation& value : values) {
    object[value.counter] = RangeCodec<CountRange>{}.write(value.range);
  }
  return object;
}

Json CountersCodec::schema(SchemaDefinitions& definitions) const {
  return map_schema(RangeCodec<CountRange>{}.schema(definitions));
}

void LatenciesCodec::read(const Node& node, std::vector<LatencyExpectation>& out) const {
  out.clear();
  for_each_entry(node, [&](const std::string& latency, const Node& child) {
    if (child.object().empty()) child.fail("no statistic is named", one_of(statistics()));
    reject_unknown_keys(child, statistics());
    for_each_entry(child, [&](const std::string& statistic, const Node& range) {
      LatencyExpectation& entry = out.emplace_back();
      entry.latency = latency;
      entry.statistic = statistic;
      RangeCodec<DurationRange>{}.read(range, entry.range);
      entry.at = range.location();
    });
  });
}

Json LatenciesCodec::write(const std::vector<LatencyExpectation>& values) const {
  Json object = Json::object();
  for (const LatencyExpectation& value : values) {
    object[value.latency][value.statistic] = RangeCodec<DurationRange>{}.write(value.range);
  }
  return object;
}

Json LatenciesCodec::schema(SchemaDefinitions& definitions) const {
  const Json range = RangeCodec<DurationRange>{}.schema(definitions);
  Json properties = Json::object();
  for (const std::string& statistic : statistics()) properties[statistic] = range;
  return map_schema({{"type", "object"},
                     {"minProperties", 1},
                     {"properties", properties},
                     {"additionalProperties", false}});
}

void StartsCodec::read(const Node& node, std::vector<StartExpectation>& out) const {
  out.clear();
  for_each_entry(node, [&](const std::string& key, const Node& child) {
    StartExpectation& entry = out.emplace_back();
    entry.adapter = key;
    start_words().read(child, entry.how);
    entry.at = child.location();
  });
}

Json StartsCodec::write(const std::vector<StartExpectation>& values) const {
  Json object = Json::object();
  for (const StartExpectation& value : values) object[value.adapter] = value.how;
  return object;
}

Json StartsCodec::schema(SchemaDefinitions& definitions) const {
  return map_schema(start_words().schema(definitions));
}

void FinalFence::MonitoredValueCodec::read(const Node& node, std::uint64_t& out) const {
  if (node.is(JsonValue::Kind::kString) && node.value().text == "none")
    out = kMaxUint64;
  else
    ValueCodec{}.read(node, out);
}

Json FinalFence::MonitoredValueCodec::write(std::uint64_t value) const {
  return value == kMaxUint64 ? Json("none") : ValueCodec{}.write(value);
}

Json FinalFence::MonitoredValueCodec::schema(SchemaDefinitions& definitions) const {
  return either(ValueCodec{}.schema(definitions), {{"const", "none"}});
}

bool Expectations::may_break(const std::string& invariant) const {
  const auto contains = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), invariant) != list.end();
  };
  return contains(violations) || contains(may_violate);
}

void Expectations::allow(const std::vector<std::string>& invariants) {
  for (const std::string& invariant : invariants)
    if (!may_break(invariant)) may_violate.push_back(invariant);
}

bool Expectations::may_end(Outcome ending) const {
  if (ending == outcome) return true;
  if (ending == Outcome::kBugCheck) return may_break(Findings::kBugCheck);
  return ending != Outcome::kCompletes && may_break(Findings::kHang);
}

}  // namespace fenceline::scenario
