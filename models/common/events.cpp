#include "models/common/events.h"

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
