#include "tb/scenario/sweep_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/scenario/shapes/sweep.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/scenario/text/units.h"

namespace fenceline::scenario {

namespace {

using Json = nlohmann::json;

constexpr const char* kRangeEnd = "a whole number, or a text such as \"250ns\", \"4KiB\"";

/// Places that a sweep sets itself, or that are no property of the machine.
constexpr std::array<const char*, 4> kReserved{"/sweep", "/seed", "/schema_version", "/$schema"};

std::string place(std::size_t index) { return "/vary/" + std::to_string(index); }

/// True if `outer` equals or contains `inner`.
bool holds(const std::string& outer, const std::string& inner) {
  return inner.compare(0, outer.size(), outer) == 0 &&
         (inner.size() == outer.size() || inner[outer.size()] == '/');
}

void check_pointers(const SweepSettings& sweep) {
  const auto& vary = sweep.vary;
  for (std::size_t i = 0; i < vary.size(); ++i) {
    const std::string& pointer = vary[i].pointer;
    for (const char* reserved : kReserved)
      if (holds(reserved, pointer))
        throw SweepProblem(place(i) + "/pointer", std::string(reserved) + " cannot vary", {},
                           holds("/seed", pointer) ? "\"seeds\" gives every point several" : "");
    for (std::size_t j = 0; j < i; ++j) {
      if (!holds(pointer, vary[j].pointer) && !holds(vary[j].pointer, pointer)) continue;
      throw SweepProblem(
          place(i) + "/pointer",
          pointer == vary[j].pointer
              ? in_quotes(pointer) + " varies already"
              : in_quotes(pointer) + " and " + in_quotes(vary[j].pointer) + " vary each other",
          {}, "the first is at /sweep" + place(j));
    }
  }
}

void check_twice(const Variation& variation, std::size_t index) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < variation.values.size(); ++i)
    if (!seen.insert(variation.values[i]).second)
      throw SweepProblem(place(index) + "/values/" + std::to_string(i),
                         "the value " + variation.values[i] + " stands there twice");
}

VariedValues values_of(const SweepSettings& sweep, std::size_t index) {
  try {
    return VariedValues(sweep.vary[index]);
  } catch (const SweepProblem& problem) {
    throw SweepProblem(place(index) + problem.pointer, problem.what(), problem.expected,
                       problem.hint);
  }
}

void check_values(const SweepSettings& sweep) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < sweep.vary.size(); ++i) {
    const VariedValues values = values_of(sweep, i);
    if (sweep.design == SweepDesign::kRandom) continue;
    if (values.continuous())
      throw SweepProblem(place(i), "a range of this design needs a \"step\" or a \"factor\"", {},
                         "only a random design draws from all of it");
    if (sweep.design == SweepDesign::kCartesian) check_twice(sweep.vary[i], i);
    if (i == 0) first = values.count();
    if (sweep.design == SweepDesign::kList && values.count() != first)
      throw SweepProblem(place(i), "there are " + std::to_string(values.count()) + " values",
                         std::to_string(first) + ", as of the first variation",
                         "the design \"cartesian\" takes all combinations");
  }
}

}  // namespace

VariedValues::VariedValues(const Variation& variation) : values_(variation.values) {
  if (values_.empty())
    read_range(variation);
  else
    count_ = values_.size();
}

VariedValues::Quantity VariedValues::parse(const std::string& json, const std::string& key) {
  const Json value = json_tree<Json>(json, false);
  if (value.is_number_unsigned()) return {Kind::kNumber, value.get<std::uint64_t>()};
  if (!value.is_string()) throw SweepProblem("/" + key, "found " + json, kRangeEnd);
  const auto text = value.get<std::string>();
  using Parse = std::uint64_t (*)(std::string_view);
  const std::pair<Kind, Parse> parsers[] = {{Kind::kDuration, parse_duration},
                                            {Kind::kSize, parse_size},
                                            {Kind::kRate, parse_rate},
                                            {Kind::kFrequency, parse_frequency}};
  for (const auto& [kind, read] : parsers) {
    try {
      return {kind, read(text)};
    } catch (const std::invalid_argument&) {  // another kind of value, or none
    }
  }
  throw SweepProblem("/" + key, "found " + in_quotes(text), kRangeEnd);
}

