#pragma once

#include "models/common/events/display.h"
#include "models/common/events/driver.h"
#include "models/common/events/interrupts.h"
#include "models/common/events/lifetime.h"
#include "models/common/events/logs.h"
#include "models/common/events/memory.h"
#include "models/common/events/preemption.h"
#include "models/common/events/scheduling.h"
#include "models/common/events/submission.h"
#include "models/common/events/values.h"
#include "models/common/events/waits.h"
#include "models/common/events/work.h"

namespace fenceline::event {

namespace detail {

template <class... Lists>
struct Join;
template <class... A>
struct Join<List<A...>> {
  using Type = List<A...>;
};
template <class... A, class... B, class... Rest>
struct Join<List<A...>, List<B...>, Rest...> : Join<List<A..., B...>, Rest...> {};

template <class E, class... All>
constexpr std::size_t index_in(List<All...>) {
  std::size_t index = 0;
  const bool found = ((std::is_same_v<E, All> ? true : (++index, false)) || ...);
  return found ? index : sizeof...(All);
}

template <class... All>
constexpr std::array<Description, sizeof...(All)> describe_all(List<All...>) {
  return {description_of<All>()...};
}

}  // namespace detail

/// Every type of event.
using All = detail::Join<ValueEvents, InterruptEvents, WaitEvents, LogEvents, LifetimeEvents,
                         WorkEvents, DriverEvents, PreemptionEvents, SchedulingEvents,
                         DisplayEvents, SubmissionEvents, MemoryEvents>::Type;

/// Number of an event type. @pre it is in the list of its header.
template <class E>
constexpr std::size_t index_of() {
  constexpr std::size_t index = detail::index_in<E>(All{});
  static_assert(index < All::kCount, "the list at the end of its header does not name this type");
  return index;
}

/// Of every type, by number.
inline constexpr auto kDescriptions = detail::describe_all(All{});

}  // namespace fenceline::event
