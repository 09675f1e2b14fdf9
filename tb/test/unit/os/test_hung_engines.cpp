// Hardware contexts: priorities, hung engines, and devices in error for lost contexts.
#include <catch2/catch.hpp>

#include "tb/test/support/hw_bench.h"

namespace fenceline::os::test_hung_engines {

using common::kMicrosecond;
using Bench = support::HwBench;
using support::hw_rules;
using Nodes = std::vector<UINT>;

namespace {

/// The GPU reports a hung engine.
void time_out(Bench& bench, UINT node) {
  bench.machine.dispatched([&] { bench.scheduler.timed_out(bench.machine.adapter(), node); });
}
/// The thread of the scheduler runs beside the test.
void follow_hangs(Bench& bench) {
  bench.machine.add("recovery", [&bench] {
    bench.machine.cpu().stop_thread();
    bench.scheduler.run();
  });
}

}  // namespace

TEST_CASE("the driver of an adapter gets the grace periods of the bands in units of 100 ns") {
  ContextSchedulingOptions options = hw_rules();
  for (std::size_t band = 0; band < 4; ++band) options.band_grace[band] = band * kMicrosecond;
  Bench bench(options);
  CHECK(bench.run([&] {
    bench.scheduler.set_up(bench.machine.adapter());
    REQUIRE(bench.machine.bands.size() == 1);
    for (std::size_t band = 0; band < 4; ++band)
      CHECK(bench.machine.bands[0].GracePeriodForBand[band] == 10 * band);
  }));
}

TEST_CASE("the driver gets no bands and no properties where the OS does not schedule") {
  Bench bench(ContextSchedulingOptions{});
  CHECK(bench.run([&] {
    bench.scheduler.set_up(bench.machine.adapter());
    const auto& queues = bench.machine.watch<event::ScheduledQueue>();
    bench.scheduler.add_queue(bench.context, 1);
    CHECK(bench.machine.bands.empty());
    CHECK(bench.machine.properties.empty());
    CHECK(queues.empty());
    CHECK(bench.other.number == 2);
  }));
}

TEST_CASE("a context keeps its properties if the driver refuses new ones") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.machine.properties.size() == 2);  // of the two contexts
    SchedulingProperties properties;
    properties.band = 3;
    properties.realtime_level = 31;
    properties.priority = -7;
    properties.quantum = kMicrosecond;
    properties.grace_same = 2 * kMicrosecond;
    properties.grace_lower = 3 * kMicrosecond;
    const auto& ranks = bench.machine.watch<event::ContextRank>();
    CHECK(bench.scheduler.set_properties(bench.context, properties) == STATUS_SUCCESS);
    const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES& given = bench.machine.properties.back();
    CHECK(given.hContext == bench.context.driver_handle);
    CHECK(given.PriorityBand == DXGK_SCHEDULING_PRIORITY_BAND_REALTIME);
    CHECK(given.RealtimeBandPriorityLevel == 31);
    CHECK(given.InProcessPriority == -7);
    CHECK(given.Quantum == 10);
    CHECK(given.GracePeriodSamePriority == 20);
    CHECK(given.GracePeriodLowerPriority == 30);
    REQUIRE(ranks.size() == 1);
    CHECK(ranks[0].level == 31);
    CHECK(ranks[0].in_process == 0);
    bench.machine.properties_status = STATUS_UNSUCCESSFUL;
    CHECK(bench.scheduler.set_properties(bench.context, {}) == STATUS_UNSUCCESSFUL);
    CHECK(bench.context.properties.band == 3);
    CHECK(ranks.size() == 1);
  }));
}

TEST_CASE("the realtime level counts in the realtime band only") {
  Bench bench;
  CHECK(bench.run([&] {
    SchedulingProperties properties;
    properties.band = 2;
    properties.realtime_level = 31;
    const auto& ranks = bench.machine.watch<event::ContextRank>();
    bench.scheduler.set_properties(bench.context, properties);
    CHECK(ranks[0].level == 0);
  }));
}

TEST_CASE("an engine that is reset is silent until its lost contexts are given up") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.machine.on_hw_reset = [&] { bench.lose(bench.other); };
    bench.scheduler.on_lost = [&](const HwContext& lost) {
      CHECK(&lost == &bench.other);
      CHECK(bench.machine.hw_engine_resumes.empty());
      bench.lost.push_back(&lost);
    };
    bench.scheduler.reset_engine(bench.machine.adapter(), 1);
    CHECK(bench.machine.hw_engine_resets == Nodes{1});
    CHECK(bench.machine.hw_engine_resumes == Nodes{1});
    CHECK(bench.machine.resets == 0);
    CHECK(bench.lost.size() == 1);
    CHECK(bench.other.lost);
  }));
}

