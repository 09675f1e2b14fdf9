#include "tb/scenario/shapes/ordering_names.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tb/scenario/text/json_tree.h"

namespace fenceline::scenario {

namespace {

/// Lists the declarations of all switches.
class SwitchLister {
 public:
  template <class T, std::size_t N>
  void mechanism(const char* name, const T& initial, const abi::SwitchValues<T, N>& values,
                 const char* doc) {
    add(name, initial, values, doc, true);
  }
  template <class T, std::size_t N>
  void variant(const char* name, const T& initial, const abi::SwitchValues<T, N>& values,
               const char* doc) {
    add(name, initial, values, doc, false);
  }

  std::vector<SwitchInfo> switches;

 private:
  template <class T, std::size_t N>
  void add(const char* name, const T& initial, const abi::SwitchValues<T, N>& values,
           const char* doc, bool ranked) {
    SwitchInfo info{name, doc, ranked, {}, 0};
    for (const abi::SwitchValue<T>& value : values) {
      if (value.value == initial) info.initial = info.values.size();
      info.values.push_back(
          {switch_word(value.word).dump(), value.meaning, words_of(value.breaks)});
    }
    switches.push_back(std::move(info));
  }
};

}  // namespace

std::vector<std::string> words_of(const char* breaks) {
  std::istringstream words(breaks);
  return {std::istream_iterator<std::string>(words), {}};
}

Json switch_word(const char* word) {
  const Json parsed = json_tree<Json>(word, false);
  return parsed.is_discarded() ? Json(word) : parsed;
}

std::size_t read_switch(const Node& node, const std::vector<std::string>& words) {
  const auto quoted = [](const std::string& word) { return switch_word(word.c_str()).is_string(); };
  if (std::all_of(words.begin(), words.end(), quoted)) return read_choice(node, words);
  std::string all;
  for (const std::string& word : words)
    all += (all.empty() ? "" : ", ") + switch_word(word.c_str()).dump();
  const bool plain = node.is(JsonValue::Kind::kBoolean) || node.is(JsonValue::Kind::kNumber);
  if (plain || node.is(JsonValue::Kind::kString)) {
    const auto it = std::find(words.begin(), words.end(), node.value().text);
    if (it != words.end() && quoted(*it) != plain)
      return static_cast<std::size_t>(it - words.begin());
  }
  node.fail("found " + describe_value(node.value()), "one of " + all);
}

const std::vector<SwitchInfo>& switch_infos() {
  static const std::vector<SwitchInfo> infos = [] {
    SwitchLister lister;
    const user::Ordering ordering;
    user::Ordering::switches(lister, ordering);
    return std::move(lister.switches);
  }();
  return infos;
}

std::vector<std::string> ordering_names() {
  std::vector<std::string> names;
  for (const SwitchInfo& info : switch_infos()) names.push_back(info.name);
  return names;
}

std::vector<std::string> mechanism_names() {
  std::vector<std::string> names;
  for (const SwitchInfo& info : switch_infos())
    if (info.ranked) names.push_back(info.name);
  return names;
}

Json switches_json() {
  Json all = Json::array();
  for (const SwitchInfo& info : switch_infos()) {
    Json values = Json::array();
    for (const SwitchInfo::Value& value : info.values)
      values.push_back({{"value", json_tree<Json>(value.json)},
                        {"meaning", value.meaning},
                        {"safe", value.safe()},
                        {"breaks", value.breaks}});
    all.push_back({{"name", info.name},
                   {"doc", info.doc},
                   {"ranked", info.ranked},
                   {"values", std::move(values)},
                   {"default", json_tree<Json>(info.values[info.initial].json)}});
  }
  return all;
}

}  // namespace fenceline::scenario
