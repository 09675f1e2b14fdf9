// Signals and requests in the fence unit: which queues look again, what is stale, and footprints.
#include "tb/test/unit/models/test_fence_unit.h"

namespace fenceline::test_command_processor::test_fence_requests {

using Bench = FenceBench;
using event::PeerScan;

namespace {

constexpr std::uint32_t kLaterQueue = 34;  ///< slot; 2 modulo 32, as that of the first queue

common::Ordering with(common::Rescan rescan) {
  common::Ordering ordering;
  ordering.gpu.rescan = rescan;
  return ordering;
}
common::Ordering without_tags() {
  common::Ordering ordering;
  ordering.gpu.fence_tag = false;
  return ordering;
}

/// Two parked queues that wait for different fences.
struct Parked : Bench {
  command_processor::HardwareQueue& other = add_queue(kLaterQueue);

  explicit Parked(const common::Ordering& ordering = {}) : Bench(ordering) {
    park(user, kFenceSlot);
    park(other, kOtherFence);
  }
  /// The queues that look again after a doorbell of another GPU, as bits.
  int ring(std::uint64_t payload) {
    user.retry = other.retry = false;
    events.all.clear();
    unit.take_peer_doorbell(payload);
    const auto rung = events.of<event::PeerDoorbell>();
    REQUIRE(rung.size() == 1);
    CHECK(rung[0].adapter == shared.adapter);
    CHECK(rung[0].queues == std::uint64_t{user.retry} + std::uint64_t{other.retry});
    told = rung[0];
    return (user.retry ? 1 : 0) | (other.retry ? 2 : 0);
  }
  event::PeerDoorbell told{};
};

/// The time at which the fence in `retired` is retired while an engine signals kFenceSlot from 0 to
/// 100 ns.
common::Time retired_at(std::uint32_t retired) {
  Bench bench;
  common::Time end = 0;
  bench.engine.on_command = [&](common::EngineCommand&) {
    bench.simulation.steps.elapse(100 * common::kNanosecond);
  };
  bench.simulation.steps.add_agent("front end", [&] { CHECK(bench.signal(5)); });
  bench.run([&] {
    bench.simulation.steps.elapse(10 * common::kNanosecond);
    bench.unit.rescan(retired, abi::kKickRetired);
    end = bench.simulation.steps.now();
  });
  CHECK(bench.node.signals == 0);
  return end;
}

}  // namespace

TEST_CASE("a signal goes to the engine with the slot of its fence", "[fence_unit]") {
  Bench bench;
  std::uint32_t slot = 0;
  bench.engine.on_command = [&](const common::EngineCommand& command) {
    slot = common::packet_of<abi::FencePacket>(command).fence_slot;
    CHECK(bench.node.signals == kFenceSlot + 1);
  };
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickNamed | std::uint64_t{9} << abi::kKickTagShift);
    CHECK(bench.signal(5, abi::fence_name(kFenceSlot, 9)));
  });
  CHECK(slot == kFenceSlot);
  CHECK(bench.node.signals == 0);
}

TEST_CASE("a signal that an engine stops has not run", "[fence_unit]") {
  Bench bench;
  bench.engine.on_command = [](common::EngineCommand& command) { command.stopped = true; };
  bench.run([&] { CHECK_FALSE(bench.signal(5)); });
  CHECK(bench.node.signals == 0);
}

TEST_CASE("a signal of a fence that counts as signaled is left out", "[fence_unit]") {
  Bench bench;
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickAlwaysSignaled);
    CHECK(bench.signal(5));
    CHECK(bench.engine.others.empty());
    CHECK(bench.signal(5, Bench::kOtherFence));
    CHECK(bench.engine.others.size() == 1);
  });
}

TEST_CASE("a stale signal is left out and ends no wait", "[fence_unit]") {
  Bench bench;
  bench.park(bench.user, Bench::kOtherFence);
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK(bench.signal(5));
    CHECK(bench.engine.others.empty());
    CHECK(bench.user.waiting);
    CHECK(bench.signal(5, abi::fence_name(kFenceSlot, 1)));
    CHECK(bench.engine.others.size() == 1);
  });
  const auto stale = bench.events.of<event::StalePacket>();
  REQUIRE(stale.size() == 1);
  CHECK(stale[0].fence == Bench::kFenceObject);
  CHECK_FALSE(stale[0].wait);
  CHECK_FALSE(stale[0].executed);
}

