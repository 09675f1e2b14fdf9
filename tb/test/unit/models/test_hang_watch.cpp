// When a queue of user mode counts as hung.
#include "models/command_processor/scheduling/hang_watch.h"
#include "tb/test/unit/models/test_processor_parts.h"

namespace fenceline::test_command_processor::test_hang_watch {

namespace {

using common::kMicrosecond;

constexpr common::Time kTimeout = 5 * kMicrosecond;

command_processor::CommandProcessorConfig config_with(bool schedules) {
  command_processor::CommandProcessorConfig config = parts_config();
  config.schedules = schedules;
  config.engine_timeout = kTimeout;
  return config;
}

/// The watch runs; the queue came to its node at time 0.
struct Watched : Parts {
  explicit Watched(bool schedules = false) : Parts(config_with(schedules)) { bring(); }

  void run_for(
      common::Time time, const std::function<void()>& body = [] {}) {
    simulation.steps.add_agent("watch", [this] { hang_watch.run(); });
    run(body, common::kernel_time(time));
  }
  bool reported() const { return engine.others == std::vector{abi::Opcode::kTimedOut}; }
};

}  // namespace

TEST_CASE("a queue is asked to leave after the time limit", "[hang_watch]") {
  Watched bench;
  bench.run_for(kTimeout - 1);
  CHECK_FALSE(bench.node.turn.asked);
  sc_core::sc_start(common::kernel_time(2));
  CHECK(bench.node.turn.asked);
  CHECK_FALSE(bench.node.turn.yields);
  CHECK_FALSE(bench.node.turn.timed_out);
}

TEST_CASE("a queue that is asked to leave under a scheduler makes room", "[hang_watch]") {
  Watched bench(true);
  bench.run_for(kTimeout + 1);
  CHECK(bench.node.turn.asked);
  CHECK(bench.node.turn.yields);
}

TEST_CASE("a queue that has not left after the time limit again is reported once", "[hang_watch]") {
  Watched bench;
  bench.run_for(2 * kTimeout - 1);
  CHECK_FALSE(bench.node.turn.timed_out);
  sc_core::sc_start(common::kernel_time(10 * kTimeout));
  CHECK(bench.node.turn.timed_out);
  CHECK(bench.reported());
}

TEST_CASE("a queue that makes progress is not asked to leave", "[hang_watch]") {
  Watched bench;
  bench.run_for(2 * kTimeout, [&] {
    for (int i = 0; i < 4; ++i) {
      bench.simulation.steps.elapse(kTimeout / 2);
      bench.hang_watch.note_progress(bench.user);
    }
  });
  CHECK_FALSE(bench.node.turn.asked);
}

TEST_CASE("a queue that makes progress after the request may stay", "[hang_watch]") {
  Watched bench;
  bench.run_for(kTimeout + 2 * kMicrosecond, [&] {
    bench.simulation.steps.elapse(kTimeout + kMicrosecond);
    REQUIRE(bench.node.turn.asked);
    REQUIRE(bench.node.stop.wanted);
    bench.hang_watch.note_progress(bench.user);
  });
  CHECK_FALSE(bench.node.turn.asked);
  CHECK_FALSE(bench.node.stop.wanted);
  CHECK(bench.node.turn.progress == kTimeout + kMicrosecond);
}

TEST_CASE("a queue that must leave for another one stays asked when it makes progress",
          "[hang_watch]") {
  Watched bench(true);
  bench.run_for(kTimeout + 2 * kMicrosecond, [&] {
    bench.simulation.steps.elapse(kTimeout + kMicrosecond);
    bench.hang_watch.note_progress(bench.user);
  });
  CHECK(bench.node.turn.asked);
  CHECK(bench.node.stop.wanted);
}

TEST_CASE("a queue without a timeout may take as long as it likes", "[hang_watch]") {
  Watched bench;
  bench.user.table[abi::kQueueControl / 8] = abi::kQueueNoTimeout;
  bench.run_for(10 * kTimeout);
  CHECK_FALSE(bench.node.turn.asked);
}

TEST_CASE("a queue without a timeout has a time limit when it is removed", "[hang_watch]") {
  Watched bench;
  bench.user.table[abi::kQueueControl / 8] = abi::kQueueNoTimeout;
  bench.user.removed = true;
  bench.run_for(kTimeout + 1);
  CHECK(bench.node.turn.asked);
}

TEST_CASE("a node without a queue of user mode is not watched", "[hang_watch]") {
  Watched bench;
  bench.node.turn.queue = 0;
  bench.run_for(10 * kTimeout, [&] {
    bench.simulation.steps.elapse(kMicrosecond);
    bench.hang_watch.note_progress(bench.user);
    bench.hang_watch.note_progress(bench.driver);
  });
  CHECK_FALSE(bench.node.turn.asked);
  CHECK(bench.node.turn.progress == 0);
}

TEST_CASE("a queue that timed out goes on after its reset only", "[hang_watch]") {
  Watched bench;
  common::Time went_on = 0;
  bench.run_for(10 * kTimeout, [&] {
    bench.simulation.steps.elapse(3 * kTimeout);
    REQUIRE(bench.node.turn.timed_out);
    bench.hang_watch.note_progress(bench.user);
    went_on = bench.simulation.steps.now();
  });
  CHECK(went_on == 0);
  bench.engines.ask_for_reset(bench.node);
  sc_core::sc_start(common::kernel_time(kMicrosecond));
  CHECK(went_on == 10 * kTimeout);
}

}  // namespace fenceline::test_command_processor::test_hang_watch
