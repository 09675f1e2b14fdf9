// The timer that looks at fences by itself when an interrupt may be lost.
#include <catch2/catch.hpp>

#include "tb/os/driver/ddi_names.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_fallback_timer {

using support::FenceBench;
using Times = std::vector<common::Time>;

namespace {

support::OsMachine::Config with_timer(bool polls = false) {
  support::OsMachine::Config config;
  config.options.ordering.os.fallback_timer = true;
  config.options.adapter.system.fallback_polls_interrupt = polls;
  return config;
}

struct Looks : common::EventSink {
  explicit Looks(support::OsMachine& of)
      : machine(of), bound(of.cpu().core(0).config().fence_fallback) {
    machine.simulation().events.subscribe(*this);
  }
  void on_event(const common::Event& event) override {
    if (!event.is<event::Fallback>()) return;
    released.push_back(event.as<event::Fallback>().released);
    at.push_back((machine.steps().simulated() + bound / 4) / (bound / 2));
  }
  support::OsMachine& machine;
  const common::Time bound;
  Times at;  ///< in halves of the timeout, rounded
  std::vector<std::uint64_t> released;
};

struct Bench : FenceBench {
  explicit Bench(const support::OsMachine::Config& config = with_timer()) : FenceBench(config) {}

  void sleep(std::uint64_t half_timeouts) { machine.sleep(half_timeouts * looks.bound / 2); }

  Looks looks{machine};
};

/// Calls of the driver's interrupt routine by one look of the timer.
std::size_t interrupt_routines(bool polls) {
  Bench bench(with_timer(polls));
  std::size_t count = 0;
  CHECK(bench.run([&] {
    const auto& calls = bench.machine.watch<event::DdiCall>();
    bench.wait_for(bench.add(), 5);
    bench.sleep(3);
    for (const event::DdiCall& call : calls)
      if (call.ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiInterruptRoutine)) ++count;
  }));
  return count;
}

}  // namespace

TEST_CASE("a lost interrupt is made good when the fallback timer expires") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.sleep(1);
    CHECK_FALSE(waiter.satisfied);
    bench.sleep(2);
    CHECK(waiter.satisfied);
    CHECK(bench.looks.released == std::vector<std::uint64_t>{1});
  }));
}

TEST_CASE("the fallback timer waits twice as long after each look in vain and rests at last") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.wait_for(bench.add(), 5);
    bench.sleep(1000);
    CHECK(bench.looks.at == Times{2, 6, 14, 30, 62, 126, 254, 510});
    CHECK(bench.looks.at.size() == FallbackTimer::kMaxVain);
  }));
}

TEST_CASE("the fallback timer that rests begins again with a new waiter") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.sleep(600);
    bench.looks.at.clear();
    bench.wait_for(fence, 6);
    bench.sleep(7);
    CHECK(bench.looks.at == Times{602, 606});
  }));
}

TEST_CASE("a new waiter starts the fallback timer again only after a look in vain") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.sleep(1);
    bench.wait_for(fence, 6);
    bench.sleep(2);  // it has looked once, and would look again after three timeouts
    bench.wait_for(fence, 7);
    bench.sleep(3);
    CHECK(bench.looks.at == Times{2, 5});
  }));
}

TEST_CASE("a release starts the fallback timer again") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 9);
    bench.sleep(1);
    bench.store(*fence, 5);
    CHECK(bench.scan({fence}) == 1);
    bench.sleep(3);
    CHECK(bench.looks.at == Times{3});
  }));
}

TEST_CASE("a look that releases a waiter is not in vain") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 9);
    bench.store(*fence, 5);
    bench.sleep(5);
    CHECK(bench.looks.at == Times{2, 4});
  }));
}

TEST_CASE("the fallback timer does not look when all waits have ended") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    Waiter& waiter = bench.wait_for(fence, 5);
    bench.sleep(1);
    bench.scheduler().cancel(waiter, {{fence, 5}});
    bench.sleep(5);
    CHECK(bench.looks.at.empty());
  }));
}

TEST_CASE("the fallback timer leaves a driver alone that is closed for a reset") {
  support::OsMachine::Config config = with_timer();
  config.options.adapter.system.preemption.enabled = true;
  Bench bench(config);
  CHECK(bench.run([&] {
    bench.wait_for(bench.add(), 5);
    bench.sleep(1);
    bench.machine.adapter().close_driver();
    bench.machine.steps().elapse(bench.looks.bound);
    CHECK(bench.looks.at.empty());
    bench.machine.adapter().open_driver();
    bench.sleep(2);
    CHECK(bench.looks.at.size() == 1);
  }));
}

TEST_CASE("the fallback timer first calls the interrupt routine if a message may be lost") {
  CHECK(interrupt_routines(true) == 1);
}

TEST_CASE("the fallback timer does not call the interrupt routine unless it may") {
  CHECK(interrupt_routines(false) == 0);
}

TEST_CASE("the fallback timer serves waiters that depend on the adapter from elsewhere") {
  Bench bench;
  CHECK(bench.run([&] {
    bool waits = true;
    bench.machine.state().fallback->waited_elsewhere = [&] { return waits; };
    bench.machine.state().fallback->look_elsewhere = [&]() -> std::size_t {
      waits = false;
      return 3;
    };
    bench.scheduler().news().note(false);  // so that it looks at the lists
    bench.sleep(3);
    CHECK(bench.looks.released == std::vector<std::uint64_t>{3});
  }));
}

}  // namespace fenceline::os::test_fallback_timer
