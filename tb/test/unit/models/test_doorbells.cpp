// How a queue learns of new packets: its own or a shared doorbell, or its write pointer in memory.
#include "models/command_processor/doorbells.h"
#include "tb/test/unit/models/test_processor_parts.h"

namespace fenceline::test_command_processor::test_doorbells {

using event::QueueStateKind;

namespace {

constexpr std::uint32_t kShared = 4;  ///< number of doorbells that queues share
constexpr std::uint64_t kPointer = 0x5000;

command_processor::CommandProcessorConfig shared_config() {
  command_processor::CommandProcessorConfig config = parts_config();
  config.doorbells = kShared;
  return config;
}
command_processor::CommandProcessorConfig config_without_schedules() {
  command_processor::CommandProcessorConfig config = parts_config();
  config.schedules = false;
  return config;
}

struct Bench : Parts {
  command_processor::Doorbells doorbells{shared, memory_port, scheduler, registers};

  explicit Bench(const command_processor::CommandProcessorConfig& settings = parts_config(),
                 const common::Ordering& ordering = {})
      : Parts(settings, ordering) {
    driver.object = kUserObject + 1;
  }
  /// The queues and doorbells that are reported for a ring, none or one.
  std::vector<event::Doorbell> ring(std::uint64_t page, std::uint64_t pointer = 64) {
    events.all.clear();
    doorbells.ring(page, pointer);
    return events.of<event::Doorbell>();
  }
  void give(std::uint64_t page, std::uint64_t entry) {
    registers.write(abi::kDoorbellTable + 8 * page, entry);
  }
  void ask_for_scan(std::uint64_t slot) { registers.write(abi::kRingScan, slot); }
  void store(std::uint64_t pointer) { std::memcpy(memory.bytes.data() + kPointer, &pointer, 8); }
  std::uint64_t hash() const {
    common::Hasher hasher;
    doorbells.add_to(hasher);
    return hasher.value();
  }
};

}  // namespace

TEST_CASE("the doorbell of a queue makes it ready with its write pointer", "[doorbells]") {
  Bench bench;
  bench.add_front_end([&] { return bench.user.has_work(); });
  bench.run([&] {
    const auto rung = bench.ring(Parts::kUserSlot);
    REQUIRE(rung.size() == 1);
    CHECK(rung[0].queue == Parts::kUserObject);
    CHECK(rung[0].write_pointer == 64);
    CHECK(rung[0].doorbell == 0);
    CHECK(rung[0].adapter == 0);
  });
  CHECK(bench.user.ring.end == 64);
  CHECK(bench.user.ring.position == 0);
  CHECK(bench.user.state == QueueStateKind::kReady);
  CHECK(bench.driver.ring.end == 0);
  CHECK(bench.woken);
}

TEST_CASE("a write pointer that is not behind the last one changes nothing", "[doorbells]") {
  Bench bench;
  bench.user.ring.end = 64;
  bench.ring(Parts::kUserSlot, 64);
  CHECK(bench.user.state == QueueStateKind::kIdle);
  bench.ring(Parts::kUserSlot, 32);
  CHECK(bench.user.ring.end == 64);
  bench.ring(Parts::kUserSlot, 65);
  CHECK(bench.user.ring.end == 65);
  CHECK(bench.user.state == QueueStateKind::kReady);
}

TEST_CASE("a doorbell leaves a parked queue parked", "[doorbells]") {
  Bench bench;
  bench.user.state = QueueStateKind::kParked;
  bench.ring(Parts::kUserSlot);
  CHECK(bench.user.state == QueueStateKind::kParked);
  CHECK(bench.user.ring.end == 64);
}

TEST_CASE("a doorbell page without a queue is written to no effect", "[doorbells]") {
  Bench bench;
  CHECK(bench.ring(Parts::kUserSlot + 1).empty());
  CHECK(bench.ring(abi::kQueueSlots).empty());
  CHECK(bench.ring(abi::kNodeDoorbell + 1).empty());
}

TEST_CASE("the doorbell of a node is that of the ring of the driver", "[doorbells]") {
  Bench bench;
  const auto rung = bench.ring(abi::kNodeDoorbell);
  REQUIRE(rung.size() == 1);
  CHECK(rung[0].queue == bench.driver.object);
  CHECK(bench.driver.ring.end == 64);
  bench.shared.queues.detach(bench.driver);
  CHECK(bench.ring(abi::kNodeDoorbell).empty());
}

TEST_CASE("a shared doorbell is that of the queue that has it", "[doorbells]") {
  Bench bench(shared_config());
  bench.give(1, Parts::kUserSlot | abi::kDoorbellGiven);
  const auto rung = bench.ring(1);
  REQUIRE(rung.size() == 1);
  CHECK(rung[0].queue == Parts::kUserObject);
  CHECK(rung[0].doorbell == 2);
  CHECK(rung[0].adapter == bench.shared.adapter);
  CHECK(bench.user.ring.end == 64);
}

TEST_CASE("a shared doorbell that no queue has is reported and lost", "[doorbells]") {
  Bench bench(shared_config());
  bench.give(0, abi::kQueueSlots | abi::kDoorbellGiven);  // there is no such queue
  bench.give(1, Parts::kUserSlot);
  bench.give(kShared, Parts::kUserSlot | abi::kDoorbellGiven);  // there is no such doorbell
  for (const std::uint64_t page : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{kShared},
                                   std::uint64_t{Parts::kUserSlot}, std::uint64_t{255}}) {
    const auto rung = bench.ring(page);
    REQUIRE(rung.size() == 1);
    CHECK(rung[0].queue == 0);
    CHECK(rung[0].doorbell == page + 1);
  }
  CHECK(bench.user.ring.end == 0);
}

