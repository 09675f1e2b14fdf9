#include "tb/coverage/states.h"

#include <algorithm>
#include <string_view>

namespace fenceline::coverage {

namespace {

using event::kDescriptions;

/// Index in kFollowed, or its size.
std::size_t followed(common::ObjectKind kind) {
  const auto* const found = std::find(kFollowed.begin(), kFollowed.end(), kind);
  return static_cast<std::size_t>(found - kFollowed.begin());
}

/// The words of the first placeholder `{field|word|...}`: first the field, then the words.
std::vector<std::string> worded_field(std::string_view sentence) {
  std::vector<std::string> parts;
  for (std::size_t open = sentence.find('{'); open != std::string_view::npos;
       open = sentence.find('{', open + 1)) {
    std::string_view inside = sentence.substr(open + 1, sentence.find('}', open) - open - 1);
    if (inside.find('|') == std::string_view::npos) continue;
    for (std::size_t bar = inside.find('|'); bar != std::string_view::npos;
         bar = inside.find('|')) {
      parts.emplace_back(inside.substr(0, bar));
      inside.remove_prefix(bar + 1);
    }
    parts.emplace_back(inside);
    break;
  }
  return parts;
}

}  // namespace

const States& States::all() {
  static const States states;
  return states;
}

States::States() : changes_(kDescriptions.size()), named_(kDescriptions.size()) {
  for (std::size_t kind = 0; kind < kDescriptions.size(); ++kind) {
    const event::Description& it = kDescriptions[kind];
    for (std::size_t i = 0; i < it.count; ++i)
      if (const std::size_t object = followed(it.fields[i].object); object < kFollowed.size())
        named_[kind].push_back({object, it.fields[i].place});
  }
  add_all(StateEvents{});
}

void States::add(std::size_t kind) {
  const event::Description& it = kDescriptions[kind];
  std::vector<std::string>& names = names_.at(followed(it.object()));
  const std::vector<std::string> words = worded_field(it.words.sentence);
  Change& change = changes_[kind];
  change.first = names.size();
  if (words.empty()) {
    change.count = 1;
    names.emplace_back(it.words.name);
    return;
  }
  change.count = words.size() - 1;
  names.insert(names.end(), words.begin() + 1, words.end());
  for (std::size_t i = 0; i < it.count; ++i)
    if (it.fields[i].name == words.front()) change.field = it.fields[i].place;
}

std::optional<std::size_t> States::after(const common::Event& event) const {
  const Change& change = changes_[static_cast<std::size_t>(event.kind)];
  if (change.count == 0) return std::nullopt;
  const std::uint64_t word = change.field ? change.field->of(event.record()) : 0;
  return change.first + std::min<std::size_t>(word, change.count - 1);
}

}  // namespace fenceline::coverage
