#include "tb/campaign/shapes.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace fenceline::campaign {

namespace {

void find_names(const nlohmann::json& value, std::set<std::string>& names) {
  for (const auto& [key, child] : value.items()) {
    if (child.is_string() && (key == "name" || key == "thread"))
      names.insert(child.get<std::string>());
    if (child.is_structured()) find_names(child, names);
  }
}

bool part_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace

Shapes::Shapes(const nlohmann::json& scenario) : scenario_(scenario) {
  find_names(scenario, names_);
}

/// Several threads of one program have a number behind its name.
bool Shapes::is_name(const std::string& word) const {
  const std::size_t letters = word.find_last_not_of("0123456789") + 1;
  return names_.count(word) != 0 || (letters > 0 && names_.count(word.substr(0, letters)) != 0);
}

std::string Shapes::kind_at(const std::string& place) const {
  if (place.empty() || place[0] != '/') return {};
  const nlohmann::json::json_pointer pointer(place);
  if (!scenario_.contains(pointer) || !scenario_.at(pointer).is_object()) return {};
  const nlohmann::json& step = scenario_.at(pointer);
  return step.empty() ? std::string() : step.begin().key() + ": ";
}

std::string Shapes::of(const std::string& place, const std::string& sentence) const {
  std::string shape = kind_at(place);
  for (std::size_t at = 0; at < sentence.size();) {
    if (!place.empty() && sentence.compare(at, place.size(), place) == 0) {
      shape += "*";
      at += place.size();
      continue;
    }
    std::size_t end = at;
    while (end < sentence.size() && part_of_word(sentence[end])) ++end;
    if (end == at) {
      shape += sentence[at++];
      continue;
    }
    const std::string word = sentence.substr(at, end - at);
    const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word != "0";
    shape += number ? "#" : is_name(word) ? "*" : word;
    at = end;
  }
  return shape;
}

}  // namespace fenceline::campaign
