// I81 to I86 and I108: memory that the OS manages.
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/base.h"
#include "tb/check/event_script.h"

namespace fenceline::check {

namespace {

using common::EventKind;
using common::MapMode;
using common::Placement;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kAddress = 0x10000;
constexpr std::uint64_t kRoot = 0x20000;
constexpr std::uint64_t kVmid = 3;
constexpr std::uint64_t kVram = static_cast<std::uint64_t>(Placement::kVram);
constexpr std::uint64_t kAperture = static_cast<std::uint64_t>(Placement::kAperture);
constexpr std::uint64_t kSystem = static_cast<std::uint64_t>(Placement::kSystem);
constexpr std::uint64_t kUsable = common::kFactCpuVisible | common::kFactAperture;

std::uint64_t hash(std::uint64_t word, std::uint64_t value) {
  return common::Hasher().add(word).add(value).value();
}

/// Allocations 1 and 2 of one address space of adapter 1, empty and in VRAM.
S& made(S& s) {
  s.stream.add_object(common::ObjectKind::kAllocation, "A");
  s.stream.add_object(common::ObjectKind::kAllocation, "B");
  s.on(EventKind::kAddressSpace, S::kCpu, 1, kVmid, kRoot);
  for (const std::uint32_t which : {1U, 2U}) {
    s.on(EventKind::kAllocationCreated, S::kCpu, which, kAddress * which, 8192, 1ULL << 48 | kRoot);
    s.on(EventKind::kAllocationPlaced, S::kCpu, which, kVram, 0);
  }
  return s;
}
S& gpu_store(S& s, std::uint64_t address, std::uint64_t value) {
  s.on(EventKind::kPacketBegin, S::kEngine, 1, 4, 0, 1);
  return s.on(EventKind::kGpuStore, S::kEngine, 1, address, value, kVmid);
}
S& lock(S& s, std::uint64_t facts, std::uint64_t after, NTSTATUS status = STATUS_SUCCESS) {
  return s.on(EventKind::kAllocationLocked, S::kUser, 1, static_cast<std::uint32_t>(status), facts,
              after);
}
S& map(S& s, MapMode mode, bool on = true) {
  return s.on(EventKind::kAllocationMapped, S::kUser, 1, static_cast<std::uint64_t>(mode),
              on ? 1 : 0);
}

}  // namespace

TEST_CASE("what was stored last is what is loaded wherever it is", "[check][memory]") {
  S s;
  gpu_store(made(s), kAddress + 16, 5);
  s.on(EventKind::kCpuLoad, S::kUser, 1, 16, 5).on(EventKind::kCpuStore, S::kUser, 1, 8, 6);
  s.on(EventKind::kAllocationPlaced, S::kCpu, 1, kSystem, hash(2, 5) + hash(1, 6));
  s.on(EventKind::kCpuStore, S::kUser, 1, 8, 0);
  s.on(EventKind::kAllocationPlaced, S::kCpu, 1, kVram, hash(2, 5));
  s.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress + 16, 2 * kAddress, 8 << 8 | kVmid);
  s.on(EventKind::kCpuLoad, S::kUser, 2, 0, 5);
  CHECK(s.broken().empty());
}

TEST_CASE("I81 breaks by a stale load and by a move that loses a byte", "[check][memory]") {
  S loaded;
  gpu_store(made(loaded), kAddress, 5).on(EventKind::kCpuLoad, S::kUser, 1, 0, 4);
  CHECK(loaded.broken() == Ids{"I81"});
  S moved;
  gpu_store(made(moved), kAddress, 5).on(EventKind::kAllocationPlaced, S::kCpu, 1, kAperture, 0);
  CHECK(moved.broken() == Ids{"I81"});
}

TEST_CASE("a copy may end within a word", "[check][memory]") {
  S s;
  gpu_store(made(s), kAddress, 0x1122334455667788);
  gpu_store(s, 2 * kAddress, ~0ULL);
  s.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress, 2 * kAddress, 3 << 8 | kVmid);
  s.on(EventKind::kCpuLoad, S::kUser, 2, 0, 0xFFFFFFFFFF667788);
  CHECK(s.broken().empty());
}

TEST_CASE("I82 breaks when a packet touches what is free or not resident", "[check][memory]") {
  S freed;
  made(freed).on(EventKind::kAllocationDestroyed, S::kCpu, 1, 1);
  gpu_store(freed, kAddress, 5);
  CHECK(freed.broken() == Ids{"I82"});
  const std::string message = freed.checkers.violations()[0].message;
  CHECK(message.find("packet 1 (WRITE) of buffer 1 on 'engine 3D'") != std::string::npos);
  CHECK(message.find("'A'") != std::string::npos);
  S evicted;
  made(evicted).on(EventKind::kAllocationPlaced, S::kCpu, 1, kSystem, 0);
  evicted.on(EventKind::kGpuTraffic, S::kEngine, 1, kAddress, 64, kVmid << 1);
  CHECK(evicted.broken() == Ids{"I82"});
  S beside;  // no allocation is there, or none of this address space
  gpu_store(made(beside), kAddress + 8192, 5);
  beside.on(EventKind::kGpuStore, S::kEngine, 1, kAddress, 5, kVmid + 1);
  beside.on(EventKind::kAllocationDestroyed, S::kCpu, 1, 0);
  CHECK(beside.broken().empty());
}

