#include "tb/report/writers/events_csv.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tb/report/writers/csv.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {

/// Text between the time and the numbers, made once for all events.
class Columns {
 public:
  explicit Columns(const Names& names) : names_(names) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const auto kind = static_cast<EventKind>(k);
      kinds_[k] = {"," + csv_field(common::event_name(kind)) + ",", common::object_kind(kind)};
    }
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      for (const std::string& name : names.objects[k]) objects_[k].push_back(csv_field(name) + ",");
    }
  }
  void write(const Event& event, Room& room) const {
    const auto& [name, kind] = kinds_[static_cast<std::size_t>(event.kind)];
    room.text(name);
    object(ObjectKind::kAgent, event.agent, room);
    object(kind, event.object, room);
  }
  /// [bytes] that write() puts at most.
  std::size_t max_bytes() const {
    std::size_t kind = 0, object = sizeof "none,";
    for (const auto& it : kinds_) kind = std::max(kind, it.first.size());
    for (const auto& list : objects_) {
      for (const std::string& it : list) object = std::max(object, it.size());
    }
    return kind + 2 * object;
  }

 private:
  void object(ObjectKind kind, std::uint32_t number, Room& room) const {
    const auto& list = objects_[static_cast<std::size_t>(kind)];
    if (number < list.size()) {
      room.text(list[number]);
    } else {
      room.text(names_.object(kind, number));
      room.put(',');
    }
  }

  const Names& names_;
  std::array<std::pair<std::string, ObjectKind>, static_cast<std::size_t>(EventKind::kCount)>
      kinds_;
  std::array<std::vector<std::string>, static_cast<std::size_t>(ObjectKind::kCount)> objects_;
};

}  // namespace

void write_events_csv(const Recorder& recorder, const Names& names, Output& out) {
  out.text("time_ps,event,agent,object,a,b,c\n");
  const Columns columns(names);
  constexpr std::size_t kNumbers = 4;
  const std::size_t max_bytes = columns.max_bytes() + kNumbers * (Room::kMaxDigits + 1);
  recorder.for_each([&](const Event& event, std::uint64_t) {
    Room room = out.reserve(max_bytes);
    room.number(event.time);
    columns.write(event, room);
    room.number(event.a);
    room.put(',');
    room.number(event.b);
    room.put(',');
    room.number(event.c);
    room.put('\n');
    out.advance(room);
  });
}

}  // namespace fenceline::report
