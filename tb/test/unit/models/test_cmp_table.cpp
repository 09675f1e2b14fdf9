// The fence table of the CMP, its registers, and what searches know of it.
#include "models/abi/page_table.h"
#include "tb/test/unit/models/test_cmp.h"

namespace fenceline::test_cmp::test_cmp_table {

using common::Stores;
using Kind = common::SignalNotice::Kind;

namespace {

Ordering with(Stores stores) {
  Ordering result;
  result.mem.mv64 = stores;
  return result;
}
std::vector<Access> shadow_stores(const Ordering& ordering, bool whole = true) {
  Bench bench(ordering, {}, identity(whole));
  bench.begin();
  bench.monitor(kSlot, 0);
  bench.values(kSlot, 0, 0x1'0000'0002);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  std::vector<Access> result;
  for (const Access& access : bench.to("memory"))
    if (access.address >= kShadows) result.push_back(access);
  return result;
}

}  // namespace

TEST_CASE("a new fence has no waiter until its MonitoredValue is read", "[cmp]") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.store(abi::kShadowBase, kShadows);
  bench.seen.clear();
  bench.system.add({abi::kSystemMemoryBit | 0x1000, 8, common::WatchKind::kCurrentValue, 5, 1});
  bench.make(kSlot);
  REQUIRE(bench.seen.size() == 1);  // nobody names the fence: no queue has to look again
  CHECK(bench.seen[0].address == kShadows + 8 * kSlot);
  CHECK(bench.seen[0].value == ~0ULL);
  CHECK(bench.seen[0].attributes.posted);
  REQUIRE(bench.shadows.find(kShadows + 8 * kSlot) != nullptr);
  CHECK(bench.shadows.find(kShadows + 8 * kSlot)->bytes == 8);
  bench.signaled(0, kSlot, ~0ULL - 1);
  bench.settle();
  CHECK(bench.entries().empty());
}

TEST_CASE("a fence is made once and moved by later writes", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.field(kSlot, abi::kFenceCurrentValue, 0x5000);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.seen.back().address == kCurrent + 8 * kSlot);  // not yet in effect
  bench.seen.clear();
  bench.field(kSlot, abi::kFenceControl, abi::kFenceValid);
  CHECK(bench.seen.empty());  // its shadow stays
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.seen.back().address == 0x5000);
}

TEST_CASE("a fence with a tag makes queues look again with it", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.field(8, abi::kFenceControl, abi::kFenceValid | 0x123ULL << abi::kFenceTagShift);
  const auto rescans = bench.to("rescans");
  REQUIRE(rescans.size() == 1);
  CHECK(rescans[0].address == 8);
  CHECK(rescans[0].value == (abi::kKickNamed | 0x123ULL << abi::kKickTagShift));
}

TEST_CASE("a fence that is made invalid takes no part", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.field(kSlot, abi::kFenceControl, abi::kFenceValid << 1);
  bench.signaled(0, kSlot, 30);
  bench.settle();
  CHECK(bench.seen.empty());
  bench.field(kSlot, abi::kFenceControl, abi::kFenceValid);
  CHECK(bench.seen.size() == 1);  // a new shadow
}

TEST_CASE("a retired slot keeps what was written for its next fence", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.field(kSlot, abi::kFenceCurrentValue, 0x5000);
  bench.store(abi::kFenceRetire, kSlot);
  bench.settle();
  bench.field(kSlot, abi::kFenceControl, abi::kFenceValid);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.seen.back().address == 0x5000);
  CHECK(bench.seen.back().attributes.address_space == kSpace);
}

TEST_CASE("the values of a fence are read in its address space", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  const auto reads = bench.to("memory");
  CHECK(reads.front().attributes.address_space == kSpace);
  CHECK(reads.front().attributes.operation == Operation::kReadMonitored);
  CHECK(reads.front().attributes.reader == event::Reader::kCmp);
  CHECK(reads.back().attributes.operation == Operation::kReadValue);
}