TEST_CASE("I83 follows the table of locks", "[check][memory]") {
  const auto verdict = [](std::uint64_t facts, std::uint64_t after, NTSTATUS status) {
    S s;
    return lock(made(s), facts, after, status).broken() == Ids{"I83"};
  };
  const std::uint64_t in_vram = kVram << common::kFactPlacementShift;
  const std::uint64_t outside = kSystem << common::kFactPlacementShift;
  const std::uint64_t visible = common::kFactSegmentVisible;
  const std::uint64_t window = common::kFactHostAperture;
  const NTSTATUS bad = STATUS_INVALID_PARAMETER;
  CHECK_FALSE(verdict(in_vram | kUsable | visible, kVram, STATUS_SUCCESS));
  CHECK(verdict(in_vram | kUsable | visible, kVram, bad));
  CHECK(verdict(in_vram | kUsable | common::kFactCached | visible, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | common::kFactCached | visible, kVram, bad));
  CHECK_FALSE(verdict(in_vram | kUsable | common::kFactCached, kSystem, STATUS_SUCCESS));
  CHECK(verdict(in_vram | common::kFactAperture | visible, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | common::kFactAperture, kAperture, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | window | common::kFactRoom, kVram, STATUS_SUCCESS));
  CHECK(verdict(in_vram | kUsable | window, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | window, kAperture, STATUS_SUCCESS));
  CHECK(verdict(outside, kSystem, bad));
  CHECK_FALSE(verdict(outside, kSystem, STATUS_GRAPHICS_TOO_MANY_REFERENCES));
  CHECK_FALSE(verdict(in_vram | common::kFactLocked, kVram, STATUS_SUCCESS));
}

TEST_CASE("I83 breaks when what is locked outside comes to VRAM", "[check][memory]") {
  const std::uint64_t outside = kSystem << common::kFactPlacementShift;
  S s;
  lock(made(s), outside | common::kFactCpuVisible, kSystem);
  s.on(EventKind::kAllocationPlaced, S::kCpu, 1, kVram, 0);
  CHECK(s.broken() == Ids{"I83"});
  S unlocked;
  lock(made(unlocked), outside | common::kFactCpuVisible, kSystem);
  unlocked.on(EventKind::kAllocationUnlocked, S::kUser, 1);
  unlocked.on(EventKind::kAllocationPlaced, S::kCpu, 1, kVram, 0);
  CHECK(unlocked.broken().empty());
  S aperture;
  lock(made(aperture), outside | kUsable, kSystem);
  aperture.on(EventKind::kAllocationPlaced, S::kCpu, 1, kVram, 0);
  CHECK(aperture.broken().empty());
}

TEST_CASE("I84 knows who has a page of the window", "[check][memory]") {
  S fine;
  fine.on(EventKind::kHostAperture, S::kCpu, 1, 3, 10, 1);
  fine.on(EventKind::kHostAperture, S::kCpu, 2, 3, 10, 1);  // of another adapter
  fine.on(EventKind::kHostAperture, S::kCpu, 1, 3, 0, 0);
  fine.on(EventKind::kAdapterPower, S::kCpu, 1, 3);
  CHECK(fine.broken().empty());
  S twice;
  twice.on(EventKind::kHostAperture, S::kCpu, 1, 3, 10, 1);
  twice.on(EventKind::kHostAperture, S::kCpu, 1, 3, 11, 1);
  CHECK(twice.broken() == Ids{"I84"});
  S never;
  never.on(EventKind::kHostAperture, S::kCpu, 1, 3, 0, 0);
  CHECK(never.broken() == Ids{"I84"});
  S asleep;
  asleep.on(EventKind::kHostAperture, S::kCpu, 1, 3, 10, 1);
  asleep.on(EventKind::kAdapterPower, S::kCpu, 1, 3);
  CHECK(asleep.broken() == Ids{"I84"});
}

TEST_CASE("I85 breaks when a packet touches what is mapped", "[check][memory]") {
  S writes;
  gpu_store(map(made(writes), MapMode::kRead), kAddress, 1);
  CHECK(writes.broken() == Ids{"I85"});
  S discards;
  map(made(discards), MapMode::kWriteDiscard);
  discards.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress, 2 * kAddress, 64 << 8 | kVmid);
  CHECK(discards.broken() == Ids{"I85"});
  S fine;
  map(made(fine), MapMode::kRead);
  fine.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress, 2 * kAddress, 64 << 8 | kVmid);
  map(fine, MapMode::kRead, false);
  gpu_store(map(fine, MapMode::kWriteNoOverwrite), kAddress, 1);
  map(fine, MapMode::kWriteNoOverwrite, false);
  gpu_store(fine, kAddress, 2);
  CHECK(fine.broken().empty());
}