TEST_CASE("a page that is no doorbell of queues is no shared doorbell", "[doorbells]") {
  Bench bench(shared_config());
  CHECK(bench.ring(abi::kQueueSlots).empty());
  const auto rung = bench.ring(abi::kNodeDoorbell);
  REQUIRE(rung.size() == 1);
  CHECK(rung[0].queue == bench.driver.object);
  CHECK(rung[0].doorbell == 0);
  CHECK(rung[0].adapter == 0);
}

TEST_CASE("work for a queue that a reset has ended is dropped", "[doorbells]") {
  Bench bench;
  bench.user.enabled = false;
  bench.ring(Parts::kUserSlot);
  CHECK(bench.user.ring.position == 64);
  CHECK(bench.user.state == QueueStateKind::kIdle);
  const auto dropped = bench.events.of<event::CommandsDropped>();
  REQUIRE(dropped.size() == 1);
  CHECK(dropped[0].end == 64);
}

TEST_CASE("work for a queue that is not enabled yet is kept where no reset ends one",
          "[doorbells]") {
  Bench bench(config_without_schedules());
  bench.user.enabled = false;
  bench.ring(Parts::kUserSlot);
  CHECK(bench.user.ring.end == 64);
  CHECK(bench.user.ring.position == 0);
  CHECK(bench.user.state == QueueStateKind::kIdle);
  CHECK(bench.events.of<event::CommandsDropped>().empty());
}

TEST_CASE("a doorbell does not bring a queue back to the run list", "[doorbells]") {
  Bench bench;
  bench.user.removed = true;
  bench.add_front_end([&] { return bench.user.has_work(); });
  bench.run([&] { bench.ring(Parts::kUserSlot); });
  CHECK(bench.user.removed);
  CHECK(bench.user.ring.end == 64);
  CHECK(bench.user.state == QueueStateKind::kIdle);
  CHECK_FALSE(bench.woken);
}

TEST_CASE("a doorbell brings a queue back where suspensions do not hold it", "[doorbells]") {
  common::Ordering ordering;
  ordering.gpu.suspend_holds = false;
  Bench bench(parts_config(), ordering);
  bench.user.removed = true;
  bench.ring(Parts::kUserSlot);
  CHECK_FALSE(bench.user.removed);
  CHECK(bench.user.state == QueueStateKind::kReady);
}