TEST_CASE("a fence is known by the object at its CurrentValue", "[cmp]") {
  Bench bench;
  const auto watch = [](std::uint64_t at, std::uint32_t object) {
    return common::Watch{at, 8, common::WatchKind::kCurrentValue, object, 1};
  };
  bench.vram.add(watch(kCurrent + 8 * 8, 50));
  bench.system.add(watch(abi::kSystemMemoryBit | 0x1000, 51));
  bench.vram.add(watch(kCurrent + 8 * 11, 52));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.make(8);
  CHECK(bench.fences.of(8) == 50);
  bench.field(9, abi::kFenceCurrentValue, abi::kSystemMemoryBit | 0x1000);
  bench.field(9, abi::kFenceControl, abi::kFenceValid);
  CHECK(bench.fences.of(9) == 51);
  bench.make(10);  // nobody watches there
  CHECK(bench.fences.of(10) == 0);
  bench.memory.unmapped = {kCurrent + 8 * 11};
  bench.make(11);
  CHECK(bench.fences.of(11) == 0);
}

TEST_CASE("the shadow is stored as a whole", "[cmp]") {
  const auto stores = shadow_stores(with(Stores::kWhole));
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].bytes == 8);
  CHECK(stores[0].attributes.posted);
  CHECK_FALSE(stores[0].attributes.partial);
  CHECK(stores[0].attributes.operation == Operation::kIssue);
}

TEST_CASE("the shadow is stored in halves where the device splits its stores", "[cmp]") {
  const auto stores = shadow_stores(with(Stores::kWhole), false);
  REQUIRE(stores.size() == 2);
  CHECK(stores[0].address == kShadows + 8 * kSlot + 4);
  CHECK(stores[0].value == 1);
  CHECK(stores[0].attributes.partial);
  CHECK(stores[1].address == kShadows + 8 * kSlot);
  CHECK(stores[1].value == 2);
  CHECK_FALSE(stores[1].attributes.partial);
}

TEST_CASE("a kick passes its flags on and says that it comes from the CPU", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kFenceKick, (abi::kFenceSlots + kSlot) | abi::kKickAlwaysSignaled);
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen[0].to == "rescans");
  CHECK(bench.seen[0].address == kSlot);
  CHECK(bench.seen[0].value ==
        ((abi::kFenceSlots + kSlot) | abi::kKickAlwaysSignaled | abi::kKickFromCpu));
  CHECK(bench.load(abi::kFenceKicksDone) == 1);
}

TEST_CASE("engines have copies of the addresses of shadows and peers", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kShadowBase, 0x9000);
  bench.store(abi::kPeerDoorbell + 8, 0xA000);
  bench.store(abi::kPeerTable + 16, 0xB000);
  for (const char* engine : {"engine0", "engine1"}) {
    const auto writes = bench.to(engine);
    REQUIRE(writes.size() == 3);
    CHECK(writes[0].address == abi::kShadowBase);
    CHECK(writes[0].value == 0x9000);
    CHECK(writes[1].address == abi::kPeerDoorbell + 8);
    CHECK(writes[2].address == abi::kPeerTable + 16);
  }
}

TEST_CASE("requests name a slot modulo the number of slots", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kMonitoredUpdate, abi::kFenceSlots + kSlot);
  bench.settle();
  CHECK(bench.seen[0].address == kMonitored + 8 * kSlot);
  bench.seen.clear();
  bench.store(abi::kLogFlush, abi::kQueueSlots + 6);
  bench.settle();
  CHECK(bench.seen[0].attributes.log_queue == 7);
}

