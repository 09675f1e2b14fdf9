#include "models/common/events.h"

#include <algorithm>

namespace fenceline::event {

namespace {

template <class... All>
constexpr std::array<Description, sizeof...(All)> describe_all(List<All...>) {
  return {description_of<All>()...};
}

}  // namespace

constexpr std::array<Description, All::kCount> kDescriptions = describe_all(All{});

}  // namespace fenceline::event

namespace fenceline::common {

std::vector<EventKind> kinds_that_are(event::Trait trait) {
  std::vector<EventKind> kinds;
  for (std::size_t kind = 0; kind < event::kDescriptions.size(); ++kind)
    if (event::kDescriptions[kind].is(trait)) kinds.push_back(static_cast<EventKind>(kind));
  return kinds;
}

std::string_view format_of(const event::Description& of, std::string_view field) {
  const std::string_view sentence = of.words.sentence;
  for (std::size_t open = sentence.find('{'); open != std::string_view::npos;
       open = sentence.find('{', open + 1)) {
    const std::string_view inside = sentence.substr(open + 1, sentence.find('}', open) - open - 1);
    if (inside.substr(0, inside.find_first_of(":|")) == field) return inside.substr(field.size());
  }
  return {};
}

std::string_view word_of(std::string_view choices, std::uint64_t number) {
  for (std::uint64_t i = 0; !choices.empty(); ++i) {
    choices.remove_prefix(1);
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    if (i == number) return choices.substr(0, bar);
    choices.remove_prefix(bar);
  }
  return {};
}

void EventStream::subscribe(EventSink& sink, const std::vector<EventKind>& kinds) {
  if (kinds.empty()) {
    for (auto& sinks : sinks_) sinks.push_back(&sink);
    return;
  }
  for (const EventKind kind : kinds) sinks_[static_cast<std::size_t>(kind)].push_back(&sink);
}

void EventStream::dispatch(const Event& event) {
  for (EventSink* sink : sinks_[static_cast<std::size_t>(event.kind)]) sink->on_event(event);
}

std::uint32_t EventStream::add_object(ObjectKind kind, std::string name) {
  auto& names = names_[static_cast<std::size_t>(kind)];
  names.push_back(std::move(name));
  return static_cast<std::uint32_t>(names.size());
}

const std::string& EventStream::name(ObjectKind kind, std::uint32_t object) const {
  static const std::string none = "none";
  return object == 0 ? none : names_[static_cast<std::size_t>(kind)].at(object - 1);
}

std::uint32_t EventStream::object_count(ObjectKind kind) const {
  return static_cast<std::uint32_t>(names_[static_cast<std::size_t>(kind)].size());
}

}  // namespace fenceline::common