TEST_CASE("a scan reads the write pointer of a queue in memory once", "[doorbells]") {
  Bench bench;
  bench.user.table[abi::kQueueWritePointer / 8] = kPointer;
  bench.user.table[abi::kQueueVmid / 8] = 7;
  bench.store(64);
  bench.add_front_end([&] { return bench.doorbells.next_scan(bench.node) != nullptr; });
  bench.run([&] {
    CHECK(bench.doorbells.next_scan(bench.node) == nullptr);
    bench.ask_for_scan(Parts::kUserSlot);
    REQUIRE(bench.doorbells.next_scan(bench.node) == &bench.user);
    bench.doorbells.scan(bench.node, bench.user);
    CHECK(bench.doorbells.next_scan(bench.node) == nullptr);
    bench.ask_for_scan(Parts::kUserSlot);
  });
  CHECK(bench.woken);
  CHECK(bench.memory.space == 7);
  CHECK(bench.user.ring.end == 64);
  const auto scans = bench.events.of<event::RingScan>();
  REQUIRE(scans.size() == 1);
  CHECK(scans[0].queue == Parts::kUserObject);
  CHECK(scans[0].write_pointer == 64);
  CHECK(bench.shared.faults == 0);
}

TEST_CASE("a scan is for enabled queues only", "[doorbells]") {
  Bench bench;
  bench.user.enabled = false;
  for (const std::uint64_t slot :
       {std::uint64_t{Parts::kUserSlot}, std::uint64_t{3}, std::uint64_t{abi::kQueueSlots}})
    bench.ask_for_scan(slot);
  CHECK_FALSE(bench.user.scan);
  CHECK(bench.doorbells.next_scan(bench.node) == nullptr);
}

TEST_CASE("a scan of a queue without a write pointer in memory reads nothing", "[doorbells]") {
  Bench bench;
  bench.store(64);
  bench.run([&] {
    bench.ask_for_scan(Parts::kUserSlot);
    bench.doorbells.scan(bench.node, bench.user);
  });
  CHECK_FALSE(bench.user.scan);
  CHECK(bench.events.of<event::RingScan>().empty());
  CHECK(bench.user.ring.end == 0);
}

TEST_CASE("a scan of a write pointer that is not mapped is a fault", "[doorbells]") {
  Bench bench;
  bench.user.table[abi::kQueueWritePointer / 8] = kPointer;
  bench.store(64);
  bench.memory.mapped = false;
  bench.run([&] { bench.doorbells.scan(bench.node, bench.user); });
  CHECK(bench.shared.faults == 1);
  CHECK(bench.user.ring.end == 0);
}

TEST_CASE("the state of the doorbells is that of those that queues share", "[doorbells]") {
  Bench bench(shared_config());
  const std::uint64_t before = bench.hash();
  bench.give(kShared, abi::kDoorbellGiven);
  CHECK(bench.hash() == before);
  bench.give(kShared - 1, abi::kDoorbellGiven);
  CHECK(bench.hash() != before);
}

TEST_CASE("the footprint of doorbells and scans has the ring of the queue", "[doorbells]") {
  Bench bench;
  bench.user.table[abi::kQueueWritePointer / 8] = kPointer;
  bench.explore([&] {
    const std::uint64_t place = bench.user.place;
    bench.doorbells.next_scan(bench.node);  // no scan was ever asked for
    bench.ring(Parts::kUserSlot);
    CHECK(bench.touches(place, true) == 1);
    bench.ask_for_scan(Parts::kUserSlot);
    CHECK(bench.touches(place, true) == 2);
    CHECK(bench.touches(place, false) == 0);
    bench.doorbells.next_scan(bench.node);
    CHECK(bench.touches(place, false) == 1);
    bench.doorbells.scan(bench.node, bench.user);
    CHECK(bench.touches(place, true) == 4);  // the request is taken, and the pointer is announced
  });
}

}  // namespace fenceline::test_command_processor::test_doorbells
