// Resets of adapters and engines, and their limits.
#include <catch2/catch.hpp>

#include "tb/os/driver/adapter_resets.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_adapter_resets {

using common::kMillisecond;
using support::OsMachine;

namespace {

PreemptionOptions limits() {
  PreemptionOptions options;
  options.tdr_limit_count = 2;
  options.tdr_limit_time = 10 * kMillisecond;
  return options;
}

struct Bench {
  explicit Bench(const PreemptionOptions& options = limits()) : resets(machine.cpu(), options) {}

  /// First parameter of the bug check of a reset; none if it works.
  std::optional<StopParameters> stop_of_reset() {
    try {
      resets.reset(machine.adapter());
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_TDR_FAILURE);
      return stop.parameters();
    }
    return std::nullopt;
  }

  OsMachine machine;
  AdapterResets resets;
};

}  // namespace

TEST_CASE("a reset and a restart call the driver and leave it open") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    CHECK_FALSE(bench.stop_of_reset());
    CHECK(bench.machine.resets == 1);
    CHECK(bench.machine.restarts == 0);
    AdapterResets::restart(bench.machine.adapter());
    CHECK(bench.machine.restarts == 1);
    CHECK_FALSE(bench.machine.adapter().driver_closed());
  }));
}

TEST_CASE("a reset that fails stops the machine") {
  Bench bench;
  bench.machine.reset_status = STATUS_UNSUCCESSFUL;
  bench.machine.run_thread([&] {
    const auto stop = bench.stop_of_reset();
    REQUIRE(stop);
    CHECK(stop->first == 0);
    CHECK(stop->third == static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
  });
}

TEST_CASE("more resets than TdrLimitCount within TdrLimitTime stop the machine") {
  Bench bench;
  bench.machine.run_thread([&] {
    CHECK_FALSE(bench.stop_of_reset());
    bench.machine.steps().elapse(4 * kMillisecond);
    CHECK_FALSE(bench.stop_of_reset());
    bench.machine.steps().elapse(4 * kMillisecond);
    const auto stop = bench.stop_of_reset();
    REQUIRE(stop);
    CHECK(stop->first == 3);
    CHECK(bench.machine.resets == 2);
  });
}

TEST_CASE("resets of long ago do not count") {
  Bench bench;
  bench.machine.run_thread([&] {
    for (int i = 0; i < 4; ++i) {
      CHECK_FALSE(bench.stop_of_reset());
      bench.machine.steps().elapse(6 * kMillisecond);
    }
  });
}

TEST_CASE("a process may reset engines one time less than TdrLimitCount") {
  Bench bench;
  int first = 0;
  int second = 0;
  bench.machine.run_thread([&] {
    CHECK_FALSE(bench.resets.blocks(&first));
    CHECK_FALSE(bench.resets.blocks(&second));
    CHECK(bench.resets.blocks(&first));
    CHECK_FALSE(bench.stop_of_reset());  // they do not count with those of adapters
    CHECK_FALSE(bench.stop_of_reset());
    bench.machine.steps().elapse(11 * kMillisecond);
    CHECK_FALSE(bench.resets.blocks(&second));
  });
}

TEST_CASE("no process is blocked where that rule is removed") {
  PreemptionOptions options = limits();
  options.blocks_processes = false;
  Bench bench(options);
  int process = 0;
  bench.machine.run_thread([&] {
    for (int i = 0; i < 5; ++i) CHECK_FALSE(bench.resets.blocks(&process));
  });
}

}  // namespace fenceline::os::test_adapter_resets
