#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_closed {

namespace {

using Ids = std::vector<std::string>;

constexpr std::uint64_t kWaitersStay = 2;  ///< a flag of event::FenceCreate

/// Two processes that have fence 1 open.
struct Shared : EventScript {
  explicit Shared(std::uint64_t flags = 0) {
    on(kCpu, event::FenceCreate{1, 0, 1, flags});
    open(1).open(2);
  }
  Shared& open(std::uint32_t process) {
    on(kCpu, event::FenceOpen{1, process, 1});
    return *this;
  }
  Shared& close(std::uint32_t process) {
    on(kCpu, event::FenceClose{1, process, 1, false});
    return *this;
  }
  Shared& wait_of(std::uint32_t process, std::uint64_t waiter) {
    on(kUser, event::WaitAdd{1, 5, waiter, 1U, 2, process});
    return *this;
  }
  Shared& let_go(std::uint64_t waiter) {
    on(kUser, event::WaitLetGo{1, 5, waiter, 1U});
    return *this;
  }
};

}  // namespace

TEST_CASE("I30: a wait that is left when its process closes the fence is reported", "[check]") {
  Shared s;
  s.wait_of(1, 1).close(1);
  CHECK(s.broken() == Ids{"I30"});
}

TEST_CASE("I30: a wait that ends with the close is fine and resumes without a signal", "[check]") {
  Shared s;
  s.wait_of(1, 1).let_go(1).close(1).done(1, 5, 1);
  CHECK(s.broken().empty());
  CHECK(s.checked("I30") != 0);
}

TEST_CASE("I30: a wait of another process may stay", "[check]") {
  Shared s;
  s.wait_of(2, 1).close(1);
  CHECK(s.broken().empty());
}

TEST_CASE("I30: a process that has the fence open twice closes it twice", "[check]") {
  Shared s;
  s.open(1).wait_of(1, 1).close(1);
  CHECK(s.broken().empty());
}

TEST_CASE("I30: with the flag a wait stays when its process closes the fence", "[check]") {
  Shared s(kWaitersStay);
  s.wait_of(1, 1).close(1);
  CHECK(s.broken().empty());
}

TEST_CASE("I30: with the flag a wait ends when the fence is destroyed", "[check]") {
  Shared s(kWaitersStay);
  s.wait_of(1, 1).close(1).close(2).on(EventScript::kCpu, event::FenceDestroy{1, 2, 1});
  CHECK(s.broken() == Ids{"I30"});
}

TEST_CASE("I31: a packet of a destroyed fence that the device executes is reported", "[check]") {
  EventScript s;
  s.on(EventScript::kEngine, event::StalePacket{1, 7, true, false, 2});
  CHECK(s.broken() == Ids{"I31"});
  CHECK(s.checkers.violations().front().fence == 2);  // that in the slot now, not the queue
}

TEST_CASE("I31: a packet of a destroyed fence that the device passes over is fine", "[check]") {
  EventScript s;
  s.on(EventScript::kEngine, event::StalePacket{1, 7, false, false, 2});
  CHECK(s.broken().empty());
  CHECK(s.checked("I31") == 1);
}

TEST_CASE("I10: a wait for the highest value calls for 1 less", "[check]") {
  EventScript s;
  s.create().update(1, UINT64_MAX - 1, 1, 0).wait(1, UINT64_MAX, 1).quiescent();
  CHECK(s.broken().empty());
}

}  // namespace fenceline::check::test_closed