TEST_CASE("a stale signal runs where the device does not look at tags", "[fence_unit]") {
  Bench bench(without_tags());
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK(bench.signal(5));
  });
  CHECK(bench.engine.others.size() == 1);
  const auto stale = bench.events.of<event::StalePacket>();
  REQUIRE(stale.size() == 1);
  CHECK(stale[0].executed);
}

TEST_CASE("a fence is retired when the signal of it has ended", "[fence_unit]") {
  CHECK(retired_at(kFenceSlot) == 100 * common::kNanosecond);
}

TEST_CASE("a fence is retired at once while another one is signalled", "[fence_unit]") {
  CHECK(retired_at(Bench::kOtherFence) == 10 * common::kNanosecond);
}

TEST_CASE("a signal makes the parked queues of its fence ready", "[fence_unit]") {
  Parked bench;
  bench.add_front_end([&] { return bench.user.retry; });
  bench.run([&] { bench.unit.rescan(kFenceSlot, 0); });
  CHECK(bench.user.retry);
  CHECK_FALSE(bench.user.latched);
  CHECK(bench.woken);
  CHECK_FALSE(bench.other.retry);
}

TEST_CASE("a queue that waits for nothing does not look again", "[fence_unit]") {
  Bench bench;
  bench.user.fence_slot = kFenceSlot;
  bench.unit.rescan(kFenceSlot, abi::kKickFromCpu);
  bench.unit.take_peer_doorbell(0);
  CHECK_FALSE(bench.user.latched);
  CHECK_FALSE(bench.user.retry);
  CHECK(bench.events.of<event::PeerDoorbell>()[0].queues == 0);
}

TEST_CASE("a kick makes queues look again unless kicks are ignored", "[fence_unit]") {
  Parked bench(with(common::Rescan::kIgnore));
  bench.unit.rescan(kFenceSlot, abi::kKickFromCpu);
  CHECK_FALSE(bench.user.retry);
  bench.unit.rescan(kFenceSlot, 0);
  CHECK(bench.user.retry);
}

TEST_CASE("a look through the parked queues says whether it found one", "[fence_unit]") {
  Parked bench;
  bench.unit.rescan(kFenceSlot, 0);
  bench.unit.rescan(kFenceSlot + 9, 0);
  bench.user.parked = false;  // it is about to park
  bench.unit.rescan(kFenceSlot, 0);
  const auto scans = bench.events.of<event::ParkedScan>();
  REQUIRE(scans.size() == 3);
  CHECK(scans[2].queues == 0);
  CHECK(scans[0].queues == 1);
  CHECK(scans[0].found);
  CHECK(scans[1].queues == 0);
  CHECK_FALSE(scans[1].found);
}

TEST_CASE("a kick makes parked queues look again", "[fence_unit]") {
  Parked bench;
  bench.unit.rescan(kFenceSlot, abi::kKickFromCpu);
  CHECK(bench.user.retry);
  CHECK_FALSE(bench.other.retry);
}

TEST_CASE("a fence that counts as signaled from now on makes its queues look again",
          "[fence_unit]") {
  Parked bench;
  bench.unit.rescan(kFenceSlot, abi::kKickAlwaysSignaled);
  CHECK(bench.user.retry);
  CHECK_FALSE(bench.other.retry);
}

TEST_CASE("a fence that is destroyed makes its queues look again", "[fence_unit]") {
  Parked bench;
  bench.run([&] { bench.unit.rescan(kFenceSlot, abi::kKickRetired); });
  CHECK(bench.user.retry);
  CHECK_FALSE(bench.other.retry);
}

TEST_CASE("a new name of a fence makes no queue look again", "[fence_unit]") {
  Parked bench;
  bench.unit.rescan(kFenceSlot, abi::kKickNamed);
  CHECK_FALSE(bench.user.retry);
}

