// Contexts of hardware queues: suspensions and what ends them.
#include <catch2/catch.hpp>
#include <set>

#include "tb/test/support/hw_bench.h"

namespace fenceline::os::test_hardware_scheduler {

using common::kMillisecond;
using Bench = support::HwBench;
using support::hw_rules;
using Handles = std::vector<HANDLE>;

TEST_CASE("a suspension waits for its acknowledgement") {
  Bench bench;
  common::Time answered = 0;
  bench.machine.add("device", [&] {
    bench.machine.sleep(kMillisecond);
    bench.completed(bench.context, 1);
    answered = bench.machine.steps().simulated();
  });
  CHECK(bench.run([&] {
    CHECK(bench.scheduler.suspend(bench.context, true) == STATUS_PENDING);
    CHECK(bench.machine.steps().simulated() >= answered);
    CHECK(answered != 0);
    CHECK(bench.context.suspended);
    CHECK(bench.context.stopped);
    CHECK_FALSE(bench.context.asking);
    REQUIRE(bench.machine.suspensions.size() == 1);
    CHECK(bench.machine.suspensions[0].ContextSuspendFence == 1);
    CHECK(bench.machine.suspensions[0].hContext == bench.context.driver_handle);
    CHECK(bench.machine.hw_engine_resets.empty());
  }));
}

TEST_CASE("a suspension that is not waited for is under way on return") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.scheduler.suspend(bench.context, false) == STATUS_PENDING);
    CHECK(bench.context.asking);
    CHECK_FALSE(bench.context.suspended);
  }));
}

TEST_CASE("a suspension that the driver refuses is over") {
  Bench bench;
  bench.machine.suspend_status = STATUS_UNSUCCESSFUL;
  CHECK(bench.run([&] {
    CHECK(bench.scheduler.suspend(bench.context, true) == STATUS_UNSUCCESSFUL);
    CHECK_FALSE(bench.context.asking);
  }));
}

TEST_CASE("a suspension ends when a later call finds the context suspended already") {
  Bench bench;
  bench.machine.add("memory", [&] {
    bench.machine.sleep(kMillisecond);
    bench.machine.suspend_status = STATUS_SUCCESS;
    bench.scheduler.hold(bench.context);
  });
  CHECK(bench.run([&] {
    const common::Time before = bench.machine.steps().simulated();
    bench.scheduler.suspend(bench.context, true);
    CHECK(bench.machine.steps().simulated() - before < bench.rules.tdr_delay);
    CHECK(bench.machine.hw_engine_resets.empty());
  }));
}

TEST_CASE("an acknowledgement may come before the driver call returns") {
  Bench bench;
  bench.machine.on_suspend = [&] { bench.completed(bench.context, 1); };
  CHECK(bench.run([&] {
    CHECK(bench.scheduler.suspend(bench.context, true) == STATUS_PENDING);
    CHECK(bench.context.suspended);
  }));
}

TEST_CASE("an engine that does not leave a context is reset") {
  Bench bench;
  bench.machine.on_hw_reset = [&] { bench.lose(bench.context); };
  CHECK(bench.run([&] {
    const common::Time before = bench.machine.steps().simulated();
    bench.scheduler.suspend(bench.context, true);
    CHECK(bench.machine.steps().simulated() - before >= bench.rules.tdr_delay);
    CHECK(bench.machine.hw_engine_resets == std::vector<UINT>{bench.context.node});
    CHECK(bench.lost == Bench::Contexts{&bench.context});
  }));
}

TEST_CASE("an adapter is reset if a reset of its engine does not end a suspension") {
  Bench bench;
  bench.machine.on_reset = [&] { bench.lose(bench.context); };
  CHECK(bench.run([&] {
    const common::Time before = bench.machine.steps().simulated();
    bench.scheduler.suspend(bench.context, true);
    CHECK(bench.machine.steps().simulated() - before >= 2 * bench.rules.tdr_delay);
    CHECK(bench.machine.hw_engine_resets == std::vector<UINT>{bench.context.node});
    CHECK(bench.machine.resets == 1);
    CHECK(bench.lost == Bench::Contexts{&bench.context});
  }));
}

