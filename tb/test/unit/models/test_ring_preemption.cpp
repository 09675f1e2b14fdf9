// Where a preemption or a reset stops a node, and what is left then.
#include "models/abi/preemption.h"
#include "models/command_processor/scheduling/ring_preemption.h"
#include "tb/test/unit/models/test_processor_parts.h"

namespace fenceline::test_command_processor::test_ring_preemption {

namespace {

using Stops = command_processor::CommandProcessorConfig::Stops;

command_processor::CommandProcessorConfig config_with(Stops stops) {
  command_processor::CommandProcessorConfig config = parts_config();
  config.stops = {stops};
  return config;
}

/// A buffer of a context runs in the driver's own ring.
struct Running : Parts {
  explicit Running(Stops stops = {true, true}) : Parts(config_with(stops)) {
    driver.in_buffer = true;
    driver.context = kContext;
    driver.submission = 4;
    driver.ring.end = 64;
  }
  void preempt() { registers.write(abi::kPreempt, 7); }
};

}  // namespace

TEST_CASE("a preemption covers the buffers up to the end of the ring", "[preemption]") {
  Running bench;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
  bench.run([&] { bench.preempt(); });
  CHECK(bench.node.preemption == 7);
  CHECK(bench.node.preempted == 64);
  CHECK(bench.node.stop.wanted);
}

TEST_CASE("a preemption of a node without a ring of the driver does nothing", "[preemption]") {
  Running bench;
  bench.shared.queues.detach(bench.driver);
  bench.run([&] { bench.preempt(); });
  CHECK(bench.node.preemption == 0);
  CHECK_FALSE(bench.node.stop.wanted);
}

TEST_CASE("a preemption stops a buffer of a context between packets", "[preemption]") {
  Running bench;
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.driver));
  bench.node.preemption = 7;
  CHECK(bench.preemption.stops_here(bench.node, bench.driver));
  bench.driver.context = 0;
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.driver));
  bench.driver.context = Parts::kContext;
  bench.driver.in_buffer = false;
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.driver));
}

TEST_CASE("a node that stops only within packets stops a packet that was stopped", "[preemption]") {
  Running bench({true, false});
  bench.node.preemption = 7;
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.driver));
  bench.driver.in_packet = true;
  CHECK(bench.preemption.stops_here(bench.node, bench.driver));
}

TEST_CASE("a reset stops the ring of the driver anywhere", "[preemption]") {
  Running bench({false, false});
  bench.driver.in_buffer = false;
  bench.node.stop.reset = true;
  CHECK(bench.preemption.stops_here(bench.node, bench.driver));
  CHECK(bench.preemption.has_request(bench.node));
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.user));
  bench.bring();
  CHECK(bench.preemption.stops_here(bench.node, bench.user));
}

TEST_CASE("a queue of user mode that must leave stops between packets", "[preemption]") {
  Running bench;
  bench.bring();
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.user));
  bench.node.turn.yields = true;
  CHECK(bench.preemption.stops_here(bench.node, bench.user));
}

TEST_CASE("a queue of user mode stops within a packet where it cannot between them",
          "[preemption]") {
  Running bench({true, false});
  bench.bring();
  bench.node.turn.yields = true;
  CHECK_FALSE(bench.preemption.stops_here(bench.node, bench.user));
  bench.user.in_packet = true;
  CHECK(bench.preemption.stops_here(bench.node, bench.user));
}

TEST_CASE("a preemption is reported at once when its buffers are over", "[preemption]") {
  Running bench({false, false});
  bench.node.preemption = 7;
  bench.node.preempted = 64;
  bench.driver.ring.position = 63;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
  bench.driver.ring.position = 64;
  CHECK(bench.preemption.has_request(bench.node));
}

TEST_CASE("a node that stops between buffers has a request only there", "[preemption]") {
  Running bench({true, false});
  bench.node.preemption = 7;
  bench.node.preempted = 64;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
  bench.driver.in_buffer = false;
  CHECK(bench.preemption.has_request(bench.node));
}

TEST_CASE("a node that stops nowhere between has a request when a packet was stopped",
          "[preemption]") {
  Running bench({false, false});
  bench.node.preemption = 7;
  bench.node.preempted = 64;
  bench.driver.in_packet = true;
  CHECK(bench.preemption.has_request(bench.node));
  bench.driver.context = 0;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
}

TEST_CASE("a buffer without a context is not preempted", "[preemption]") {
  Running bench;
  bench.node.preemption = 7;
  bench.node.preempted = 64;
  CHECK(bench.preemption.has_request(bench.node));
  bench.driver.context = 0;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
  bench.driver.parked = true;
  CHECK_FALSE(bench.preemption.has_request(bench.node));
}

TEST_CASE("a preemption saves the buffer and drops those behind it", "[preemption]") {
  Running bench;
  constexpr std::uint64_t kArea = 0x8000;
  abi::SavedContext saved{};
  bench.run([&] {
    CHECK_FALSE(bench.preemption.attend(bench.node));
    bench.registers.write(abi::kContextTable + 8 * Parts::kContext, kArea);
    bench.driver.in_packet = bench.driver.waiting = true;
    bench.driver.open_buffers.resize(1);
    bench.node.completed = 3;
    bench.preempt();
    CHECK(bench.preemption.attend(bench.node));
  });
  std::memcpy(&saved, bench.memory.bytes.data() + kArea, sizeof saved);
  CHECK(saved.valid == 1);
  CHECK(saved.levels == 1);
  CHECK(saved.in_packet == 1);
  CHECK_FALSE(bench.driver.in_buffer);
  CHECK_FALSE(bench.driver.in_packet);
  CHECK_FALSE(bench.driver.waiting);
  CHECK(bench.driver.open_buffers.empty());
  CHECK(bench.driver.ring.position == 64);
  CHECK(bench.node.preemption == 0);
  CHECK_FALSE(bench.node.stop.wanted);
  CHECK(bench.engine.others == std::vector{abi::Opcode::kPreempted});
}

TEST_CASE("a buffer that ends is the last one of its node", "[preemption]") {
  Running bench;
  bench.run([&] { bench.preemption.end(bench.node, bench.driver); });
  CHECK(bench.node.completed == 4);
  CHECK(bench.node.state == 1);
  CHECK_FALSE(bench.driver.in_buffer);
  bench.driver.context = 0;
  bench.preemption.end(bench.node, bench.driver);
  CHECK(bench.node.state == 1);  // it changed no state of a context
}

TEST_CASE("a buffer that is given up counts as complete and reports its fault", "[preemption]") {
  Running bench;
  bench.driver.fault = abi::FaultCode::kPageRead;
  bench.driver.fault_address = 0x5000;
  bench.run([&] { CHECK(bench.preemption.give_up(bench.node, bench.driver)); });
  CHECK(bench.node.completed == 4);
  CHECK_FALSE(bench.driver.in_buffer);
  CHECK(bench.driver.fault == abi::FaultCode::kNone);
  CHECK(bench.engine.faulted.address == 0x5000);
  CHECK(bench.engine.faulted.submission_id == 4);
}

}  // namespace fenceline::test_command_processor::test_ring_preemption
