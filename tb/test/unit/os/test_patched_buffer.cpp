// Where buffers are split, and what is left bound at the edges.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/os/contexts/patched_buffer.h"
#include "tb/test/support/event_script.h"

namespace fenceline::test_patched_buffer {

using os::PartRange;
using os::PatchedBuffer;
using Location = D3DDDI_PATCHLOCATIONLIST;
using Ids = std::vector<std::string>;
using S = check::EventScript;

namespace {

Location bind(UINT slot, UINT allocation, UINT offset) {
  return {allocation, slot, 0, 0, offset, 0};
}
Location mark(UINT offset) { return {0, Location::kNoSlot, 0, 0, offset, offset}; }

/// 100 bytes, which can be split at 40 and 80; each piece binds one allocation.
PatchedBuffer three_pieces() {
  PatchedBuffer buffer;
  buffer.bytes = 100;
  buffer.locations = {bind(0, 1, 8), mark(40), bind(1, 2, 48), mark(80), bind(2, 3, 88)};
  return buffer;
}

std::vector<std::pair<UINT, UINT>> ends(const std::vector<PartRange>& parts) {
  std::vector<std::pair<UINT, UINT>> result;
  for (const PartRange& part : parts) result.emplace_back(part.end, part.last);
  return result;
}
using Ends = std::vector<std::pair<UINT, UINT>>;

constexpr std::uint64_t kSubmission = 7, kEngine = 1;
constexpr std::uint64_t kSlot = 1ULL << 56;

}  // namespace

TEST_CASE("a buffer is split where it can be or where allocations do not fit", "[os][split]") {
  const PatchedBuffer buffer = three_pieces();
  CHECK(ends(split_buffer(buffer, {0, 10, 10, 10}, 0)) == Ends{{40, 1}, {80, 3}, {100, 5}});
  CHECK(ends(split_buffer(buffer, {0, 10, 10, 10}, 30)) == Ends{{100, 5}});
  CHECK(ends(split_buffer(buffer, {0, 10, 10, 10}, 20)) == Ends{{80, 3}, {100, 5}});
  CHECK(ends(split_buffer(buffer, {0, 10, 20, 10}, 20)) == Ends{{40, 1}, {80, 3}, {100, 5}});
  CHECK(split_buffer(buffer, {0, 10, 30, 10}, 20).empty());
}

TEST_CASE("a slot that a part leaves bound must be unbound or bound again by later parts",
          "[os][split]") {
  PatchedBuffer buffer = three_pieces();
  const auto leak = [&] {
    return find_binding_leak(buffer, split_buffer(buffer, {0, 1, 1, 1}, 0));
  };
  CHECK(leak() == 0);
  buffer.locations = {bind(0, 1, 8),  bind(0, 0, 16), mark(40),
                      bind(1, 2, 48), mark(80),       bind(1, 2, 88)};
  CHECK_FALSE(leak());
  buffer.locations.back() = bind(2, 2, 88);
  CHECK(leak() == 1);
}

TEST_CASE("a part with an unbound or a wrongly bound slot breaks I93", "[check][split]") {
  const auto run = [](std::uint64_t bound, std::uint64_t used, std::uint64_t place) {
    S s;
    s.on(S::kCpu, event::PartGiven{1, kSubmission, kEngine, 0, 0x1000});
    s.on(S::kCpu, event::PatchLocation{1, kSubmission, kEngine, kSlot | bound, 0x1000});
    s.on(S::kEngine, event::BoundUse{1, kSubmission, kEngine, kSlot | used, place});
    return s.broken();
  };
  CHECK(run(0x5000, 0x5000, 0x1020) == Ids{});
  CHECK(run(0x5000, 0x6000, 0x1020) == Ids{"I93"});
  CHECK(run(0x5000, 0x5000, 0x0FF0) == Ids{"I93"});
  CHECK(run(0, 0x5000, 0x1020) == Ids{"I93"});
}

TEST_CASE("adapters that run different packets of one buffer break I95", "[check][split]") {
  const auto run = [](std::uint64_t broadcast, std::uint64_t hash) {
    S s;
    for (const std::uint32_t adapter : {1U, 2U}) {
      s.on(S::kCpu, event::PartGiven{adapter, kSubmission, kEngine, broadcast, 0x1000});
      s.on(S::kEngine,
           event::PacketRead{adapter, kSubmission, kEngine, adapter == 1 ? 5 : hash, 0x1000});
    }
    return s.broken();
  };
  CHECK(run(1, 5) == Ids{});
  CHECK(run(1, 6) == Ids{"I95"});
  CHECK(run(0, 6) == Ids{});
}

}  // namespace fenceline::test_patched_buffer
