// Buffers, waits and packets that are not for everybody.
#include "tb/test/unit/models/test_command_processor.h"

namespace fenceline::test_command_processor {

namespace {

using Values = std::vector<std::uint64_t>;
using Opcodes = std::vector<abi::Opcode>;

constexpr abi::FlipPacket kFlip{{abi::Opcode::kFlip, 0, sizeof(abi::FlipPacket)}, 0};
constexpr abi::BindPacket kBind{{abi::Opcode::kBind, 0, sizeof(abi::BindPacket)}, 0, 0, 4096, 64};
constexpr std::uint64_t kDriversRing = abi::kQueueEnabled | abi::kQueuePhysical;

}  // namespace

TEST_CASE("a wait in an indirect buffer holds back what is behind it in buffer and ring",
          "[command_processor]") {
  Bench bench;
  bench.outer.write(1).wait(7).write(2).wait(8).write(3);
  bench.ring.call(kOuter, bench.outer).write(4);
  bench.run();
  CHECK(bench.engine.values == Values{1});
  CHECK(bench.parked_queues() == 1);
  CHECK(bench.queue().ring.position == 0);
  bench.signal(7);
  CHECK(bench.engine.values == Values{1, 2});
  CHECK(bench.parked_queues() == 1);
  bench.signal(8);
  CHECK(bench.engine.values == Values{1, 2, 3, 4});
  CHECK(bench.parked_queues() == 0);
  CHECK(bench.queue().ring.position == bench.ring.bytes());
  CHECK(bench.processor.faults() == 0);
}

TEST_CASE("a wait in a buffer that a buffer calls goes on where it stopped",
          "[command_processor]") {
  Bench bench;
  bench.inner.wait(1).write(2).wait(2).write(3);
  bench.outer.write(1).call(kInner, bench.inner).write(4);
  bench.ring.call(kOuter, bench.outer).call(kInner, bench.inner).write(5);
  bench.run();
  CHECK(bench.engine.values == Values{1});
  bench.signal(1);
  CHECK(bench.engine.values == Values{1, 2});
  bench.signal(2);
  CHECK(bench.engine.values == Values{1, 2, 3, 4, 2, 3, 5});
  CHECK(bench.queue().open_buffers.empty());
  CHECK(bench.processor.faults() == 0);
}

TEST_CASE("a rescan that comes too early leaves a queue inside its buffer", "[command_processor]") {
  Bench bench;
  bench.outer.wait(7).write(1);
  bench.ring.call(kOuter, bench.outer).write(2);
  bench.run();
  bench.signal(6);
  CHECK(bench.engine.values.empty());
  CHECK(bench.parked_queues() == 1);
  bench.signal(7);
  CHECK(bench.engine.values == Values{1, 2});
}

namespace {

/// One of the driver's packets in the middle of a buffer.
template <typename Packet>
void check_given_up(const Packet& packet) {
  Bench bench;
  bench.outer.write(1).add(packet).write(2);
  bench.inner.write(3);
  bench.ring.run(kOuter, bench.outer).run(kInner, bench.inner);
  bench.run(kDriversRing);
  // The rest of it is dropped, what stands behind it is done.
  CHECK(bench.engine.values == Values{1, 3});
  CHECK(bench.engine.others == Opcodes{abi::Opcode::kFaulted, abi::Opcode::kRunBuffer});
  CHECK(bench.engine.faulted.submission_id == 1);
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kPrivileged));
  CHECK(bench.processor.faults() == 1);
}

}  // namespace

TEST_CASE("a buffer of user mode is given up over a FLIP", "[command_processor]") {
  check_given_up(kFlip);
}

TEST_CASE("a buffer of user mode is given up over a BIND", "[command_processor]") {
  check_given_up(kBind);
}

TEST_CASE("a queue of user mode passes over packets of the drivers", "[command_processor]") {
  Bench bench;
  bench.ring.write(1).add(kFlip).add(kBind).write(2);
  bench.run();
  CHECK(bench.engine.values == Values{1, 2});
  CHECK(bench.processor.faults() == 2);
}

TEST_CASE("a buffer that the driver wrote may flip where there is a display",
          "[command_processor]") {
  Bench bench;
  bench.outer.add(kFlip);
  bench.ring.run(kOuter, bench.outer, abi::kDriverBuffer);
  bench.run(kDriversRing);
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kIllegal));
}

TEST_CASE("a buffer is given up over a packet that makes no sense", "[command_processor]") {
  Bench bench;
  bench.inner.write(1).add(abi::PacketHeader{abi::Opcode::kBarrier, 0, 4}).write(2);
  bench.outer.call(kInner, bench.inner).write(3);
  bench.ring.run(kOuter, bench.outer);
  bench.run(kDriversRing);
  CHECK(bench.engine.values == Values{1});
  CHECK(bench.engine.others == Opcodes{abi::Opcode::kFaulted});
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kIllegal));
}

}  // namespace fenceline::test_command_processor
