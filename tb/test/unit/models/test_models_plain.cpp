#include <catch2/catch.hpp>

#include "models/abi/registers.h"
#include "models/cmp/interrupt_ring.h"
#include "models/common/steps/operations.h"
#include "models/common/steps/time.h"
#include "models/common/watches.h"
#include "models/memory/sparse_memory.h"

namespace fenceline::models_tests::test_models_plain {

using fenceline::cmp::InterruptRing;
using fenceline::common::Watches;
using fenceline::common::WatchKind;
using fenceline::memory::SparseMemory;
namespace abi = fenceline::abi;

namespace {
InterruptRing ring_of(std::uint64_t entries) {
  InterruptRing ring;
  ring.set_base(0x1000);
  ring.set_entries(entries);
  ring.enable(true);
  return ring;
}
}  // namespace

TEST_CASE("one message covers all entries written before its acknowledgement", "[cmp]") {
  InterruptRing ring = ring_of(4);
  CHECK(ring.next_sequence() == 1);
  CHECK(ring.written());
  CHECK_FALSE(ring.written());
  CHECK_FALSE(ring.acknowledge(2));
  CHECK(ring.written());
}

TEST_CASE("an acknowledgement that is behind raises the next message at once", "[cmp]") {
  InterruptRing ring = ring_of(4);
  ring.written();
  ring.written();
  CHECK(ring.acknowledge(1));
}

TEST_CASE("an acknowledgement without a count forgets what came meanwhile", "[cmp]") {
  InterruptRing ring = ring_of(4);
  ring.written();
  ring.written();
  CHECK_FALSE(ring.acknowledge(abi::kAcknowledgeWithoutCount));
  CHECK_FALSE(ring.full());
}

TEST_CASE("entries wrap at the end of the ring which is full when none has been read", "[cmp]") {
  InterruptRing ring = ring_of(2);
  CHECK(ring.next_address() == 0x1000);
  ring.written();
  CHECK(ring.next_address() == 0x1000 + sizeof(abi::InterruptEntry));
  ring.written();
  CHECK(ring.full());
  ring.acknowledge(1);
  CHECK_FALSE(ring.full());
  CHECK(ring.next_address() == 0x1000);
}

TEST_CASE("a ring that is not set up is not used", "[cmp]") {
  InterruptRing ring;
  CHECK_FALSE(ring.ready());
  ring.enable(true);
  CHECK_FALSE(ring.ready());
}

TEST_CASE("memory reads as zero until it is written across pages too", "[memory]") {
  SparseMemory memory(1 << 20);
  std::uint64_t value = 1;
  memory.read(4092, &value, sizeof value);
  CHECK(value == 0);
  const std::uint64_t stored = 0x0102030405060708;
  memory.write(4092, &stored, sizeof stored);
  memory.read(4092, &value, sizeof value);
  CHECK(value == stored);
  CHECK(memory.word(4096) == (stored >> 32));
}

TEST_CASE("a watch covers its bytes and no others", "[memory]") {
  Watches watches;
  watches.add({0x2008, 8, WatchKind::kCurrentValue, 3, 1});
  REQUIRE(watches.find(0x200F) != nullptr);
  CHECK(watches.find(0x2008)->object == 3);
  CHECK(watches.find(0x2007) == nullptr);
  CHECK(watches.find(0x2010) == nullptr);
  watches.remove(0x2008);
  CHECK(watches.find(0x2008) == nullptr);
}

TEST_CASE("operations have names that lead back to them", "[steps]") {
  using fenceline::common::find_operation;
  using fenceline::common::Operation;
  for (std::size_t i = 0; i < fenceline::common::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    CHECK(find_operation(fenceline::common::operation_name(operation)) == operation);
  }
  CHECK(find_operation("nonsense") == Operation::kCount);
}

TEST_CASE("transfer times are rounded up", "[time]") {
  CHECK(fenceline::common::transfer_time(1000, 1000) == 1'000'000);
  CHECK(fenceline::common::transfer_time(1, 3) == 333'334);
}

}  // namespace fenceline::models_tests::test_models_plain
