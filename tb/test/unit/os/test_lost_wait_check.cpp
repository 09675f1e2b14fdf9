// The check of os.watchdog: a wait whose value is reached in two checks in a row is lost.
#include <catch2/catch.hpp>
#include <set>

#include "tb/os/guard/kernel_address.h"
#include "tb/os/vidsch/lost_wait_check.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_lost_wait_check {

using support::OsMachine;

namespace {

OsMachine::Config with_watchdog(WatchdogRule rule) {
  OsMachine::Config config;
  config.options.ordering.os.watchdog = rule;
  return config;
}

struct Bench {
  explicit Bench(WatchdogRule rule = WatchdogRule::kEveryWait)
      : machine(with_watchdog(rule)), period(machine.cpu().core(0).config().fence_fallback) {
    for (auto& fence : fences) {
      fence = std::make_shared<NativeFence>();
      fence->adapter = &machine.adapter();
      fence->current.address = machine.kernel().system.pages.allocate(kPage);
      fence->current.bytes = kPage;
    }
    waiter.number = 1;
  }

  void store(std::size_t fence, std::uint64_t value) {
    machine.adapter().port().write_memory(to_kernel_address(fences[fence]->current_bus()), value);
  }
  /// Waits for both fences to reach 5, for so many periods.
  void wait(std::size_t periods) {
    const LostWaitCheck::Watch watch(machine.state().lost_wait_check.get(), waiter,
                                     {{fences[0], 5}, {fences[1], 5}});
    machine.sleep(periods * period);
  }
  /// The parameter of the bug check that ends the run; 0: none.
  std::uint64_t stop_of(const std::function<void()>& body) {
    try {
      machine.run_thread(body);
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
      return stop.parameters().first;
    }
    return 0;
  }

  OsMachine machine;
  const common::Time period;
  std::shared_ptr<NativeFence> fences[2];
  Waiter waiter;
};

}  // namespace

TEST_CASE("a wait whose values are reached for two checks stops the machine") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.store(1, 6);
    bench.wait(4);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("a wait that ends after one check is not lost") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.store(1, 5);
    for (int i = 0; i < 3; ++i) bench.wait(1);
  }) == 0);
}

TEST_CASE("a wait whose value is not reached is not lost") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    bench.store(0, 4);
    bench.store(1, 4);
    bench.wait(4);
  }) == 0);
}

TEST_CASE("a wait for all fences is not lost while one has not its value") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.wait(4);
  }) == 0);
}

TEST_CASE("a wait for any fence is lost when one has its value") {
  Bench bench;
  bench.waiter.any = true;
  CHECK(bench.stop_of([&] {
    bench.store(1, 5);
    bench.wait(4);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("a wait for any fence is not lost while none has its value") {
  Bench bench;
  bench.waiter.any = true;
  CHECK(bench.stop_of([&] { bench.wait(4); }) == 0);
}

TEST_CASE("two checks with one between them that finds nothing are not in a row") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    for (int i = 0; i < 3; ++i) {
      bench.store(0, 5);
      bench.machine.sleep(bench.period);
      bench.store(0, 0);
      bench.machine.sleep(bench.period);
    }
  }) == 0);
}

TEST_CASE("a thread that was woken counts unless only sleeping ones do") {
  Bench bench(WatchdogRule::kSleeping);
  bench.waiter.satisfied = true;
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.store(1, 5);
    bench.wait(4);
  }) == 0);
}

TEST_CASE("a thread that sleeps counts by both rules") {
  Bench bench(WatchdogRule::kSleeping);
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.store(1, 5);
    bench.wait(4);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("a thread that was woken and does not run is lost where every wait counts") {
  Bench bench;
  bench.waiter.satisfied = true;
  CHECK(bench.stop_of([&] {
    bench.store(0, 5);
    bench.store(1, 5);
    bench.wait(4);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("the lost-wait check rests after checks without a finding") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep((LostWaitCheck::kMaxVain + 1) * bench.period);
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == 0);
}

TEST_CASE("the lost-wait check still checks before it rests") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep((LostWaitCheck::kMaxVain - 1) * bench.period);
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("the lost-wait check checks again when a wait begins or ends") {
  Bench bench;
  Waiter other;
  other.number = 2;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep((LostWaitCheck::kMaxVain + 2) * bench.period);
    bench.store(0, 5);
    { const LostWaitCheck::Watch passing(bench.machine.state().lost_wait_check.get(), other, {}); }
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("each wait is checked by itself and none where nobody watches") {
  Bench bench;
  Waiter other;
  other.number = 2;
  CHECK(bench.stop_of([&] {
    bench.store(1, 5);
    const LostWaitCheck::Watch unwatched(nullptr, other, {{bench.fences[1], 5}});
    const LostWaitCheck::Watch first(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep(4 * bench.period);
    const LostWaitCheck::Watch second(bench.machine.state().lost_wait_check.get(), other,
                                      {{bench.fences[0], 5}});
    bench.machine.sleep(4 * bench.period);
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("a wait goes on when another one ends") {
  Bench bench;
  Waiter other;
  other.number = 2;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch stays(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    {
      const LostWaitCheck::Watch ends(bench.machine.state().lost_wait_check.get(), other,
                                      {{bench.fences[1], 5}});
    }
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("the last check before the lost-wait check rests counts") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep(LostWaitCheck::kMaxVain * bench.period - bench.period / 2);
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("a check that finds an overdue wait is not in vain") {
  Bench bench;
  CHECK(bench.stop_of([&] {
    const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                     {{bench.fences[0], 5}});
    bench.machine.sleep(bench.period / 2);
    for (std::uint32_t i = 0; i + 2 < LostWaitCheck::kMaxVain; ++i) {
      bench.store(0, 5);
      bench.machine.sleep(bench.period);
      bench.store(0, 0);
      bench.machine.sleep(bench.period);
    }
    bench.store(0, 5);
    bench.machine.sleep(4 * bench.period);
  }) == LostWaitCheck::kLostWait);
}

TEST_CASE("the state of the lost-wait check tells waiting threads and overdue waits apart") {
  Bench bench;
  const LostWaitCheck& check = *bench.machine.state().lost_wait_check;
  std::set<std::uint64_t> states{check.state_hash()};
  CHECK(bench.stop_of([&] {
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
      bench.waiter.thread = thread;
      const LostWaitCheck::Watch watch(bench.machine.state().lost_wait_check.get(), bench.waiter,
                                       {{bench.fences[0], 5}});
      bench.store(0, 0);
      states.insert(check.state_hash());
      bench.store(0, 5);
      bench.machine.sleep(bench.period + bench.period / 2);
      states.insert(check.state_hash());
    }
  }) == 0);
  CHECK(states.size() == 5);
}

}  // namespace fenceline::os::test_lost_wait_check
