// Which queue of user mode an engine gets, for how long, and how its context is suspended.
#include <algorithm>

#include "tb/test/unit/models/test_command_processor.h"

namespace fenceline::test_command_processor::test_scheduler_block {

namespace {

using Values = std::vector<std::uint64_t>;

constexpr std::uint64_t kSecondRing = 0x5000;
constexpr std::uint32_t kFirst = 1, kSecond = 2;  ///< contexts
constexpr std::uint64_t kNormal = 1, kRealtime = 3;

/// Two queues, each in a context of a process of its own.
struct TwoContexts : Bench {
  Stream second{memory, kSecondRing};

  TwoContexts() : Bench(scheduling(true)) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets are bound from here on
    enable(0, kRing, kFirst);
    enable(1, kSecondRing, kSecond);
    for (const std::uint32_t context : {kFirst, kSecond}) {
      set_context(context, abi::kContextVmid, context);
      set_context(context, abi::kContextRank, kNormal);
    }
  }
  void enable(std::uint64_t slot, std::uint64_t ring_base, std::uint32_t context) {
    set(abi::kQueueRingBase, ring_base, slot);
    set(abi::kQueueRingBytes, kRingBytes, slot);
    set(abi::kQueueVmid, context, slot);
    set(abi::kQueueContext, context, slot);
    set(abi::kQueueControl, abi::kQueueEnabled, slot);
  }
  void set_context(std::uint64_t slot, abi::HwContextField field, std::uint64_t value) {
    store(registers, abi::kHwContextTable + abi::kHwContextBytes * slot + field, value);
  }
  /// The first queue is in the run list, or not.
  void put(bool in) { set(abi::kQueueControl, abi::kQueueEnabled | (in ? 0 : abi::kQueueRemoved)); }
  void suspend(std::uint64_t fence) {
    put(false);
    set_context(kFirst, abi::kContextSuspend, fence);
  }
  void submit() {
    store(doorbells, 0, ring.bytes());
    store(doorbells, abi::kDoorbellStride, second.bytes());
  }
  void submit_and_run() {
    submit();
    settle();
  }
  /// Both queues have 30 packets, those of the second above 100.
  void fill() {
    for (std::uint64_t i = 1; i <= 30; ++i) {
      ring.write(i);
      second.write(100 + i);
    }
  }
  /// How often the engine went from one queue to the other.
  std::ptrdiff_t turns() const {
    const Values& values = engine.values;
    std::ptrdiff_t turns = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
      turns += (values[i] > 100) != (values[i - 1] > 100) ? 1 : 0;
    return turns;
  }
  std::ptrdiff_t reported() const {
    return std::count(engine.others.begin(), engine.others.end(), abi::Opcode::kSuspended);
  }
};

/// The driver's own ring in the middle of a buffer of 30 packets.
struct DriverRing : Bench {
  static constexpr std::uint64_t kSaveArea = 0x8000;
  /// @param context whose buffer it is, which can be preempted; 0: it runs to its end.
  /// @param runs time after the doorbell [ns]
  explicit DriverRing(std::uint16_t context = 0, double runs = 350) : Bench(scheduling(true)) {
    for (std::uint64_t i = 1; i <= 30; ++i) outer.write(i);
    ring.add(abi::RunBufferPacket{
        {abi::Opcode::kRunBuffer, abi::kPhysicalBuffer, sizeof(abi::RunBufferPacket)},
        kOuter,
        outer.bytes(),
        1,
        context,
        1});
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets are bound from here on
    set(abi::kQueueRingBase, kRing);
    set(abi::kQueueRingBytes, kRingBytes);
    set(abi::kQueueControl, abi::kQueueEnabled | abi::kQueuePhysical);
    if (context != 0) store(registers, abi::kContextTable + 8ULL * context, kSaveArea);
    store(doorbells, 0, ring.bytes());
    sc_core::sc_start(runs, sc_core::SC_NS);
  }
};

}  // namespace

TEST_CASE("the scheduler lets queues of one rank run in their order", "[scheduler]") {
  TwoContexts bench;
  bench.ring.write(1).write(2);
  bench.second.write(101).write(102);
  bench.submit_and_run();
  CHECK(bench.engine.values == Values{1, 2, 101, 102});
}

