#include "tb/coverage/space.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/coverage/operations.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/reader.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::coverage {

namespace {

using common::EventKind;
using event::kDescriptions;

constexpr std::array<GroupWords, kGroups> kGroupWords{{
    {"event", "types of events"},
    {"step", "steps of threads"},
    {"command", "commands of queues and contexts"},
    {"driver_call", "calls of the driver"},
    {"switch_value", "values of ordering switches"},
    {"broken", "what a value of a switch may break"},
    {"state", "states of fences and queues"},
    {"event_in_state", "events in each state of their objects"},
    {"pair", "pairs of operations and steps in flight at the same time"},
    {"order", "orders of two agents' events at one object"},
}};

constexpr std::array<const char*, static_cast<std::size_t>(FenceKind::kCount)> kFences{
    "native fence", "monitored fence", "cross-adapter fence"};

bool is_of_fence(EventKind kind) { return common::object_kind(kind) == common::ObjectKind::kFence; }

/// Collects the keys of verbs.
struct Keys {
  std::vector<std::string>& keys;
  template <class Shape, class Codec>
  void verb(const char* key, Codec /*codec*/, const char* /*doc*/) {
    keys.emplace_back(key);
  }
};

template <class Shape>
std::vector<std::string> verbs_of() {
  std::vector<std::string> keys;
  Keys visitor{keys};
  Shape::verbs(visitor);
  return keys;
}

}  // namespace

const GroupWords& words_of(Group group) { return kGroupWords[static_cast<std::size_t>(group)]; }

const Space& Space::all() {
  static const Space space;
  return space;
}

Space::Space() {
  add_words();
  add_switches();
  add_states();
  add_pairs();
  add_orders();
  begins_.back() = static_cast<Point>(names_.size());
}

void Space::start(Group group) {
  begins_[static_cast<std::size_t>(group)] = static_cast<Point>(names_.size());
}

void Space::add(std::string name, std::string first, std::string second) {
  names_.push_back(std::move(name));
  parts_.push_back({std::move(first), std::move(second)});
}

void Space::add_words() {
  start(Group::kEvent);
  for (const event::Description& it : kDescriptions) add(it.words.name);
  start(Group::kStep);
  for (const std::string& verb : verbs_of<scenario::Step>()) add(verb);
  start(Group::kCommand);
  for (const std::string& verb : verbs_of<scenario::Command>()) add(verb);
  start(Group::kDriverCall);
  for (const std::uint8_t number : os::kDdiNumbers) {
    const std::string name = os::ddi_info(static_cast<os::Ddi>(number)).name;
    if (name.rfind("DxgkDdi", 0) != 0) continue;  // calls of the others are not recorded
    driver_calls_.push_back(static_cast<os::Ddi>(number));
    add(name);
  }
}

void Space::add_switches() {
  start(Group::kSwitchValue);
  for (const scenario::SwitchInfo& info : scenario::switch_infos()) {
    switches_.push_back(names_.size() - begin(Group::kSwitchValue));
    for (const auto& value : info.values) add(fmt::format("{}={}", info.name, value.json));
  }
  start(Group::kBroken);
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    for (const auto& value : info.values)
      for (const std::string& finding : value.breaks)
        add(fmt::format("{}={} breaks {}", info.name, value.json, finding));
}

void Space::add_states() {
  const States& states = States::all();
  start(Group::kState);
  for (std::size_t object = 0; object < kFollowed.size(); ++object) {
    states_[object] = names_.size() - begin(Group::kState);
    for (const std::string& name : states.names(object))
      add(fmt::format("{} {}", kFollowedNames[object], name));
  }
  start(Group::kEventInState);
  for (std::size_t object = 0; object < kFollowed.size(); ++object) {
    in_state_[object].resize(kDescriptions.size());
    for (std::size_t kind = 0; kind < kDescriptions.size(); ++kind) {
      const auto& named = states.named(static_cast<EventKind>(kind));
      if (std::none_of(named.begin(), named.end(),
                       [&](const Named& it) { return it.kind == object; }))
        continue;
      in_state_[object][kind] = names_.size() - begin(Group::kEventInState);
      for (const std::string& name : states.names(object)) {
        const std::string state = fmt::format("{} {}", kFollowedNames[object], name);
        const char* const event = kDescriptions[kind].words.name;
        add(fmt::format("{}, {}", event, state), event, state);
      }
    }
  }
}