TEST_CASE("resets of the adapter that do not end a suspension stop the machine") {
  Bench bench;
  bench.run([&] {
    try {
      bench.scheduler.suspend(bench.context, true);
      FAIL("it goes on");
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_TDR_FAILURE);
      CHECK(stop.parameters().first == bench.rules.tdr_limit_count + 1ULL);
      CHECK(bench.machine.resets == bench.rules.tdr_limit_count);
    }
  });
}

TEST_CASE("an engine is not reset where timeouts are not detected") {
  Bench bench(hw_rules(), [](PreemptionOptions& rules) { rules.detects_timeouts = false; });
  bench.machine.add("device", [&] {
    bench.machine.sleep(2 * bench.rules.tdr_delay);
    bench.completed(bench.context, 1);
  });
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, true);
    CHECK(bench.machine.hw_engine_resets.empty());
  }));
}

TEST_CASE("a lost context is not suspended and not resumed") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.context.lost = true;
    CHECK(bench.scheduler.suspend(bench.context, true) == STATUS_SUCCESS);
    bench.scheduler.resume(bench.context);
    bench.scheduler.hold(bench.context);
    bench.scheduler.release(bench.context);
    CHECK(bench.machine.suspensions.empty());
    CHECK(bench.machine.resumed.empty());
  }));
}

TEST_CASE("a context runs again when neither a thread nor a move of memory stops it") {
  Bench bench;
  bench.machine.on_suspend = [&] { bench.completed(bench.context, bench.context.fence); };
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, true);
    bench.scheduler.hold(bench.context);
    CHECK(bench.context.held);
    bench.scheduler.resume(bench.context);
    CHECK_FALSE(bench.context.stopped);
    CHECK(bench.machine.resumed.empty());
    bench.scheduler.release(bench.context);
    CHECK(bench.machine.resumed == Handles{bench.context.driver_handle});
    CHECK_FALSE(bench.context.suspended);
    bench.scheduler.hold(bench.context);
    bench.scheduler.suspend(bench.context, true);
    bench.scheduler.release(bench.context);
    CHECK(bench.machine.resumed.size() == 1);
    bench.scheduler.resume(bench.context);
    CHECK(bench.machine.resumed.size() == 2);
  }));
}

TEST_CASE("a resume ends a suspension that is under way") {
  Bench bench;
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond);
    bench.scheduler.resume(bench.context);
  });
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, true);
    CHECK(bench.machine.resumed.size() == 1);
    CHECK_FALSE(bench.context.suspended);
    CHECK(bench.machine.hw_engine_resets.empty());
  }));
}

TEST_CASE("a resume comes to the driver only after the suspension before it") {
  Bench bench;
  std::size_t resumed = 0;
  bench.machine.on_suspend = [&] {
    bench.machine.sleep(kMillisecond);
    resumed = bench.machine.resumed.size();
  };
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond / 2);
    bench.scheduler.resume(bench.context);
  });
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, true);
    CHECK(resumed == 0);
    CHECK(bench.machine.resumed.size() == 1);
    CHECK_FALSE(bench.context.stopped);
  }));
}

TEST_CASE("only the acknowledgement with the last fence counts") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, false);
    bench.scheduler.suspend(bench.context, false);
    bench.completed(bench.context, 1);
    CHECK(bench.context.asking);
    bench.completed(bench.context, 2);
    CHECK(bench.context.suspended);
    bench.scheduler.resume(bench.context);
    bench.completed(bench.context, 2);  // too late
    CHECK_FALSE(bench.context.suspended);
  }));
}

TEST_CASE("an old acknowledgement counts where that rule is removed") {
  ContextSchedulingOptions options = hw_rules();
  options.checks_fence = false;
  Bench bench(options);
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, false);
    bench.scheduler.suspend(bench.context, false);
    bench.completed(bench.context, 1);
    CHECK(bench.context.suspended);
  }));
}

TEST_CASE("an acknowledgement that nobody asked for stops the machine") {
  Bench bench;
  bench.run([&] {
    bench.scheduler.suspend(bench.context, false);
    constexpr std::uint64_t kStop = fenceline::wddm::kSchedulerSuspendFenceNotIssued;
    CHECK(support::stop_of([&] { bench.completed(bench.context, 2); }) == kStop);
    HwContext unknown(bench.machine.steps(), bench.machine.adapter());
    CHECK(support::stop_of([&] { bench.completed(unknown, 0); }) == kStop);
  });
}

