// The counter of waiters that a signal reads without the lock, and the barriers around it.
#include <catch2/catch.hpp>
#include <utility>

#include "tb/os/vidsch/registration_count.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_registration_count {

using support::OsMachine;

namespace {

OsOrdering lockless(StoreBarrier barrier = StoreBarrier::kBoth) {
  OsOrdering ordering;
  ordering.lockless_signal = true;
  ordering.store_barrier = barrier;
  return ordering;
}

/// Whether each side has a barrier, which takes time: the waiter, then the signaller.
using Sides = std::pair<bool, bool>;
Sides barriers(OsMachine& machine, const OsOrdering& ordering) {
  RegistrationCount count(machine.adapter(), ordering);
  const auto takes_time = [&](StoreBarrier side) {
    const common::Time before = machine.steps().simulated();
    count.barrier(side);
    return machine.steps().simulated() != before;
  };
  const bool waiter = takes_time(StoreBarrier::kWaiter);
  return {waiter, takes_time(StoreBarrier::kSignaller)};
}

}  // namespace

TEST_CASE("there is no counter of waiters where signals take the lock") {
  OsMachine machine;
  CHECK_FALSE(RegistrationCount(machine.adapter(), {}).used());
  CHECK(RegistrationCount(machine.adapter(), lockless()).used());
}

TEST_CASE("the counter says whether there are waiters") {
  OsMachine machine;
  RegistrationCount count(machine.adapter(), lockless());
  CHECK(machine.run_thread([&] {
    CHECK_FALSE(count.any());
    count.store(2);
    CHECK(count.any());
    count.store(1);
    CHECK(count.any());
    count.store(0);
    CHECK_FALSE(count.any());
  }));
}

TEST_CASE("the counter is stored only if it has changed") {
  OsMachine machine;
  RegistrationCount count(machine.adapter(), lockless());
  CHECK(machine.run_thread([&] {
    const auto time_of = [&](std::uint64_t value) {
      const common::Time before = machine.steps().simulated();
      count.store(value);
      return machine.steps().simulated() - before;
    };
    CHECK(time_of(0) == 0);
    CHECK(time_of(1) > 0);
    CHECK(time_of(1) == 0);
    CHECK(time_of(2) > 0);
  }));
}

TEST_CASE("the sides that the switch names have a barrier between store and load") {
  OsMachine machine;
  CHECK(machine.run_thread([&] {
    CHECK(barriers(machine, lockless(StoreBarrier::kBoth)) == Sides{true, true});
    CHECK(barriers(machine, lockless(StoreBarrier::kWaiter)) == Sides{true, false});
    CHECK(barriers(machine, lockless(StoreBarrier::kSignaller)) == Sides{false, true});
    CHECK(barriers(machine, lockless(StoreBarrier::kNone)) == Sides{false, false});
  }));
}

TEST_CASE("there is no barrier without the counter of waiters") {
  OsMachine machine;
  CHECK(machine.run_thread([&] { CHECK(barriers(machine, {}) == Sides{false, false}); }));
}

}  // namespace fenceline::os::test_registration_count
