// The points of functional coverage, derived from declarations.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tb/coverage/operations.h"
#include "tb/coverage/space.h"
#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::coverage::test_space {

namespace {

template <class E>
common::Event entry(const E& event) {
  return common::entry_of(1, 1, event);
}

}  // namespace

TEST_CASE("each declared word is one point", "[coverage]") {
  const Space& space = Space::all();
  CHECK(space.find(Group::kEvent, "signal_begin") ==
        space.event(common::kKindOf<event::SignalBegin>));
  CHECK(space.end(Group::kEvent) - space.begin(Group::kEvent) == event::All::kCount);
  CHECK(space.find(Group::kStep, "destroy_fence"));
  CHECK(space.find(Group::kCommand, "copy"));
  CHECK(space.find(Group::kDriverCall, "DxgkDdiPreemptCommand") ==
        space.driver_call(fenceline::os::Ddi::DxgkDdiPreemptCommand));
  CHECK_FALSE(space.driver_call(fenceline::os::Ddi::DxgkCbNotifyInterrupt));
  CHECK_FALSE(space.find(Group::kCommand, "destroy_fence"));
}

TEST_CASE("each value of each switch is a point", "[coverage]") {
  const Space& space = Space::all();
  std::size_t number = 0;
  for (const auto& info : fenceline::scenario::switch_infos()) {
    for (std::size_t i = 0; i < info.values.size(); ++i)
      CHECK(space.find(Group::kSwitchValue, info.name + "=" + info.values[i].json) ==
            space.switch_value(number, i));
    ++number;
  }
}

TEST_CASE("states come from the names of events and from the words of their fields", "[coverage]") {
  const Space& space = Space::all();
  CHECK(space.find(Group::kState, "fence fence_destroy"));
  CHECK(space.find(Group::kState, "queue parked"));
  CHECK_FALSE(space.find(Group::kState, "queue queue_state"));
  const auto parked =
      States::all().after(entry(event::QueueState{1, event::QueueStateKind::kParked}));
  REQUIRE(parked);
  CHECK(space.find(Group::kState, "queue parked") == space.state(1, *parked));
  CHECK_FALSE(States::all().after(entry(event::Decision{1, 1, 1, true})));
}

TEST_CASE("an event is crossed with the states of the objects that its fields name", "[coverage]") {
  const Space& space = Space::all();
  CHECK(space.find(Group::kEventInState, "signal_begin, fence wait_add"));
  CHECK(space.find(Group::kEventInState, "signal_begin, queue parked"));
  CHECK_FALSE(space.find(Group::kEventInState, "ddi_call, fence wait_add"));
}

TEST_CASE("a pair is one point in both directions", "[coverage]") {
  const Space& space = Space::all();
  const std::size_t count = space.features().size();
  std::set<Point> points;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      CHECK(space.pair(a, b) == space.pair(b, a));
      points.insert(space.pair(a, b));
    }
  CHECK(points.size() == count * (count + 1) / 2);
  CHECK(*points.begin() == space.begin(Group::kPair));
  CHECK(*points.rbegin() + 1 == space.end(Group::kPair));
}

TEST_CASE("the mirror of an order names the two events the other way round", "[coverage]") {
  const Space& space = Space::all();
  const auto first = common::kKindOf<event::DpcBegin>;
  const auto second = common::kKindOf<event::IsrEnd>;
  CHECK(space.ordered_at(first) == 2);
  CHECK_FALSE(space.ordered_at(common::kKindOf<event::PcieTransfer>));
  const Point order = space.order(2, first, second);
  CHECK(space.name(order) == "adapter: dpc_begin before isr_end");
  CHECK(space.name(space.mirror(order)) == "adapter: isr_end before dpc_begin");
  CHECK(space.mirror(space.mirror(order)) == order);
}

TEST_CASE("the ends of an operation belong to its beginning by a serial", "[coverage]") {
  const Operations& operations = Operations::all();
  const common::Event add = entry(event::WaitAdd{1, 5, 7, event::ThreadId{1}, 0, 1});
  CHECK(operations.begins(add.kind));
  const common::Event done = entry(event::WaitDone{2, 6, 7, event::ThreadId{1}});
  CHECK_FALSE(operations.begins(done.kind));
  CHECK(operations.of(done.kind) == add.kind);
  CHECK(operations.number(add) == operations.number(done));
  CHECK(operations.number(add) !=
        operations.number(entry(event::WaitTimeout{1, 5, 8, event::ThreadId{1}})));
}

TEST_CASE("without a serial the ends belong by the fields that all of them have", "[coverage]") {
  const Operations& operations = Operations::all();
  const common::Event begin = entry(event::BufferBegin{1, 4, 99, 2});
  CHECK(operations.number(begin) == operations.number(entry(event::BufferStopped{1, 4, 50, 2})));
  CHECK(operations.number(begin) == operations.number(entry(event::BufferEnd{1, 4, 2})));
  CHECK(operations.number(begin) != operations.number(entry(event::BufferEnd{1, 4, 3})));
  CHECK_FALSE(operations.of(common::kKindOf<event::Decision>));
}

}  // namespace fenceline::coverage::test_space