void VariedValues::read_range(const Variation& variation) {
  from_ = parse(variation.from, "from");
  const Quantity to = parse(variation.to, "to");
  if (to.kind != from_.kind)
    throw SweepProblem("/to", variation.to + " is of another kind than " + variation.from);
  if (to.value < from_.value)
    throw SweepProblem("/to", variation.to + " is less than " + variation.from);
  if (variation.step && variation.factor)
    throw SweepProblem("/factor", "there is a step already", "one of both");
  if (variation.step) {
    const Quantity step = parse(*variation.step, "step");
    if (step.kind != from_.kind)
      throw SweepProblem("/step", *variation.step + " is of another kind than " + variation.from);
    if (step.value == 0) throw SweepProblem("/step", "a step of nothing leads nowhere");
    step_ = step.value;
  }
  factor_ = variation.factor.value_or(0);
  if (factor_ != 0 && from_.value == 0)
    throw SweepProblem("/from", "0 stays 0 with every factor", "at least 1");
  count_range(variation, to.value);
}

void VariedValues::count_range(const Variation& variation, std::uint64_t to) {
  if (factor_ == 0) {
    const std::uint64_t steps = (to - from_.value) / std::max<std::uint64_t>(1, step_);
    count_ = steps == UINT64_MAX ? steps : steps + 1;
  } else {
    for (std::uint64_t value = from_.value;; value *= factor_) {
      ++count_;
      if (value > to / factor_) break;
    }
  }
  if (step_ != 0 && count_ > kMaxSweepRuns)
    throw SweepProblem("/step", "the range has " + std::to_string(count_) + " values",
                       std::to_string(kMaxSweepRuns) + " at most",
                       "from " + variation.from + " to " + variation.to);
}

std::string VariedValues::at(std::uint64_t index) const {
  if (!values_.empty()) return values_[index];
  std::uint64_t value = from_.value;
  if (factor_ == 0)
    value += index * std::max<std::uint64_t>(1, step_);
  else
    for (std::uint64_t i = 0; i < index; ++i) value *= factor_;
  switch (from_.kind) {
    case Kind::kDuration:
      return Json(format_duration(value)).dump();
    case Kind::kSize:
      return Json(format_size(value)).dump();
    case Kind::kRate:
      return Json(format_rate(value)).dump();
    case Kind::kFrequency:
      return Json(format_frequency(value)).dump();
    case Kind::kNumber:
      break;
  }
  return std::to_string(value);
}

std::uint64_t sweep_points(const SweepSettings& sweep) {
  if (sweep.design == SweepDesign::kRandom) return sweep.points.value_or(1);
  std::uint64_t points = 1;
  for (const Variation& variation : sweep.vary) {
    const std::uint64_t count = VariedValues(variation).count();
    if (sweep.design == SweepDesign::kList) return count;
    if (points > kMaxSweepRuns / count) return kMaxSweepRuns + 1;
    points *= count;
  }
  return points;
}

void check_sweep_settings(const SweepSettings& sweep) {
  const bool random = sweep.design == SweepDesign::kRandom;
  if (random && !sweep.points)
    throw SweepProblem("", "a random design does not say how many points it has", "\"points\"");
  if (!random && sweep.points)
    throw SweepProblem("/points", "only a random design is told how many points it has", {},
                       "its points are drawn, with \"design\": \"random\"");
  check_pointers(sweep);
  check_values(sweep);
  if (const std::uint64_t points = sweep_points(sweep); points > kMaxSweepRuns / sweep.seeds)
    throw SweepProblem("", "the sweep has too many runs",
                       std::to_string(kMaxSweepRuns) + " at most: points times seeds");
}

std::string json_of(const JsonValue& value) {
  std::string text;
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kString:
      return Json(value.text).dump();
    case JsonValue::Kind::kArray:
      for (const JsonMember& child : value.children)
        text += (text.empty() ? "" : ",") + json_of(child.value);
      return "[" + text + "]";
    case JsonValue::Kind::kObject:
      for (const JsonMember& child : value.children)
        text += (text.empty() ? "" : ",") + Json(child.key).dump() + ":" + json_of(child.value);
      return "{" + text + "}";
    case JsonValue::Kind::kBoolean:
    case JsonValue::Kind::kNumber:
      break;
  }
  return value.text;
}

bool can_be_kept(const std::string& json) { return !json_tree<Json>(json, false).is_discarded(); }

std::string plain_text(const std::string& json) {
  const Json value = json_tree<Json>(json, false);
  return value.is_string() ? value.get<std::string>() : json;
}

}  // namespace fenceline::scenario