TEST_CASE("the scheduler lets the queue of a higher band go first", "[scheduler]") {
  TwoContexts bench;
  bench.set_context(kSecond, abi::kContextRank, kRealtime);
  bench.ring.write(1).write(2);
  bench.second.write(101).write(102);
  bench.submit_and_run();
  CHECK(bench.engine.values == Values{101, 102, 1, 2});
}

TEST_CASE("the scheduler takes the engine from a lower band at the next packet", "[scheduler]") {
  TwoContexts bench;
  bench.fill();
  bench.store(bench.doorbells, 0, bench.ring.bytes());
  sc_core::sc_start(350, sc_core::SC_NS);
  const std::size_t before = bench.engine.values.size();
  REQUIRE(before > 0);
  REQUIRE(before < 25);
  bench.set_context(kSecond, abi::kContextRank, kRealtime);
  bench.store(bench.doorbells, abi::kDoorbellStride, bench.second.bytes());
  sc_core::sc_start();
  CHECK(bench.engine.values.size() == 60);
  CHECK(bench.turns() == 2);
}

TEST_CASE("the scheduler gives contexts of one band turns of a quantum", "[scheduler]") {
  TwoContexts bench;
  bench.fill();
  bench.set_context(kFirst, abi::kContextQuantum, 1);
  bench.set_context(kSecond, abi::kContextQuantum, 1);
  bench.submit_and_run();
  CHECK(bench.engine.values.size() == 60);
  CHECK(bench.turns() > 3);
}

TEST_CASE("the scheduler ends no turn without a quantum", "[scheduler]") {
  TwoContexts bench;
  bench.fill();
  bench.submit_and_run();
  CHECK(bench.turns() == 1);
}

TEST_CASE("the scheduler fetches nothing of a suspended context and reports it once",
          "[scheduler]") {
  TwoContexts bench;
  bench.ring.write(1).wait(7).write(2);
  bench.second.write(101);
  bench.submit_and_run();
  CHECK(bench.engine.values == Values{1, 101});
  CHECK(bench.parked_queues() == 1);
  bench.suspend(5);
  bench.settle();
  CHECK(bench.reported() == 1);
  bench.write_fence(7);
  bench.settle();
  CHECK(bench.engine.values == Values{1, 101});
  bench.put(true);
  bench.settle();
  CHECK(bench.engine.values == Values{1, 101, 2});
  CHECK(bench.reported() == 1);
}

TEST_CASE("a queue that is ended lets those run that its saved state kept waiting", "[scheduler]") {
  TwoContexts bench;
  constexpr std::uint64_t kThird = 2, kThirdRing = 0x6000, kSaveArea = 0x9000;
  Stream third(bench.memory, kThirdRing);
  bench.enable(kThird, kThirdRing, kFirst);
  bench.store(bench.registers, abi::kContextTable + 8ULL * kFirst, kSaveArea);
  for (std::uint64_t i = 1; i <= 30; ++i) bench.inner.write(i);
  bench.ring.call(kInner, bench.inner);
  third.write(201);
  bench.store(bench.doorbells, 0, bench.ring.bytes());
  sc_core::sc_start(350, sc_core::SC_NS);
  bench.put(false);
  bench.store(bench.doorbells, abi::kDoorbellStride * kThird, third.bytes());
  bench.settle();
  const Values& values = bench.engine.values;
  REQUIRE_FALSE(values.empty());
  REQUIRE(values.size() < 30);
  REQUIRE(std::count(values.begin(), values.end(), 201) == 0);
  bench.set(abi::kQueueControl, 0);
  bench.settle();
  CHECK(std::count(values.begin(), values.end(), 201) == 1);
}

TEST_CASE("the scheduler reports no suspension that was taken back before", "[scheduler]") {
  TwoContexts bench;
  bench.suspend(5);
  bench.set_context(kFirst, abi::kContextResume, 0);
  bench.put(true);
  bench.ring.write(1);
  bench.submit_and_run();
  CHECK(bench.reported() == 0);
  CHECK(bench.engine.values == Values{1});
}

