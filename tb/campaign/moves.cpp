#include "tb/campaign/moves.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "tb/scenario/text/expression.h"

namespace fenceline::campaign {

namespace {

/// Puts `round` in place of a counter; the text stays if it is no expression.
void set_counter(Document& value, const std::string& counter, std::uint64_t round) {
  for (Document& child : value)
    if (child.is_structured()) set_counter(child, counter, round);
  for (Document& child : value) {
    if (!child.is_string() || child.get_ref<const std::string&>().find("${") == std::string::npos)
      continue;
    try {
      const auto expression = scenario::Expression::parse(child.get<std::string>());
      std::uint64_t constant = expression.constant();
      std::vector<std::pair<std::string, std::uint64_t>> terms;
      for (const auto& term : expression.terms())
        if (term.first == counter)
          constant += term.second * round;
        else
          terms.push_back(term);
      if (terms.empty())
        child = constant;
      else
        child = scenario::Expression(constant, std::move(terms)).to_string();
    } catch (const std::invalid_argument&) {
    }
  }
}

/// Kinds of objects by the key of their list, with the start of a short name.
constexpr std::array<std::pair<const char*, const char*>, 7> kKinds{{{"adapters", "gpu"},
                                                                     {"processes", "p"},
                                                                     {"fences", "F"},
                                                                     {"queues", "q"},
                                                                     {"contexts", "c"},
                                                                     {"allocations", "A"},
                                                                     {"programs", "t"}}};

void find_names(const Document& value, std::vector<NamedThing>& found) {
  for (const auto& [key, child] : value.items()) {
    for (const auto& [kind, start] : kKinds) {
      if (key != kind || !child.is_array()) continue;
      std::size_t number = 0;
      for (const Document& element : child) {
        const char* const name = key == "programs" ? "thread" : "name";
        if (!element.is_object() || !element.contains(name) || !element[name].is_string()) continue;
        found.push_back({element[name].get<std::string>(), fmt::format("{}{}", start, number++)});
      }
    }
    if (child.is_structured()) find_names(child, found);
  }
}

std::string renamed_text(const std::string& text, const NamedThing& thing) {
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("/.", at), text.size());
    const std::string part = text.substr(at, end - at);
    result += part == thing.name ? thing.shorter : part;
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

void rename_in(Document& value, const NamedThing& thing) {
  if (value.is_string()) value = renamed_text(value.get<std::string>(), thing);
  if (!value.is_structured()) return;
  for (Document& child : value) rename_in(child, thing);
}

}  // namespace

Document body_of_round(const Document& loop, std::uint64_t round) {
  Document body = loop.value(loop.contains("steps") ? "steps" : "commands", Document::array());
  if (loop.contains("counter") && loop["counter"].is_string())
    set_counter(body, loop["counter"].get<std::string>(), round);
  return body;
}

Document Quantity::with(std::uint64_t other) const {
  if (!unit) return other;
  return std::to_string(other) + *unit;
}

std::optional<Quantity> quantity_of(const Document& value) {
  if (value.is_number_unsigned()) return Quantity{value.get<std::uint64_t>()};
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool letters = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(digits), text.end(),
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
  if (digits == 0 || digits > 18 || digits == text.size() || !letters) return std::nullopt;
  return Quantity{std::stoull(text.substr(0, digits)), text.substr(digits)};
}

std::vector<NamedThing> long_names(const Document& scenario) {
  std::vector<NamedThing> found;
  find_names(scenario, found);
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [](const NamedThing& it) { return it.shorter.size() >= it.name.size(); }),
      found.end());
  return found;
}

Document renamed(const Document& scenario, const NamedThing& thing) {
  Document result = scenario;
  for (const auto& [key, value] : scenario.items())
    if (key != "name" && key != "title" && key != "description") rename_in(result[key], thing);
  return result;
}

}  // namespace fenceline::campaign
