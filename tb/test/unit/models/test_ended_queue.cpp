// A queue that the driver disables while its node works for it.
#include "tb/test/unit/models/test_command_processor.h"

namespace fenceline::test_command_processor::test_ended_queue {

namespace {

using Opcodes = std::vector<abi::Opcode>;

/// A queue that is disabled once.
struct EndedQueue : Bench {
  EndedQueue() : Bench(scheduling(false)) {}
  void disable() {
    if (disabled) return;
    disabled = true;
    set(abi::kQueueControl, 0);
  }
  void logged_wait(std::uint64_t value) {
    ring.add(abi::FencePacket{{abi::Opcode::kWait, abi::kLogFollows, sizeof(abi::FencePacket)},
                              kFenceSlot,
                              0,
                              kFence,
                              value});
    abi::LogPacket log{};
    log.header = {abi::Opcode::kLog, 0, sizeof log};
    ring.add(log);
    memory.on_read = [this] {
      if (memory.last_read == kFence) disable();
    };
  }
  /// Nothing is left of the work of the queue, and nothing wakes it.
  void check_ended() {
    CHECK(disabled);
    CHECK(queue().ring.position == ring.bytes());
    CHECK(queue().state == event::QueueStateKind::kIdle);
    CHECK(parked_queues() == 0);
    write_fence(9);
    settle();
    CHECK(engine.values.empty());
  }
  bool disabled = false;
};

}  // namespace

TEST_CASE("a queue that is disabled while it reads its fence still ends this wait",
          "[command_processor]") {
  EndedQueue bench;
  bench.logged_wait(0);
  bench.ring.write(1);
  bench.run();
  CHECK(bench.engine.others == Opcodes{abi::Opcode::kLog});
  bench.check_ended();
}

TEST_CASE("a queue that is disabled while it reads its fence does not stay parked",
          "[command_processor]") {
  EndedQueue bench;
  bench.logged_wait(1);
  bench.ring.write(1);
  bench.run();
  CHECK(bench.engine.others.empty());
  bench.check_ended();
}

TEST_CASE("a queue that is disabled leaves its buffer after the packet", "[command_processor]") {
  EndedQueue bench;
  bench.inner.write(1).write(2).write(3);
  bench.ring.call(kInner, bench.inner).write(4);
  bench.engine.on_command = [&](const common::EngineCommand&) { bench.disable(); };
  bench.run();
  CHECK(bench.engine.values == std::vector<std::uint64_t>{1});
  CHECK(bench.queue().open_buffers.empty());
  bench.engine.values.clear();
  bench.check_ended();
}

}  // namespace fenceline::test_command_processor::test_ended_queue