TEST_CASE("the adapter is reset if the reset of its engine fails") {
  Bench bench;
  bench.machine.hw_engine_status = STATUS_UNSUCCESSFUL;
  CHECK(bench.run([&] {
    const Adapter* restarted = nullptr;
    bench.scheduler.on_restarted = [&](const Adapter& adapter) { restarted = &adapter; };
    bench.machine.on_reset = [&] { bench.lose(bench.context); };
    bench.scheduler.reset_engine(bench.machine.adapter(), 1);
    CHECK(bench.machine.resets == 1);
    CHECK(bench.machine.restarts == 1);
    CHECK(bench.machine.hw_engine_resumes.empty());
    CHECK(bench.lost == Bench::Contexts{&bench.context});
    CHECK(restarted == &bench.machine.adapter());
  }));
}

TEST_CASE("an adapter with contexts that the OS feeds is reset with them") {
  Bench bench;
  bench.machine.hw_engine_status = STATUS_UNSUCCESSFUL;
  CHECK(bench.run([&] {
    std::size_t others = 0;
    bench.scheduler.reset_others = [&](Adapter&) {
      ++others;
      bench.lose(bench.context);
    };
    bench.scheduler.reset_engine(bench.machine.adapter(), 1);
    CHECK(others == 1);
    CHECK(bench.machine.resets == 0);
    CHECK(bench.lost == Bench::Contexts{&bench.context});
  }));
}

TEST_CASE("a lost context ends its suspension and is given up once") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.scheduler.suspend(bench.context, false);
    CHECK(bench.lose(bench.context) == STATUS_SUCCESS);
    CHECK(bench.context.lost);
    CHECK_FALSE(bench.context.asking);
    CHECK(bench.context.answered.signaled);
    CHECK(bench.lost.empty());
    bench.scheduler.give_up_lost();
    bench.scheduler.give_up_lost();
    CHECK(bench.lost == Bench::Contexts{&bench.context});
    CHECK(bench.blocked.empty());
    HwContext unknown(bench.machine.steps(), bench.machine.adapter());
    CHECK(bench.lose(unknown) == STATUS_INVALID_PARAMETER);
    CHECK_FALSE(unknown.lost);
  }));
}

TEST_CASE("a process that hangs engines too often is blocked and collateral damage is not") {
  Bench bench(hw_rules(), [](PreemptionOptions& rules) { rules.tdr_limit_count = 2; });
  CHECK(bench.run([&] {
    constexpr UINT kCollateral = DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage;
    for (int i = 0; i < 5; ++i) bench.lose(bench.other, kCollateral);
    bench.scheduler.give_up_lost();
    CHECK(bench.blocked.empty());
    for (int i = 0; i < 5; ++i) bench.lose(bench.context);
    bench.scheduler.give_up_lost();
    CHECK_FALSE(bench.blocked.empty());
    CHECK(bench.blocked[0] == &bench.context);
    CHECK(bench.lost.size() == 10);
  }));
}

TEST_CASE("a hung engine that the GPU reports is reset once") {
  Bench bench;
  follow_hangs(bench);
  bench.run([&] {
    time_out(bench, 1);
    time_out(bench, 1);
    time_out(bench, 0);
    bench.machine.sleep(common::kMillisecond);
    CHECK(bench.machine.hw_engine_resets == Nodes{1, 0});
  });
}

TEST_CASE("a hung engine is left alone where that rule is removed") {
  Bench bench(hw_rules(), [](PreemptionOptions& rules) { rules.resets_hung_engines = false; });
  follow_hangs(bench);
  bench.run([&] {
    time_out(bench, 1);
    bench.machine.sleep(common::kMillisecond);
    CHECK(bench.machine.hw_engine_resets.empty());
  });
}

TEST_CASE("the reset of an adapter covers the reports of all its engines") {
  Bench bench;
  bench.machine.hw_engine_status = STATUS_UNSUCCESSFUL;
  follow_hangs(bench);
  bench.run([&] {
    time_out(bench, 1);
    time_out(bench, 0);
    bench.machine.sleep(common::kMillisecond);
    CHECK(bench.machine.resets == 1);
    CHECK(bench.machine.hw_engine_resets == Nodes{1});
  });
}

}  // namespace fenceline::os::test_hung_engines
