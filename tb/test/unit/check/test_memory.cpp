// I81 to I86 and I108: memory that the OS manages.
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/base.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_memory {

namespace {

using event::MapMode;
using event::Placement;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kAddress = 0x10000;
constexpr std::uint64_t kRoot = 0x20000;
constexpr std::uint64_t kVmid = 3;
constexpr Placement kVram = Placement::kVram;
constexpr Placement kAperture = Placement::kAperture;
constexpr Placement kSystem = Placement::kSystem;
constexpr std::uint64_t kUsable = event::kFactCpuVisible | event::kFactAperture;

/// The fact that an allocation is there.
constexpr std::uint64_t placed_in(Placement placement) {
  return static_cast<std::uint64_t>(placement) << event::kFactPlacementShift;
}

std::uint64_t hash(std::uint64_t word, std::uint64_t value) {
  return common::Hasher().add(word).add(value).value();
}

/// Allocations 1 and 2 of one address space of adapter 1, empty and in VRAM.
S& made(S& s) {
  s.stream.add_object(common::ObjectKind::kAllocation, "A");
  s.stream.add_object(common::ObjectKind::kAllocation, "B");
  s.on(S::kCpu, event::AddressSpace{1, kVmid, kRoot});
  for (const std::uint32_t which : {1U, 2U}) {
    s.on(S::kCpu, event::AllocationCreated{which, kAddress * which, 8192, kRoot, 1});
    s.on(S::kCpu, event::AllocationPlaced{which, kVram, 0, 0});
  }
  return s;
}
S& gpu_store(S& s, std::uint64_t address, std::uint64_t value) {
  s.on(S::kEngine, event::PacketBegin{1, 4, 0, 1});
  return s.on(S::kEngine, event::GpuStore{1, address, value, kVmid});
}
S& lock(S& s, std::uint64_t facts, Placement after, NTSTATUS status = STATUS_SUCCESS) {
  return s.on(S::kUser, event::AllocationLocked{1, static_cast<std::uint32_t>(status), facts,
                                                static_cast<std::uint64_t>(after)});
}
S& map(S& s, MapMode mode, bool on = true) {
  return s.on(S::kUser, event::AllocationMapped{1, mode, on});
}

}  // namespace

TEST_CASE("a load returns the last store wherever the memory is", "[check][memory]") {
  S s;
  gpu_store(made(s), kAddress + 16, 5);
  s.on(S::kUser, event::CpuLoad{1, 16, 5, 0}).on(S::kUser, event::CpuStore{1, 8, 6, 0});
  s.on(S::kCpu, event::AllocationPlaced{1, kSystem, hash(2, 5) + hash(1, 6), 0});
  s.on(S::kUser, event::CpuStore{1, 8, 0, 0});
  s.on(S::kCpu, event::AllocationPlaced{1, kVram, hash(2, 5), 0});
  s.on(S::kEngine, event::GpuCopy{1, kAddress + 16, 2 * kAddress, kVmid, 8});
  s.on(S::kUser, event::CpuLoad{2, 0, 5, 0});
  CHECK(s.broken().empty());
}

TEST_CASE("I81 breaks by a stale load and by a move that loses a byte", "[check][memory]") {
  S loaded;
  gpu_store(made(loaded), kAddress, 5).on(S::kUser, event::CpuLoad{1, 0, 4, 0});
  CHECK(loaded.broken() == Ids{"I81"});
  S moved;
  gpu_store(made(moved), kAddress, 5).on(S::kCpu, event::AllocationPlaced{1, kAperture, 0, 0});
  CHECK(moved.broken() == Ids{"I81"});
}

TEST_CASE("a copy may end within a word", "[check][memory]") {
  S s;
  gpu_store(made(s), kAddress, 0x1122334455667788);
  gpu_store(s, 2 * kAddress, ~0ULL);
  s.on(S::kEngine, event::GpuCopy{1, kAddress, 2 * kAddress, kVmid, 3});
  s.on(S::kUser, event::CpuLoad{2, 0, 0xFFFFFFFFFF667788, 0});
  CHECK(s.broken().empty());
}

TEST_CASE("I82 breaks when a packet touches memory that is free or not resident",
          "[check][memory]") {
  S freed;
  made(freed).on(S::kCpu, event::AllocationDestroyed{1, true});
  gpu_store(freed, kAddress, 5);
  CHECK(freed.broken() == Ids{"I82"});
  const std::string message = freed.checkers.violations()[0].message;
  CHECK(message.find("packet 1 (WRITE) of buffer 1 on 'engine 3D'") != std::string::npos);
  CHECK(message.find("'A'") != std::string::npos);
  S evicted;
  made(evicted).on(S::kCpu, event::AllocationPlaced{1, kSystem, 0, 0});
  evicted.on(S::kEngine, event::GpuTraffic{1, kAddress, 64, false, kVmid});
  CHECK(evicted.broken() == Ids{"I82"});
  S beside;  // no allocation is there, or none of this address space
  gpu_store(made(beside), kAddress + 8192, 5);
  beside.on(S::kEngine, event::GpuStore{1, kAddress, 5, kVmid + 1});
  beside.on(S::kCpu, event::AllocationDestroyed{1, false});
  CHECK(beside.broken().empty());
}

TEST_CASE("I83 follows the table of locks", "[check][memory]") {
  const auto verdict = [](std::uint64_t facts, Placement after, NTSTATUS status) {
    S s;
    return lock(made(s), facts, after, status).broken() == Ids{"I83"};
  };
  const std::uint64_t in_vram = placed_in(kVram);
  const std::uint64_t outside = placed_in(kSystem);
  const std::uint64_t visible = event::kFactSegmentVisible;
  const std::uint64_t window = event::kFactHostAperture;
  const NTSTATUS bad = STATUS_INVALID_PARAMETER;
  CHECK_FALSE(verdict(in_vram | kUsable | visible, kVram, STATUS_SUCCESS));
  CHECK(verdict(in_vram | kUsable | visible, kVram, bad));
  CHECK(verdict(in_vram | kUsable | event::kFactCached | visible, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | event::kFactCached | visible, kVram, bad));
  CHECK_FALSE(verdict(in_vram | kUsable | event::kFactCached, kSystem, STATUS_SUCCESS));
  CHECK(verdict(in_vram | event::kFactAperture | visible, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | event::kFactAperture, kAperture, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | window | event::kFactRoom, kVram, STATUS_SUCCESS));
  CHECK(verdict(in_vram | kUsable | window, kVram, STATUS_SUCCESS));
  CHECK_FALSE(verdict(in_vram | kUsable | window, kAperture, STATUS_SUCCESS));
  CHECK(verdict(outside, kSystem, bad));
  CHECK_FALSE(verdict(outside, kSystem, STATUS_GRAPHICS_TOO_MANY_REFERENCES));
  CHECK_FALSE(verdict(in_vram | event::kFactLocked, kVram, STATUS_SUCCESS));
}

TEST_CASE("I83 breaks when memory locked outside VRAM moves to VRAM", "[check][memory]") {
  const std::uint64_t outside = placed_in(kSystem);
  S s;
  lock(made(s), outside | event::kFactCpuVisible, kSystem);
  s.on(S::kCpu, event::AllocationPlaced{1, kVram, 0, 0});
  CHECK(s.broken() == Ids{"I83"});
  S unlocked;
  lock(made(unlocked), outside | event::kFactCpuVisible, kSystem);
  unlocked.on(S::kUser, event::AllocationUnlocked{1});
  unlocked.on(S::kCpu, event::AllocationPlaced{1, kVram, 0, 0});
  CHECK(unlocked.broken().empty());
  S aperture;
  lock(made(aperture), outside | kUsable, kSystem);
  aperture.on(S::kCpu, event::AllocationPlaced{1, kVram, 0, 0});
  CHECK(aperture.broken().empty());
}

TEST_CASE("I84 knows who has a page of the window", "[check][memory]") {
  S fine;
  fine.on(S::kCpu, event::HostAperture{1, 3, 10, true});
  fine.on(S::kCpu, event::HostAperture{2, 3, 10, true});  // of another adapter
  fine.on(S::kCpu, event::HostAperture{1, 3, 0, false});
  fine.on(S::kCpu, event::AdapterPower{1, 3, 0, false});
  CHECK(fine.broken().empty());
  S twice;
  twice.on(S::kCpu, event::HostAperture{1, 3, 10, true});
  twice.on(S::kCpu, event::HostAperture{1, 3, 11, true});
  CHECK(twice.broken() == Ids{"I84"});
  S never;
  never.on(S::kCpu, event::HostAperture{1, 3, 0, false});
  CHECK(never.broken() == Ids{"I84"});
  S asleep;
  asleep.on(S::kCpu, event::HostAperture{1, 3, 10, true});
  asleep.on(S::kCpu, event::AdapterPower{1, 3, 0, false});
  CHECK(asleep.broken() == Ids{"I84"});
}

TEST_CASE("I81 knows words that are copied from memory that does not move", "[check][memory]") {
  constexpr std::uint64_t kFixed = 64 * kAddress;
  S fine;
  made(fine);
  gpu_store(fine, kFixed, 5);
  fine.on(S::kEngine, event::GpuCopy{1, kFixed, kAddress, kVmid, 8});
  fine.on(S::kUser, event::CpuLoad{1, 0, 5, 0});
  CHECK(fine.broken().empty());
  S back;  // through it and back
  gpu_store(made(back), kAddress, 6);
  back.on(S::kEngine, event::GpuCopy{1, kAddress, kFixed, kVmid, 8});
  back.on(S::kEngine, event::GpuCopy{1, kFixed, kAddress + 8, kVmid, 8});
  back.on(S::kUser, event::CpuLoad{1, 8, 0, 0});
  CHECK(back.broken() == Ids{"I81"});
}

TEST_CASE("I85 breaks when a packet touches mapped memory", "[check][memory]") {
  S writes;
  gpu_store(map(made(writes), MapMode::kRead), kAddress, 1);
  CHECK(writes.broken() == Ids{"I85"});
  S discards;
  map(made(discards), MapMode::kWriteDiscard);
  discards.on(S::kEngine, event::GpuCopy{1, kAddress, 2 * kAddress, kVmid, 64});
  CHECK(discards.broken() == Ids{"I85"});
  S fine;
  map(made(fine), MapMode::kRead);
  fine.on(S::kEngine, event::GpuCopy{1, kAddress, 2 * kAddress, kVmid, 64});
  map(fine, MapMode::kRead, false);
  gpu_store(map(fine, MapMode::kWriteNoOverwrite), kAddress, 1);
  map(fine, MapMode::kWriteNoOverwrite, false);
  gpu_store(fine, kAddress, 2);
  CHECK(fine.broken().empty());
}

TEST_CASE("the state of the memory checkers has only facts that may still count",
          "[check][memory]") {
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
  constexpr std::uint64_t kHides = event::kLoadNotSnooped | event::kLoadHidesMemory;
  S fine;
  gpu_store(made(fine), kAddress + 64, 5);
  fine.on(S::kUser, event::CpuLoad{1, 64, 5, event::kLoadNotSnooped});
  CHECK(fine.broken().empty());
  S stale;
  made(stale).on(S::kUser, event::CacheMaintained{1, 0, 4096, event::CacheCall::kUserMode});
  gpu_store(stale, kAddress + 64, 5).on(S::kUser, event::CpuLoad{1, 64, 0, kHides});
  CHECK(stale.broken() == Ids{"I86"});
}

TEST_CASE("I86 breaks when a copy reads a line that is not written back", "[check][memory]") {
  S s;
  made(s).on(S::kUser, event::CpuStore{1, 8, 5, 0});
  s.on(S::kEngine, event::PacketBegin{1, 4, 0, 1});
  s.on(S::kEngine, event::GpuCopy{1, kAddress, 2 * kAddress, kVmid, 64});
  s.on(S::kEngine, event::GpuLoad{1, kAddress, 0, kVmid, true});
  CHECK(s.broken().empty());
  s.on(S::kEngine, event::GpuLoad{1, kAddress + 8, 0, kVmid, true});
  CHECK(s.broken() == Ids{"I86"});
  // What was read is what the destination holds.
  s.on(S::kUser, event::CpuLoad{2, 8, 0, 0});
  CHECK(s.broken() == Ids{"I86"});
}

/// A copy of the first line of A to B that finds `value` in the first word.
static S& copied(S& s, std::uint64_t value) {
  s.on(S::kEngine, event::PacketBegin{1, 4, 0, 1});
  s.on(S::kEngine, event::GpuCopy{1, kAddress, 2 * kAddress, kVmid, 64});
  return s.on(S::kEngine, event::GpuLoad{1, kAddress, value, kVmid, false});
}

TEST_CASE("I108 breaks when a copy reads a store that a core has not sent", "[check][memory]") {
  constexpr std::uint64_t kCore = 1;
  constexpr auto kFence = event::CombiningDrain::kFence;
  const auto stored = [](S& s) -> S& {
    s.stream.add_object(common::ObjectKind::kCore, "core0");
    return made(s).on(S::kUser, event::CpuStore{1, 0, 5, kCore});
  };
  S fenced;
  stored(fenced).on(S::kUser, event::CombiningDrained{kCore, kFence, 10});
  CHECK(copied(fenced, 5).broken().empty());
  S there;  // it has left by itself
  CHECK(copied(stored(there), 5).broken().empty());
  S stale;
  CHECK(copied(stored(stale), 0).broken() == Ids{"I108"});
  // What was read is what the destination holds.
  stale.on(S::kUser, event::CpuLoad{2, 0, 0, 0});
  CHECK(stale.broken() == Ids{"I108"});
  S early;  // a fence before the store is none
  early.on(S::kUser, event::CombiningDrained{kCore, kFence, 10});
  CHECK(copied(stored(early), 0).broken() == Ids{"I108"});
}

TEST_CASE("I108 and not I81 breaks where another core loads too early", "[check][memory]") {
  S s;
  s.stream.add_object(common::ObjectKind::kCore, "core0");
  made(s).on(S::kUser, event::CpuStore{1, 8, 5, 1}).on(S::kUser, event::CpuLoad{1, 8, 0, 0});
  CHECK(s.broken() == Ids{"I108"});
  S other;  // sent, and still not there: something else is wrong
  other.stream.add_object(common::ObjectKind::kCore, "core0");
  made(other).on(S::kUser, event::CpuStore{1, 8, 5, 1});
  other.on(S::kUser, event::CombiningDrained{1, event::CombiningDrain::kFence, 10});
  CHECK(other.on(S::kUser, event::CpuLoad{1, 8, 0, 0}).broken() == Ids{"I81"});
}

}  // namespace fenceline::check::test_memory
