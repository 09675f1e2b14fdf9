#pragma once

#include <utility>

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

template <std::size_t index, class E>
struct Item {};
template <class Indices, class... E>
struct Items;
template <std::size_t... index, class... E>
struct Items<std::index_sequence<index...>, E...> : Item<index, E>... {};

template <class E, std::size_t index>
constexpr std::size_t find(const Item<index, E>&) {
  return index;
}
template <class... E>
constexpr Items<std::make_index_sequence<sizeof...(E)>, E...> items(List<E...>) {
  return {};
}

}  // namespace detail

/// Every type of event.
using All = detail::Join<ValueEvents, InterruptEvents, WaitEvents, LogEvents, LifetimeEvents,
                         WorkEvents, DriverEvents, PreemptionEvents, SchedulingEvents,
                         DisplayEvents, SubmissionEvents, MemoryEvents>::Type;

/// Number of an event type. Does not compile for a type that is missing in the list of its header.
template <class E>
constexpr std::size_t index_of() {
  return detail::find<E>(detail::items(All{}));
}

/// Descriptions of all types, by number.
extern const std::array<Description, All::kCount> kDescriptions;

}  // namespace fenceline::event
