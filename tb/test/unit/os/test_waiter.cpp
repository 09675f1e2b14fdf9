#include <catch2/catch.hpp>
#include <memory>

#include "tb/os/core/cpu.h"
#include "tb/os/objects/waiter.h"

namespace fenceline::os::test_waiter {

TEST_CASE("a waiter that ends leaves the lists of all its fences") {
  WaitList first;
  WaitList second;
  {
    Waiter waiter;
    waiter.enter(first, 5, 5, nullptr);
    waiter.enter(second, 1, 1, nullptr);
    CHECK(first.size() == 1);
    CHECK(second.size() == 1);
  }
  CHECK(first.empty());
  CHECK(second.empty());
}

TEST_CASE("a list that ends leaves its waiters nothing to leave") {
  Waiter waiter;
  {
    WaitList list;
    waiter.enter(list, 5, 5, nullptr);
    CHECK(waiter.is_in(list));
  }
  waiter.leave();
}

TEST_CASE("a list gives its waiters by value and then by age") {
  WaitList list;
  Waiter early;
  Waiter late;
  Waiter low;
  early.enter(list, 5, 5, nullptr);
  late.enter(list, 5, 5, nullptr);
  low.enter(list, 3, 3, nullptr);
  CHECK(list.lowest() == 3);
  CHECK(list.reached(2) == nullptr);
  REQUIRE(list.reached(5) != nullptr);
  CHECK(&list.reached(5)->waiter() == &low);
  low.leave();
  CHECK(&list.reached(5)->waiter() == &early);
}

TEST_CASE("a list finds the waits that came by a handle") {
  WaitList list;
  Waiter one;
  Waiter other;
  const auto mine = std::make_shared<LocalObject>();
  const auto yours = std::make_shared<LocalObject>();
  one.enter(list, 1, 1, yours);
  other.enter(list, 2, 2, mine);
  REQUIRE(list.first_through(mine.get()) != nullptr);
  CHECK(&list.first_through(mine.get())->waiter() == &other);
  other.leave();
  CHECK(list.first_through(mine.get()) == nullptr);
  CHECK(list.first_through(nullptr) != nullptr);
}

TEST_CASE("a wait of a thread ends with its scope and its number is not used again") {
  common::EventStream events;
  common::Steps steps(events);
  KernelEvent event(steps);
  Waits waits;
  WaitList list;
  {
    Waiter& waiter = waits.open(1, event, false);
    const Waits::Scope scope(waits, waiter.number);
    waiter.enter(list, 5, 5, nullptr);
    CHECK(waits.size() == 1);
  }
  CHECK(waits.size() == 0);
  CHECK(list.empty());
  CHECK(waits.open(1, event, false).number == 2);
}

TEST_CASE(
    "a wait with an event stays when its call returns unless that failed or it is satisfied") {
  common::EventStream events;
  common::Steps steps(events);
  KernelEvent event(steps);
  Waits waits;
  Waiter& stays = waits.open(1, event, false);
  CHECK(waits.leave_open(stays, 0) == 0);
  CHECK(waits.size() == 1);
  Waiter& failed = waits.open(1, event, false);
  CHECK(waits.leave_open(failed, -1) == -1);
  Waiter& done = waits.open(1, event, false);
  done.satisfied = true;
  waits.leave_open(done, 0);
  CHECK(waits.size() == 1);
}

TEST_CASE("a scan leaves waits that entered after it began") {
  WaitList list;
  Waiter first;
  Waiter second;
  second.enter(list, 1, 1, nullptr, 8);
  first.enter(list, 2, 2, nullptr, 7);
  REQUIRE(list.reached(5, 7) != nullptr);
  CHECK(&list.reached(5, 7)->waiter() == &first);
  CHECK(list.reached(5, 6) == nullptr);
}

TEST_CASE("the end of a wait says whether it was in time") {
  struct Ends : common::EventSink {
    std::vector<bool> in_time;
    void on_event(const common::Event& event) override {
      in_time.push_back(event.is<event::WaitDone>());
    }
  } ends;
  common::Simulation simulation{common::Ordering()};
  simulation.events.subscribe(ends);
  const Waiter waiter;
  report_wait_end(simulation, waiter, {}, 5, true);
  report_wait_end(simulation, waiter, {}, 5, false);
  CHECK(ends.in_time == std::vector<bool>{true, false});
}

}  // namespace fenceline::os::test_waiter