TEST_CASE("a device in error has its contexts suspended for good and nobody waits") {
  Bench bench(true);
  CHECK(bench.run([&] {
    bench.scheduler.end(&bench.other);  // another process
    CHECK(bench.machine.suspensions.size() == 1);
    CHECK_FALSE(bench.context.ended);
    bench.scheduler.end(&bench);
    CHECK(bench.context.ended);
    CHECK(bench.machine.suspensions.size() == 2);
    bench.completed(bench.context, 2);
    bench.scheduler.resume(bench.context);
    bench.context.held = true;
    bench.scheduler.release(bench.context);
    CHECK(bench.machine.resumed.empty());
    bench.scheduler.end(&bench);  // once
    CHECK(bench.machine.suspensions.size() == 2);
  }));
}

TEST_CASE("a context that is suspended already is not asked again when its device fails") {
  Bench bench(true);
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, false);
    bench.completed(bench.context, 1);
    bench.scheduler.end(&bench);
    CHECK(bench.context.ended);
    CHECK(bench.machine.suspensions.size() == 1);
    bench.scheduler.suspend(bench.other, false);
    bench.scheduler.end(&bench.other);
    CHECK(bench.machine.suspensions.size() == 2);
  }));
}

TEST_CASE("a device in error suspends its contexts after calls that are under way") {
  Bench bench(true);
  std::vector<UINT64> returned;
  bench.machine.on_suspend = [&] {
    const UINT64 fence = bench.machine.suspensions.back().ContextSuspendFence;
    bench.machine.sleep(kMillisecond);
    returned.push_back(fence);
    bench.machine.suspend_status = STATUS_SUCCESS;
  };
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond / 2);
    bench.scheduler.end(&bench);
    CHECK(returned == std::vector<UINT64>{1, 2});
  });
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.other, false);
    CHECK(returned == std::vector<UINT64>{1});
    CHECK(bench.machine.suspensions.size() == 1);
  }));
}

TEST_CASE("a device in error whose GPU does not schedule keeps its contexts") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.scheduler.end(&bench);
    CHECK_FALSE(bench.context.ended);
    CHECK(bench.machine.suspensions.empty());
  }));
}

TEST_CASE("after a reset only suspensions for good that are under way are asked for again") {
  Bench bench(true);
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.other, false);
    bench.scheduler.end(&bench);
    bench.scheduler.ask_again(bench.machine.adapter());
    REQUIRE(bench.machine.suspensions.size() == 3);
    CHECK(bench.machine.suspensions[2].hContext == bench.context.driver_handle);
    CHECK(bench.machine.suspensions[2].ContextSuspendFence == 3);
    bench.completed(bench.context, 3);
    bench.scheduler.ask_again(bench.machine.adapter());
    CHECK(bench.machine.suspensions.size() == 3);
    bench.context.asking = bench.context.lost = true;
    bench.scheduler.ask_again(bench.machine.adapter());
    CHECK(bench.machine.suspensions.size() == 3);
  }));
}

TEST_CASE("after a reset suspensions are asked for again after calls that are under way") {
  Bench bench(true);
  std::size_t calls = 0;
  CHECK(bench.run([&] {
    bench.scheduler.end(&bench);
    bench.machine.on_suspend = [&] {
      bench.machine.sleep(kMillisecond);
      calls = bench.machine.suspensions.size();
    };
    bench.machine.add("other", [&] { bench.scheduler.ask_again(bench.machine.adapter()); });
    bench.scheduler.suspend(bench.other, false);
    CHECK(calls == 2);
  }));
}

TEST_CASE("the state of the hardware scheduler tells stages of contexts apart") {
  Bench bench;
  CHECK(bench.run([&] {
    std::set<std::uint64_t> states{bench.scheduler.state_hash()};
    HwContext& context = bench.context;
    for (bool* stage : {&context.stopped, &context.held, &context.asking, &context.suspended,
                        &context.lost, &context.ended}) {
      *stage = true;
      states.insert(bench.scheduler.state_hash());
      *stage = false;
    }
    bench.machine.dispatched([&] { bench.scheduler.timed_out(bench.machine.adapter(), 0); });
    states.insert(bench.scheduler.state_hash());
    CHECK(states.size() == 8);
  }));
}

}  // namespace fenceline::os::test_hardware_scheduler
