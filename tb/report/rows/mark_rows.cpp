#include "tb/report/rows/mark_rows.h"

#include <string_view>

#include "tb/report/record/shown_events.h"
#include "tb/report/record/timeline_words.h"

namespace fenceline::report {

using common::ObjectKind;

namespace {

/// Value of the first field with that object or name; 0 if the event has none.
std::uint64_t field_of(const common::Event& event, ObjectKind kind, std::string_view name = {}) {
  const event::Description& of = common::description(event.kind);
  for (std::size_t i = 0; i < of.count; ++i) {
    const event::Field& field = of.fields[i];
    if (name.empty() ? field.object == kind : field.name == name)
      return field.place.of(event.record());
  }
  return 0;
}

}  // namespace

void MarkRows::take(const common::Event& event) {
  const EventMark* const mark = event_mark(event.kind);
  if (mark == nullptr) return;
  const std::uint32_t object = object_of(mark->lane, event);
  const std::uint64_t value = mark->value.name.empty() ? 0 : mark->value.place.of(event.record());
  const auto fence = static_cast<std::uint32_t>(field_of(event, ObjectKind::kFence));
  const std::uint64_t time =
      mark->time.name.empty() ? event.time : mark->time.place.of(event.record());
  draft_.mark(InstantKind::kEvent, time,
              {object == 0 ? Lane::kSystem : mark->lane, object, value,
               mark->lane == Lane::kFence ? 0 : fence, 0, 0, event.kind});
}

std::uint32_t MarkRows::object_of(Lane lane, const common::Event& event) {
  const ObjectKind kind = object_of_lane(lane);
  if (const std::uint64_t named = field_of(event, kind); named != 0)
    return static_cast<std::uint32_t>(named);
  if (lane == Lane::kEngine)
    if (const std::uint64_t engine = field_of(event, kind, "engine"); engine != 0)
      return engines_.engine(static_cast<std::uint32_t>(field_of(event, ObjectKind::kAdapter)),
                             engine);
  return of_agent(kind, event.agent);
}

std::uint32_t MarkRows::of_agent(ObjectKind kind, common::AgentId agent) {
  const auto [known, fresh] = agents_.try_emplace({kind, agent});
  if (fresh) known->second = names_.owner(kind, names_.object(ObjectKind::kAgent, agent));
  return known->second;
}

}  // namespace fenceline::report
