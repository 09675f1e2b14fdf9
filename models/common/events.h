#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/events/all.h"
#include "models/common/object_kind.h"

namespace fenceline::common {

/// Index of an agent of `Steps`. 0 is "nobody".
using AgentId = std::uint16_t;

/// Number of an event type (models/common/events).
enum class EventKind : std::uint8_t { kCount = event::All::kCount };

/// Number of the type `E`.
template <class E>
inline constexpr EventKind kKindOf = static_cast<EventKind>(event::index_of<E>());

/// Name, sentence, traits and fields of a kind of event.
inline const event::Description& description(EventKind kind) {
  return event::kDescriptions[static_cast<std::size_t>(kind)];
}
/// All kinds with that trait.
std::vector<EventKind> kinds_that_are(event::Trait trait);

/// One entry of the event stream: 48 bytes, plain data.
struct Event {
  std::uint64_t time;  ///< [ps] of simulated time; while exploring, the logical clock
  EventKind kind;
  AgentId agent;         ///< agent that caused the event
  std::uint32_t object;  ///< object that the event is about
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;

  event::Record record() const { return {object, a, b, c}; }
  /// True for an event of type `E`.
  template <class E>
  bool is() const {
    return kind == kKindOf<E>;
  }
  /// Fields of the event. @pre is<E>().
  template <class E>
  E as() const {
    return event::event_of<E>(record());
  }
};

namespace detail {

template <class E, class = void>
inline constexpr bool kHasTime = false;
template <class E>
inline constexpr bool kHasTime<E, std::void_t<decltype(E::time)>> = true;
template <class E, class = void>
inline constexpr bool kHasAgent = false;
template <class E>
inline constexpr bool kHasAgent<E, std::void_t<decltype(E::agent)>> = true;

}  // namespace detail

/// An event of type `E` with its time and agent.
template <class E>
struct At : E {
  static_assert(!detail::kHasTime<E> && !detail::kHasAgent<E>, "these would hide fields of E");

  std::uint64_t time;  ///< see Event
  AgentId agent;
};
template <class E>
At<E> at(const Event& event) {
  return {event.as<E>(), event.time, event.agent};
}

/// The entry of `event`, which `agent` caused at `time` [ps].
template <class E>
Event entry_of(std::uint64_t time, AgentId agent, const E& event) {
  const event::Record record = event::record_of(event);
  const auto object = static_cast<std::uint32_t>(record[0]);
  return {time, kKindOf<E>, agent, object, record[1], record[2], record[3]};
}

/// Receives events in the order in which they happen. `on_event` must not step or emit.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

/// The only event stream: modules, driver and OS emit to it. Without a subscriber an event costs
/// one branch.
class EventStream {
 public:
  /// Subscribes to the listed kinds, or to all with an empty list. `sink` must outlive the stream.
  void subscribe(EventSink& sink, const std::vector<EventKind>& kinds = {});

  /// True if `kind` has a subscriber. Emitters can skip work that only the event needs.
  bool wants(EventKind kind) const { return !sinks_[static_cast<std::size_t>(kind)].empty(); }
  template <class E>
  bool wants() const {
    return wants(kKindOf<E>);
  }

  /// Emits an event of `agent`.
  template <class E>
  void emit(AgentId agent, const E& event) {
    if (wants<E>()) dispatch(entry_of(now(), agent, event));
  }

  /// Time source of events; set once by `Steps`. @pre not null.
  void set_clock(std::uint64_t (*clock)(const void*), const void* context) {
    now_ = clock;
    clock_context_ = context;
  }
  std::uint64_t now() const { return now_ != nullptr ? now_(clock_context_) : 0; }

  /// Registers an object with a readable name. Returns its number (1, 2, ...).
  std::uint32_t add_object(ObjectKind kind, std::string name);
  /// Name of an object; "none" for 0. @pre the number was returned by add_object.
  const std::string& name(ObjectKind kind, std::uint32_t object) const;
  std::uint32_t object_count(ObjectKind kind) const;

 private:
  void dispatch(const Event& event);

  std::array<std::vector<EventSink*>, static_cast<std::size_t>(EventKind::kCount)> sinks_;
  std::array<std::vector<std::string>, static_cast<std::size_t>(ObjectKind::kCount)> names_;
  std::uint64_t (*now_)(const void*) = nullptr;
  const void* clock_context_ = nullptr;
};

/// Kind of the object that events of `kind` name.
inline ObjectKind object_kind(EventKind kind) { return description(kind).object(); }
/// What a placeholder of the sentence says behind the name of a field: ":hex", "|zero|one|..." or
/// nothing; see event::Words.
std::string_view format_of(const event::Description& of, std::string_view field);
/// The word of that number in "|zero|one|..."; empty if it has none.
std::string_view word_of(std::string_view choices, std::uint64_t number);
/// Stable lower-case name, e.g. "current_value_visible": used in events.csv and in scenarios.
inline const char* event_name(EventKind kind) { return description(kind).words.name; }

}  // namespace fenceline::common