TEST_CASE("the state of the memory checkers is what may yet count", "[check][memory]") {
  S first;
  S second;
  gpu_store(made(first), kAddress, 1);
  gpu_store(made(second), kAddress, 2);
  CHECK(first.checkers.state_hash() != second.checkers.state_hash());
  gpu_store(first, kAddress, 3);
  gpu_store(second, kAddress, 3);
  CHECK(first.checkers.state_hash() == second.checkers.state_hash());
  map(first, MapMode::kRead);
  CHECK(first.checkers.state_hash() != second.checkers.state_hash());
}

TEST_CASE("I86 breaks when the CPU reads a line that its caches have kept", "[check][memory]") {
  constexpr std::uint64_t kHides = common::kLoadNotSnooped | common::kLoadHidesMemory;
  S fine;
  gpu_store(made(fine), kAddress + 64, 5);
  fine.on(EventKind::kCpuLoad, S::kUser, 1, 64, 5, common::kLoadNotSnooped);
  CHECK(fine.broken().empty());
  S stale;
  made(stale).on(EventKind::kCacheMaintained, S::kUser, 1, 0, 4096, 0);
  gpu_store(stale, kAddress + 64, 5).on(EventKind::kCpuLoad, S::kUser, 1, 64, 0, kHides);
  CHECK(stale.broken() == Ids{"I86"});
}

TEST_CASE("I86 breaks when a copy reads what has not been written back", "[check][memory]") {
  constexpr std::uint64_t kLoads = kVmid | common::kGpuLoadNotSnooped;
  S s;
  made(s).on(EventKind::kCpuStore, S::kUser, 1, 8, 5);
  s.on(EventKind::kPacketBegin, S::kEngine, 1, 4, 0, 1);
  s.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress, 2 * kAddress, 64 << 8 | kVmid);
  s.on(EventKind::kGpuLoad, S::kEngine, 1, kAddress, 0, kLoads);
  CHECK(s.broken().empty());
  s.on(EventKind::kGpuLoad, S::kEngine, 1, kAddress + 8, 0, kLoads);
  CHECK(s.broken() == Ids{"I86"});
  // What was read is what the destination holds.
  s.on(EventKind::kCpuLoad, S::kUser, 2, 8, 0);
  CHECK(s.broken() == Ids{"I86"});
}

/// A copy of the first line of A to B that finds `value` in the first word.
static S& copied(S& s, std::uint64_t value) {
  s.on(EventKind::kPacketBegin, S::kEngine, 1, 4, 0, 1);
  s.on(EventKind::kGpuCopy, S::kEngine, 1, kAddress, 2 * kAddress, 64 << 8 | kVmid);
  return s.on(EventKind::kGpuLoad, S::kEngine, 1, kAddress, value, kVmid);
}

TEST_CASE("I108 breaks when a copy reads what a core has not sent", "[check][memory]") {
  constexpr std::uint64_t kCore = 1;
  constexpr auto kFence = static_cast<std::uint64_t>(common::CombiningDrain::kFence);
  const auto stored = [](S& s) -> S& {
    s.stream.add_object(common::ObjectKind::kCore, "core0");
    return made(s).on(EventKind::kCpuStore, S::kUser, 1, 0, 5, kCore);
  };
  S fenced;
  stored(fenced).on(EventKind::kCombiningDrained, S::kUser, kCore, kFence, 10);
  CHECK(copied(fenced, 5).broken().empty());
  S there;  // it has left by itself
  CHECK(copied(stored(there), 5).broken().empty());
  S stale;
  CHECK(copied(stored(stale), 0).broken() == Ids{"I108"});
  // What was read is what the destination holds.
  stale.on(EventKind::kCpuLoad, S::kUser, 2, 0, 0);
  CHECK(stale.broken() == Ids{"I108"});
  S early;  // a fence before the store is none
  early.on(EventKind::kCombiningDrained, S::kUser, kCore, kFence, 10);
  CHECK(copied(stored(early), 0).broken() == Ids{"I108"});
}

TEST_CASE("I108 and not I81 breaks where another core loads too early", "[check][memory]") {
  S s;
  s.stream.add_object(common::ObjectKind::kCore, "core0");
  made(s).on(EventKind::kCpuStore, S::kUser, 1, 8, 5, 1).on(EventKind::kCpuLoad, S::kUser, 1, 8, 0);
  CHECK(s.broken() == Ids{"I108"});
  S other;  // sent, and still not there: something else is wrong
  other.stream.add_object(common::ObjectKind::kCore, "core0");
  made(other).on(EventKind::kCpuStore, S::kUser, 1, 8, 5, 1);
  other.on(EventKind::kCombiningDrained, S::kUser, 1, 0, 10);
  CHECK(other.on(EventKind::kCpuLoad, S::kUser, 1, 8, 0).broken() == Ids{"I81"});
}

}  // namespace fenceline::check
