#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/common/event_handlers.h"
#include "tb/check/core/canonical.h"

namespace fenceline::check {

struct Signal;

/// One checker. It takes the events for which it has a method `on(const At<E>&)`. The calls below
/// come after all checkers have taken the event that causes them.
class Checker {
 public:
  Checker() = default;
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// The write of a signal has become visible and is matched to the signal.
  /// @param writer agent of the event that reported the write
  virtual void on_visible(Signal& /*signal*/, common::AgentId /*writer*/) {}
  /// The fence is alive on no adapter any more.
  virtual void on_destroyed(std::uint32_t /*fence*/) {}
  /// The storage of the fence is freed: no later event names it.
  virtual void forget(std::uint32_t /*fence*/) {}

  /// Nothing is left to simulate: judges what should have happened by now.
  virtual void finish_quiescent() {}

  /// Marks the numbers on which the hash of other checkers depends; see Canonical.
  virtual void mark(Canonical& /*hash*/) const {}
  /// Adds the state on which a later verdict depends.
  virtual void add_to(Canonical& /*hash*/) const {}
};

/// All checkers of a run. Each event goes to them in the order in which they were added.
class Roster {
 public:
  /// Subscribes a checker to the events that `T` takes.
  template <class T>
  void add(T& checker) {
    checkers_.push_back(&checker);
    if constexpr (!std::is_same_v<decltype(&T::on_visible), decltype(&Checker::on_visible)>)
      take_visible_.push_back(&checker);
    common::Handlers<T>::each([&](auto event) {
      using E = decltype(event);
      Takers& takers = takers_[static_cast<std::size_t>(common::kKindOf<E>)];
      takers.hand = &hand_to_all<E>;
      takers.all.push_back({&checker, &hand_to<T, E>});
    });
  }
  /// @pre some checker takes the event
  void hand(const common::Event& event) const {
    const Takers& takers = takers_[static_cast<std::size_t>(event.kind)];
    takers.hand(takers.all, event);
  }
  /// Kinds of events that at least one checker takes.
  std::vector<common::EventKind> kinds() const;

  const std::vector<Checker*>& all() const { return checkers_; }
  /// Checkers that override on_visible(). It is called for each signal; the others are skipped.
  const std::vector<Checker*>& take_visible() const { return take_visible_; }

 private:
  struct Taker {
    Checker* checker;
    void (*hand)(Checker&, const void* event);  ///< an At<E>
  };
  /// Takers of one kind of event. The event is decoded once for all of them.
  struct Takers {
    void (*hand)(const std::vector<Taker>&, const common::Event&) = nullptr;
    std::vector<Taker> all;
  };
  template <class E>
  static void hand_to_all(const std::vector<Taker>& takers, const common::Event& event) {
    const common::At<E> typed = common::at<E>(event);
    for (const Taker& taker : takers) taker.hand(*taker.checker, &typed);
  }
  template <class T, class E>
  static void hand_to(Checker& checker, const void* event) {
    static_cast<T&>(checker).on(*static_cast<const common::At<E>*>(event));
  }

  std::vector<Checker*> checkers_;
  std::vector<Checker*> take_visible_;
  std::array<Takers, static_cast<std::size_t>(common::EventKind::kCount)> takers_;
};

}  // namespace fenceline::check