TEST_CASE("a reset over queues of user mode lets the ring of the driver stand still",
          "[scheduler]") {
  DriverRing bench;
  REQUIRE(!bench.engine.values.empty());
  REQUIRE(bench.engine.values.size() < 25);

  bench.store(bench.registers, abi::kEngineReset, abi::kResetAndHold);
  CHECK(bench.load(bench.registers, abi::kEngineReset) < abi::kEngineResetDone);
  sc_core::sc_start(100, sc_core::SC_NS);
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  CHECK(bench.load(bench.registers, abi::kEngineQueue) == 0);
  const std::size_t before = bench.engine.values.size();
  REQUIRE(before < 30);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(bench.engine.values.size() == before);
  CHECK(bench.engine.others.empty());

  bench.store(bench.registers, abi::kEngineResume, 1);
  sc_core::sc_start();
  CHECK(bench.engine.values.size() == 30);
  CHECK(bench.engine.others == std::vector{abi::Opcode::kRunBuffer});
}

TEST_CASE("a reset comes while its node switches to the ring of the driver", "[scheduler]") {
  constexpr double kSwitches = 100;
  DriverRing bench(0, kSwitches);
  REQUIRE(bench.engine.values.empty());
  bench.store(bench.registers, abi::kEngineReset, abi::kResetAndHold);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  CHECK(bench.engine.values.empty());

  bench.store(bench.registers, abi::kEngineResume, 1);
  sc_core::sc_start();
  CHECK(bench.engine.values.size() == 30);
  CHECK(bench.engine.others == std::vector{abi::Opcode::kRunBuffer});
}

TEST_CASE("another reset ends what stands still in the ring of the driver", "[scheduler]") {
  DriverRing bench;
  bench.store(bench.registers, abi::kEngineReset, abi::kResetAndHold);
  sc_core::sc_start(100, sc_core::SC_NS);
  const std::size_t before = bench.engine.values.size();
  REQUIRE(before < 30);

  bench.store(bench.registers, abi::kEngineReset, 1);
  sc_core::sc_start();
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  CHECK(bench.load(bench.registers, abi::kSubmission) == 1);
  CHECK(bench.engine.values.size() == before);
  CHECK(bench.engine.others.empty());

  bench.store(bench.registers, abi::kEngineReset, 1);
  sc_core::sc_start();
  CHECK(bench.load(bench.registers, abi::kSubmission) == 1);
}

TEST_CASE("a reset ends no buffer that a preemption has taken away", "[scheduler]") {
  DriverRing bench(kFirst);
  bench.store(bench.registers, abi::kPreempt, 7);
  sc_core::sc_start();
  REQUIRE(bench.engine.others == std::vector{abi::Opcode::kPreempted});
  REQUIRE(bench.engine.values.size() < 30);

  bench.store(bench.registers, abi::kEngineReset, 1);
  sc_core::sc_start();
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  CHECK(bench.load(bench.registers, abi::kSubmission) == 0);
}

TEST_CASE("a node that a reset holds reports no preemption", "[scheduler]") {
  DriverRing bench(kFirst);
  bench.store(bench.registers, abi::kEngineReset, abi::kResetAndHold);
  sc_core::sc_start(100, sc_core::SC_NS);
  REQUIRE(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  bench.store(bench.registers, abi::kPreempt, 7);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(bench.engine.others.empty());
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);

  bench.store(bench.registers, abi::kEngineResume, 1);
  sc_core::sc_start();
  CHECK(bench.engine.others == std::vector{abi::Opcode::kPreempted});
  CHECK(bench.engine.values.size() < 30);
}

TEST_CASE("a node that a reset holds may be reset again for its preemption", "[scheduler]") {
  DriverRing bench(kFirst);
  bench.store(bench.registers, abi::kEngineReset, abi::kResetAndHold);
  sc_core::sc_start(100, sc_core::SC_NS);
  bench.store(bench.registers, abi::kPreempt, 7);
  sc_core::sc_start(1, sc_core::SC_US);
  bench.store(bench.registers, abi::kEngineReset, abi::kResetAllAndHold);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(bench.load(bench.registers, abi::kEngineReset) == abi::kEngineResetDone);
  CHECK(bench.load(bench.registers, abi::kSubmission) == 1);
  bench.store(bench.registers, abi::kEngineResume, 1);
  sc_core::sc_start();
  CHECK(bench.engine.others.empty());
}

}  // namespace fenceline::test_command_processor::test_scheduler_block
