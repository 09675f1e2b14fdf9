#include "tb/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace fenceline::compare {

namespace {

using Differences = std::vector<Difference>;

/// Stands for a key that a run does not have: "none" is a MonitoredValue.
constexpr const char* kAbsent = "absent";

std::string text_of(const Json* json) {
  if (json == nullptr) return kAbsent;
  if (json->is_string()) return json->get<std::string>();
  return json->dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The value of a key, or of the element with this "name" of an array; null if there is none.
const Json* member(const Json* json, const std::string& key) {
  if (json == nullptr) return nullptr;
  if (json->is_object()) return json->contains(key) ? &json->at(key) : nullptr;
  for (const Json& it : *json)
    if (it.at("name") == key) return &it;
  return nullptr;
}

/// True for an array of objects that each have a name of their own.
bool is_named(const Json& json) {
  std::set<std::string> names;
  return json.is_array() && !json.empty() &&
         std::all_of(json.begin(), json.end(), [&](const Json& it) {
           return it.is_object() && it.contains("name") && it["name"].is_string() &&
                  names.insert(it["name"].get<std::string>()).second;
         });
}

/// Keys of an object, or names of the elements of an array, with those of `b` that A lacks behind.
std::vector<std::string> keys_of(const Json& a, const Json& b) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const Json* json : {&a, &b})
    for (const auto& [key, value] : json->items()) {
      std::string name = json->is_array() ? value.at("name").get<std::string>() : key;
      if (seen.insert(name).second) keys.push_back(std::move(name));
    }
  return keys;
}

/// Adds the differences below `pointer`. Elements of arrays are compared by name if they have
/// names, and by place otherwise.
void walk(const std::string& pointer, const Json* a, const Json* b, Differences& found) {
  if (a != nullptr && b != nullptr) {
    if (*a == *b) return;
    if ((a->is_object() && b->is_object()) || (is_named(*a) && is_named(*b))) {
      for (const std::string& key : keys_of(*a, *b))
        walk(fmt::format("{}/{}", pointer, key), member(a, key), member(b, key), found);
      return;
    }
    if (a->is_array() && b->is_array()) {
      for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i)
        walk(fmt::format("{}/{}", pointer, i), i < a->size() ? &a->at(i) : nullptr,
             i < b->size() ? &b->at(i) : nullptr, found);
      return;
    }
  }
  found.push_back({pointer, text_of(a), text_of(b), std::nullopt});
}

/// What the list says of each item, as an object. @param name,fact of an item
template <class Name, class Fact>
Json by_name(const Json& list, Name name, Fact fact) {
  Json facts = Json::object();
  for (const Json& it : list) {
    Json& said = facts[name(it)];
    if (said.is_null()) said = Json::array();
    said.push_back(fact(it));
  }
  for (Json& it : facts)
    if (it.size() == 1) it = Json(it.front());
  return facts;
}

std::string word(const Json& item, const char* key) { return item.at(key).get<std::string>(); }

/// Compares two objects; names of differences have no leading slash.
Section section(const char* title, const Json& a, const Json& b) {
  Section made{title, {}};
  for (const std::string& key : keys_of(a, b))
    walk(key, member(&a, key), member(&b, key), made.differences);
  return made;
}

/// The rest of result.json: other sections have what is left out here.
Section verdict(const Json& a, const Json& b) {
  Json one = a, other = b;
  for (const char* own : {"violations", "expectations", "fences", "exercised", "end_time_ps",
                          "events", "version", "seed", "policy"}) {
    one.erase(own);
    other.erase(own);
  }
  return section("verdict", one, other);
}

Json violations(const Json& result) {
  return by_name(
      result.at("violations"),
      [](const Json& it) { return word(it, "invariant") + " " + word(it, "name"); },
      [](const Json& it) {
        return fmt::format("{} (at {} ps)", word(it, "message"), it.at("time_ps").dump());
      });
}

Json expectations(const Json& result) {
  return by_name(
      result.at("expectations"),
      [](const Json& it) { return word(it, "pointer") + ": " + word(it, "expected"); },
      [](const Json& it) {
        return fmt::format("{}, {}", it.at("holds") == true ? "holds" : "fails", word(it, "found"));
      });
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit == "count" ? name : fmt::format("{} [{}]", name, unit);
}

/// Every number of a run under its name.
Json statistics(const RunFiles& run) {
  Json all = Json::object();
  all["end_time [ps]"] = run.result.at("end_time_ps");
  all["events"] = run.result.at("events");
  for (const auto& [name, it] : run.stats.at("counters").items())
    all[with_unit(name, word(it, "unit"))] = it.at("value");
  for (const auto& [name, it] : run.stats.at("latencies").items()) {
    all[name + " count"] = it.at("count");
    for (const char* figure : {"min", "mean", "p50", "p99", "max"})
      all[with_unit(fmt::format("{} {}", name, figure), word(it, "unit"))] = it.at(figure);
  }
  for (const Json& it : run.result.at("exercised"))
    all["checks of " + word(it, "invariant")] = it.at("checked");
  return all;
}

/// How far a ratio is from 1, in either direction.
double distance(const Difference& it) {
  if (!it.ratio || *it.ratio <= 0) return std::numeric_limits<double>::infinity();
  return std::abs(std::log(*it.ratio));
}

/// Differences of numbers with their ratio, the largest first.
Section numbers(const char* title, const Json& a, const Json& b) {
  Section made = section(title, a, b);
  for (Difference& it : made.differences)
    if (a.contains(it.name) && b.contains(it.name) && a[it.name] != 0)
      it.ratio = b[it.name].get<double>() / a[it.name].get<double>();
  std::stable_sort(
      made.differences.begin(), made.differences.end(),
      [](const Difference& x, const Difference& y) { return distance(x) > distance(y); });
  return made;
}

/// The final values of each fence.
Json fences(const Json& result) {
  Json all = Json::object();
  for (const Json& it : result.at("fences"))
    for (const char* value : {"current_value", "monitored_value"})
      all[fmt::format("{} {}", word(it, "name"), value)] = it.at(value);
  return all;
}

std::vector<TimelineDifference> by_time(std::vector<TimelineDifference> list) {
  std::stable_sort(list.begin(), list.end(), [](const auto& x, const auto& y) {
    return std::pair(x.change == Change::kShifted, time_of(x)) <
           std::pair(y.change == Change::kShifted, time_of(y));
  });
  return list;
}

}  // namespace

bool Comparison::equal() const {
  return (!timeline || timeline->empty()) &&
         std::all_of(sections.begin(), sections.end(),
                     [](const Section& it) { return it.differences.empty(); });
}

Comparison compare_runs(const RunFiles& a, const RunFiles& b) {
  Comparison all;
  all.sections.push_back(verdict(a.result, b.result));
  all.sections.push_back(section("invariants", violations(a.result), violations(b.result)));
  all.sections.push_back(section("expectations", expectations(a.result), expectations(b.result)));
  all.sections.push_back(section("configuration", a.configuration, b.configuration));
  all.sections.push_back(numbers("statistics", statistics(a), statistics(b)));
  all.sections.push_back(section("fences", fences(a.result), fences(b.result)));
  if (a.timeline && b.timeline)
    all.timeline = by_time(compare_timelines(a.timeline->rows, b.timeline->rows));
  return all;
}

}  // namespace fenceline::compare