void Space::add_pairs() {
  operations_.resize(kDescriptions.size());
  for (const EventKind kind : Operations::all().beginnings()) {
    if (kind == common::kKindOf<event::ThreadStep>) continue;  // by its verb
    operations_[index(kind)] = features_.size();
    if (!is_of_fence(kind)) features_.emplace_back(common::event_name(kind));
    if (is_of_fence(kind))
      for (const char* fence : kFences)
        features_.push_back(fmt::format("{} of a {}", common::event_name(kind), fence));
  }
  first_step_ = features_.size();
  for (const std::string& verb : verbs_of<scenario::Step>()) features_.push_back("step " + verb);
  start(Group::kPair);
  for (std::size_t b = 0; b < features_.size(); ++b)
    for (std::size_t a = 0; a <= b; ++a)
      add(fmt::format("{} + {}", features_[a], features_[b]), features_[a], features_[b]);
}

void Space::add_orders() {
  start(Group::kOrder);
  ordered_at_.resize(kDescriptions.size());
  places_.resize(kDescriptions.size());
  for (std::size_t object = 0; object < kFollowed.size(); ++object) {
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < kDescriptions.size(); ++kind) {
      const event::Description& it = kDescriptions[kind];
      if (it.object() != kFollowed[object] || !(it.is(event::kOrdered) || it.is(event::kStory)))
        continue;
      ordered_at_[kind] = object;
      places_[kind] = kinds.size();
      kinds.push_back(kind);
    }
    ordered_[object] = kinds.size();
    for (const std::size_t first : kinds)
      for (const std::size_t second : kinds)
        add_order(object, kDescriptions[first].words.name, kDescriptions[second].words.name);
  }
}

void Space::add_order(std::size_t object, const char* first, const char* second) {
  add(fmt::format("{}: {} before {}", kFollowedNames[object], first, second), first, second);
}

Group Space::group(Point point) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), point);
  return static_cast<Group>(after - begins_.begin() - 1);
}

std::optional<Point> Space::find(Group group, std::string_view name) const {
  const auto first = names_.begin() + begin(group);
  const auto last = names_.begin() + end(group);
  const auto found = std::find(first, last, name);
  if (found == last) return std::nullopt;
  return static_cast<Point>(found - names_.begin());
}

std::optional<Point> Space::driver_call(os::Ddi ddi) const {
  const auto found = std::find(driver_calls_.begin(), driver_calls_.end(), ddi);
  if (found == driver_calls_.end()) return std::nullopt;
  return at(Group::kDriverCall, static_cast<std::size_t>(found - driver_calls_.begin()));
}

Point Space::switch_value(std::size_t number, std::size_t value) const {
  return at(Group::kSwitchValue, switches_[number] + value);
}

std::optional<Point> Space::broken(std::size_t number, std::size_t value,
                                   std::string_view finding) const {
  return find(Group::kBroken,
              fmt::format("{} breaks {}", name(switch_value(number, value)), finding));
}

Point Space::state(std::size_t object, std::size_t state) const {
  return at(Group::kState, states_[object] + state);
}

Point Space::event_in_state(EventKind kind, std::size_t object, std::size_t state) const {
  return at(Group::kEventInState, in_state_[object][index(kind)] + state);
}

std::size_t Space::feature(EventKind beginning, FenceKind fence) const {
  return operations_[index(beginning)] +
         (is_of_fence(beginning) ? static_cast<std::size_t>(fence) : 0);
}

Point Space::pair(std::size_t a, std::size_t b) const {
  const std::size_t low = std::min(a, b);
  const std::size_t high = std::max(a, b);
  return at(Group::kPair, high * (high + 1) / 2 + low);
}

Point Space::order(std::size_t object, EventKind first, EventKind second) const {
  std::size_t offset = 0;
  for (std::size_t before = 0; before < object; ++before)
    offset += ordered_[before] * ordered_[before];
  return at(Group::kOrder,
            offset + places_[index(first)] * ordered_[object] + places_[index(second)]);
}

Point Space::mirror(Point point) const {
  std::size_t number = point - begin(Group::kOrder);
  std::size_t offset = 0;
  std::size_t object = 0;
  while (number - offset >= ordered_[object] * ordered_[object]) {
    offset += ordered_[object] * ordered_[object];
    ++object;
  }
  number -= offset;
  const std::size_t count = ordered_[object];
  return at(Group::kOrder, offset + number % count * count + number / count);
}

}  // namespace fenceline::coverage