TEST_CASE("an access to no register of the CMP fails", "[cmp]") {
  Bench bench;
  bench.begin();
  for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
    std::uint64_t value = 0;
    auto access = bench.simulation.transactions.lend(command, 0x7F000, &value, sizeof value);
    sc_core::sc_time delay;
    bench.registers.socket->b_transport(access->payload, delay);
    CHECK(access->payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

TEST_CASE("entries that messages need not push are relaxed", "[cmp]") {
  Ordering ordering;
  ordering.pcie.msi_ordered = false;
  Bench bench(ordering);
  bench.begin();
  bench.notice({1, 0, 0, 0, 5, Kind::kBufferCompleted});
  bench.settle();
  CHECK(bench.to("host")[0].attributes.relaxed);
}

TEST_CASE("log writes of engines pass the CMP unchanged", "[cmp]") {
  Bench bench;
  bench.begin();
  std::uint64_t value = 5;
  bench.send(bench.logs, 0x4000, &value, sizeof value);
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen[0].to == "memory");
  CHECK(bench.seen[0].address == 0x4000);
}

TEST_CASE("the state of the CMP tells pending notices apart", "[cmp]") {
  Bench bench;
  bench.begin();
  std::set<std::uint64_t> states{bench.it.state_hash()};
  const auto is_new = [&] { return states.insert(bench.it.state_hash()).second; };
  bench.signaled(0, kSlot, 21, 1);
  CHECK(is_new());
  bench.signaled(0, kSlot, 22, 1);
  CHECK(is_new());
  bench.signaled(0, kSlot, 22, 2);
  CHECK(is_new());
  bench.signaled(0, kOtherSlot, 22, 2);
  CHECK(is_new());
}

TEST_CASE("the state of the CMP tells unreported notices apart", "[cmp]") {
  Bench bench;
  bench.begin();
  std::set<std::uint64_t> states{bench.it.state_hash()};
  const auto is_new = [&] { return states.insert(bench.it.state_hash()).second; };
  for (const Kind kind :
       {Kind::kFenceWritten, Kind::kBufferCompleted, Kind::kPreempted, Kind::kVerticalSync,
        Kind::kTimedOut, Kind::kLogUnmapped, Kind::kBufferFaulted, Kind::kSuspended}) {
    bench.notice({2, 0, 1, 0, 30, kind});
    CHECK(is_new());
  }
  bench.notice({2, 0, 1, 0, 30, Kind::kPreempted});
  CHECK_FALSE(is_new());  // the same as before
  for (const Kind kind : {Kind::kBufferCompleted, Kind::kPreempted, Kind::kVerticalSync}) {
    bench.notice({2, 0, 1, 0, 31, kind});
    CHECK(is_new());
  }
  bench.notice({3, 0, 0, 0, 0, Kind::kFenceWritten});
  CHECK(is_new());
  bench.notice({3, 0, 0, 0, 0, Kind::kBufferCompleted});
  CHECK(is_new());
  bench.notice({2, 1, 1, 0, 30, Kind::kSuspended});
  CHECK(is_new());
  bench.notice({2, 0, 2, 0, 30, Kind::kTimedOut});
  CHECK(is_new());
  bench.notice({4, 0, 0, 0, 30, Kind::kPreempted});
  CHECK(is_new());
  bench.notice({4, 0, 0, 0, 0, Kind::kBufferCompleted});
  CHECK(is_new());
}

TEST_CASE("the state of the CMP tells the values of its fences apart", "[cmp]") {
  Bench bench;
  bench.begin();
  std::set<std::uint64_t> states{bench.it.state_hash()};
  bench.field(kSlot, abi::kFenceControl, 0);
  CHECK(states.insert(bench.it.state_hash()).second);
  bench.make(kSlot);
  CHECK_FALSE(states.insert(bench.it.state_hash()).second);
  bench.field(kSlot, abi::kFenceControl, 0);
  bench.make(kSlot - 1);  // the same values in another slot
  CHECK(states.insert(bench.it.state_hash()).second);
  bench.make(0);
  CHECK(states.insert(bench.it.state_hash()).second);
  bench.make(kOtherSlot + 1);
  CHECK(states.insert(bench.it.state_hash()).second);
}

}  // namespace fenceline::test_cmp::test_cmp_table