TEST_CASE("a doorbell of another GPU reaches all queues or those that it names", "[fence_unit]") {
  Parked bench;
  CHECK(bench.ring(0) == 3);
  CHECK(bench.told.scan == PeerScan::kAll);
  CHECK(bench.told.fence == 0);
  CHECK(bench.ring(abi::kPeerNamesFence | kFenceSlot) == 1);
  CHECK(bench.told.scan == PeerScan::kFence);
  CHECK(bench.told.fence == Bench::kFenceObject);
  CHECK(bench.ring(abi::kPeerNamesFence | Bench::kOtherFence) == 2);  // bit 2 is set
  CHECK(bench.ring(abi::kPeerNamesQueues | 1U << Parts::kUserSlot) == 3);
  CHECK(bench.told.scan == PeerScan::kQueues);
  CHECK(bench.told.fence == 0);
  CHECK(bench.ring(abi::kPeerNamesQueues | kFenceSlot) == 0);
}

TEST_CASE("a doorbell of another GPU is for no queue where notices are ignored", "[fence_unit]") {
  Parked bench(with(common::Rescan::kIgnore));
  CHECK(bench.ring(0) == 0);
}

TEST_CASE("a doorbell of another GPU is latched as kicks are", "[fence_unit]") {
  Bench bench;
  bench.user.waiting = true;
  bench.unit.take_peer_doorbell(0);
  CHECK(bench.user.latched);
  CHECK(bench.events.of<event::PeerDoorbell>()[0].queues == 1);
}

TEST_CASE("a doorbell of another GPU is not latched where it is for parked queues",
          "[fence_unit]") {
  Bench bench(with(common::Rescan::kParkedOnly));
  bench.user.waiting = true;
  bench.unit.take_peer_doorbell(0);
  CHECK_FALSE(bench.user.latched);
}

TEST_CASE("the footprint of a signal has its node at both ends", "[fence_unit]") {
  Bench bench;
  bench.explore([&] {
    const std::uint64_t tags = bench.shared.tags_place, node = bench.node.signal_place;
    bench.engine.on_command = [&](const common::EngineCommand&) {
      CHECK(bench.touches(node, true) == 1);
    };
    bench.signal(5);
    CHECK(bench.touches(node, true) == 2);
    CHECK(bench.touches(tags, false) == 1);
    CHECK(bench.touches(tags, true) == 0);
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK(bench.touches(tags, true) == 1);
    CHECK(bench.touches(node, true) == 2);
    CHECK(bench.touches(node, false) == 1);
  });
}

TEST_CASE("the footprint of a wait has the tags and what the wait changes", "[fence_unit]") {
  Bench bench;
  bench.store(5);
  bench.explore([&] {
    const std::uint64_t tags = bench.shared.tags_place, waits = bench.shared.waits_place;
    bench.wait(5);
    CHECK(bench.touches(tags, false) == 3);
    CHECK(bench.touches(tags, true) == 0);
    CHECK(bench.touches(waits, false) == 1);
    CHECK(bench.touches(waits, true) == 2);
    bench.wait(5, abi::fence_name(kFenceSlot, 9));  // stale
    CHECK(bench.touches(waits, false) == 1);
    CHECK(bench.touches(waits, true) == 3);
  });
}

TEST_CASE("the footprint of a queue that parks has its wait", "[fence_unit]") {
  Bench bench;
  bench.explore([&] {
    const std::uint64_t waits = bench.shared.waits_place;
    bench.wait(5);
    CHECK(bench.touches(waits, true) == 1);
    CHECK(bench.touches(waits, false) == 1);
    bench.memory.on_read = [&] { bench.store(5); };
    bench.wait(5);
    CHECK(bench.touches(waits, true) == 3);
  });
}

TEST_CASE("the footprint of a request has what it changes", "[fence_unit]") {
  Bench bench;
  bench.explore([&] {
    const std::uint64_t tags = bench.shared.tags_place, waits = bench.shared.waits_place;
    bench.unit.rescan(kFenceSlot, abi::kKickFromCpu);
    CHECK(bench.touches(waits, false) == 1);
    bench.unit.take_peer_doorbell(0);
    CHECK(bench.touches(waits, false) == 2);
    bench.unit.rescan(kFenceSlot, abi::kKickNamed);
    CHECK(bench.touches(waits, true) == 0);
    CHECK(bench.touches(tags, true) == 1);
    bench.unit.rescan(kFenceSlot, abi::kKickAlwaysSignaled);
    CHECK(bench.touches(waits, true) == 1);
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK(bench.touches(waits, true) == 2);
    bench.park(bench.user, kFenceSlot);
    bench.unit.rescan(kFenceSlot, 0);
    CHECK(bench.touches(waits, true) == 3);
  });
}

}  // namespace fenceline::test_command_processor::test_fence_requests
