#pragma once

#include <array>
#include <utility>
#include <vector>

#include "models/common/events.h"

namespace fenceline::common {

namespace detail {

template <class T, class E, class = void>
inline constexpr bool kTakes = false;
template <class T, class E>
inline constexpr bool
    kTakes<T, E, std::void_t<decltype(std::declval<T&>().on(std::declval<const At<E>&>()))>> = true;

}  // namespace detail

/// Passes events to the methods `on(const At<E>&)` of `T`. A class takes events of type `E` if it
/// has such a method; there is no separate list.
template <class T>
class Handlers {
 public:
  /// The kinds that `T` takes.
  static std::vector<EventKind> kinds() {
    std::vector<EventKind> kinds;
    for (std::size_t kind = 0; kind < kTable.size(); ++kind)
      if (kTable[kind] != nullptr) kinds.push_back(static_cast<EventKind>(kind));
    return kinds;
  }
  /// Calls `visit` with an event of each type that `T` takes.
  template <class Visit>
  static void each(Visit visit) {
    each_of(visit, event::All{});
  }
  /// Does nothing if `T` does not take the event.
  static void hand(T& to, const Event& event) {
    if (const Hand hand = kTable[static_cast<std::size_t>(event.kind)]) hand(to, event);
  }

 private:
  using Hand = void (*)(T&, const Event&);

  template <class E>
  static constexpr Hand hand_of() {
    if constexpr (detail::kTakes<T, E>)
      return [](T& to, const Event& event) { to.on(at<E>(event)); };
    else
      return nullptr;
  }
  template <class Visit, class... E>
  static void each_of(Visit& visit, event::List<E...> /*all*/) {
    (
        [&] {
          if constexpr (detail::kTakes<T, E>) visit(E{});
        }(),
        ...);
  }
  template <class... E>
  static constexpr std::array<Hand, sizeof...(E)> table(event::List<E...>) {
    return {hand_of<E>()...};
  }

  static constexpr std::array<Hand, event::All::kCount> kTable = table(event::All{});
};

}  // namespace fenceline::common
