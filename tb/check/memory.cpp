#include "tb/check/memory.h"

#include <algorithm>

#include "kmd_stub/wddm/base.h"
#include "models/abi/packets.h"

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::MapMode;
using common::ObjectKind;
using common::Placement;

namespace {

const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::kVram:
      return "VRAM";
    case Placement::kAperture:
      return "system memory for the GPU";
    default:
      return "system memory";
  }
}

const char* name_of(MapMode mode) {
  constexpr const char* kNames[] = {"read", "write", "read_write", "write_discard",
                                    "write_no_overwrite"};
  return kNames[static_cast<std::size_t>(mode)];
}

Placement placement_of(std::uint64_t facts) {
  return static_cast<Placement>(facts >> common::kFactPlacementShift);
}

/// What the documents say of a lock.
enum class Lawful : std::uint8_t {
  kAlways,       ///< it succeeds
  kInVram,       ///< it succeeds where the content is
  kOutsideOnly,  ///< if it succeeds, the content has left VRAM
};
Lawful lawful(std::uint64_t facts) {
  const auto has = [facts](std::uint64_t bit) { return (facts & bit) != 0; };
  if (placement_of(facts) != Placement::kVram || has(common::kFactLocked)) return Lawful::kAlways;
  if (!has(common::kFactCpuVisible) || has(common::kFactCached)) return Lawful::kOutsideOnly;
  if (has(common::kFactSegmentVisible)) return Lawful::kInVram;
  return has(common::kFactHostAperture) && has(common::kFactRoom) ? Lawful::kInVram
                                                                  : Lawful::kOutsideOnly;
}

}  // namespace

MemoryChecks& MemoryChecks::operator=(const MemoryChecks& other) {
  roots_ = other.roots_;
  spaces_ = other.spaces_;
  allocations_ = other.allocations_;
  places_ = other.places_;
  windows_ = other.windows_;
  drained_ = other.drained_;
  order_ = other.order_;
  return *this;
}

std::uint64_t MemoryChecks::Allocation::word(std::uint64_t number) const {
  const auto found = words.find(number);
  return found == words.end() ? 0 : found->second;
}

void MemoryChecks::Allocation::store(std::uint64_t number, std::uint64_t value) {
  if (value == 0)
    words.erase(number);
  else
    words[number] = value;
}

/// As the OS makes it of the bytes at their home.
std::uint64_t MemoryChecks::Allocation::hash() const {
  std::uint64_t sum = 0;
  for (const auto& [number, value] : words) sum += Hasher().add(number).add(value).value();
  return sum;
}

std::string MemoryChecks::quoted(std::uint32_t number) const {
  return "allocation " + world_.report.name(ObjectKind::kAllocation, number);
}

/// "packet 3 (WRITE) of buffer 7 on gpu0.copy0"
std::string MemoryChecks::packet(const Event& event) const {
  const auto found = places_.find(event.agent);
  const Place place = found != places_.end() ? found->second : Place();
  return describe({event.agent, true, place.buffers, place.packets, place.opcode, 0, 0, 0});
}

void MemoryChecks::on_address_space(const Event& event) {
  roots_[std::uint64_t{event.object} << 32 | event.a] = event.b;
}

void MemoryChecks::on_created(const Event& event) {
  Allocation& made = allocations_[event.object];
  made = Allocation();
  made.address = event.a;
  made.bytes = event.b;
  spaces_[event.c][event.a] = event.object;
}

void MemoryChecks::on_placed(const Event& event) {
  Reporter& report = world_.report;
  Allocation& moved = allocations_[event.object];
  moved.placement = static_cast<Placement>(event.a);
  report.checked(Invariant::kContent);
  moved.lost = moved.lost || (event.c & common::kFactLost) != 0;
  if (!moved.lost && event.b != moved.hash() && report.broken(Invariant::kContent, event.object))
    report.add(Invariant::kContent, 0,
               quoted(event.object) + " does not hold what was written to it in " +
                   name_of(moved.placement) + " " + at_time(report.time()));
  if (!moved.pinned || moved.locks == 0) return;
  report.checked(Invariant::kLockRules);
  if (moved.placement == Placement::kVram && report.broken(Invariant::kLockRules, event.object))
    report.add(Invariant::kLockRules, 0,
               quoted(event.object) + " was committed to VRAM " + at_time(report.time()) +
                   " although it was locked outside the device and has no aperture segment");
}

void MemoryChecks::on_locked(const Event& event) {
  Reporter& report = world_.report;
  Allocation& locked = allocations_[event.object];
  const bool succeeded = static_cast<std::int32_t>(event.a) >= 0;
  const auto after = static_cast<Placement>(event.c);
  const Lawful law = lawful(event.b);
  report.checked(Invariant::kLockRules);
  const bool reached = law == Lawful::kOutsideOnly && succeeded && after == Placement::kVram;
  const bool refused = law != Lawful::kOutsideOnly && !succeeded &&
                       static_cast<NTSTATUS>(event.a) != STATUS_GRAPHICS_TOO_MANY_REFERENCES;
  if ((reached || refused) && report.broken(Invariant::kLockRules, event.object))
    report.add(Invariant::kLockRules, 0,
               quoted(event.object) +
                   (reached ? " was locked in VRAM, where the CPU has no lawful way to it, "
                            : " could not be locked where a lock is sure to succeed, ") +
                   at_time(report.time()));
  if (!succeeded) return;
  ++locked.locks;
  locked.pinned = after == Placement::kSystem && (event.b & common::kFactAperture) == 0;
}

void MemoryChecks::on_unlocked(const Event& event) {
  Allocation& allocation = allocations_[event.object];
  if (allocation.locks != 0) --allocation.locks;
  if (allocation.locks == 0) allocation.pinned = false;
}

void MemoryChecks::on_destroyed(const Event& event) {
  Allocation& allocation = allocations_[event.object];
  allocation.alive = false;
  allocation.words.clear();
}

void MemoryChecks::on_mapped(const Event& event) {
  Allocation& allocation = allocations_[event.object];
  allocation.mapped = event.b != 0;
  allocation.mode = static_cast<MapMode>(event.a);
}

void MemoryChecks::on_cpu_store(const Event& event) {
  note_writer(event, false, event.object, event.a, kWord);
  Writer& writer = allocations_[event.object].writers[event.a / kLine];
  writer.core = static_cast<std::uint32_t>(event.c);
  writer.order = ++order_;
  allocations_[event.object].store(event.a / kWord, event.b);
}

void MemoryChecks::on_cpu_load(const Event& event) {
  Reporter& report = world_.report;
  if (allocations_[event.object].lost) return;
  const std::uint64_t wanted = allocations_[event.object].word(event.a / kWord);
  if ((event.c & common::kLoadNotSnooped) != 0) {
    report.checked(Invariant::kCoherency);
    if (event.b != wanted) stale_load(event, wanted);
    return;
  }
  if (event.b != wanted && judge_combined(event, event.object, event.a)) return;
  report.checked(Invariant::kContent);
  if (event.b == wanted || !report.broken(Invariant::kContent, event.object)) return;
  report.add(Invariant::kContent, 0,
             "the CPU read " + text(event.b) + " at offset " + text(event.a) + " of " +
                 quoted(event.object) + " " + at_time(report.time()) + ", where " + text(wanted) +
                 " was written last");
}

std::uint32_t MemoryChecks::find(std::uint64_t adapter, std::uint64_t vmid,
                                 std::uint64_t address) const {
  const auto root = roots_.find(adapter << 32 | vmid);
  if (root == roots_.end()) return 0;
  const auto space = spaces_.find(adapter << 48 | root->second);
  if (space == spaces_.end()) return 0;
  auto at = space->second.upper_bound(address);
  if (at == space->second.begin()) return 0;
  --at;
  const Allocation& allocation = allocations_.at(at->second);
  return address - allocation.address < allocation.bytes ? at->second : 0;
}

/// An engine is about to touch an allocation.
void MemoryChecks::judge_use(const Event& event, std::uint32_t number, std::uint64_t address,
                             bool writes) {
  Reporter& report = world_.report;
  const Allocation& used = allocations_.at(number);
  report.checked(Invariant::kGpuMemory);
  const bool there = used.alive && used.placement != Placement::kSystem;
  if (!there && report.broken(Invariant::kGpuMemory, number))
    report.add(Invariant::kGpuMemory, 0,
               packet(event) + " touches offset " + text(address - used.address) + " of " +
                   quoted(number) + " " + at_time(report.time()) +
                   (used.alive ? ", which is not resident" : ", whose memory has been freed"));
  if (!used.mapped || used.mode == MapMode::kWriteNoOverwrite) return;
  report.checked(Invariant::kMapSync);
  if (used.mode == MapMode::kRead && !writes) return;
  if (report.broken(Invariant::kMapSync, number))
    report.add(Invariant::kMapSync, 0,
               packet(event) + (writes ? " writes " : " reads ") + quoted(number) + " " +
                   at_time(report.time()) + ", which is mapped for " + name_of(used.mode));
}

void MemoryChecks::on_gpu_store(const Event& event) {
  const std::uint32_t number = find(event.object, event.c, event.a);
  if (number == 0) return;
  judge_use(event, number, event.a, true);
  Allocation& target = allocations_.at(number);
  if (!target.alive) return;
  target.store((event.a - target.address) / kWord, event.b);
  note_writer(event, true, number, event.a - target.address, kWord);
}

/// A copy within whole words; the last one may be cut.
void MemoryChecks::on_gpu_copy(const Event& event) {
  const std::uint64_t vmid = event.c & 0xFF;
  const std::uint64_t bytes = event.c >> 8;
  Place& place = places_[event.agent];
  place.source = event.a;
  place.destination = event.b;
  const std::uint32_t from = find(event.object, vmid, event.a);
  const std::uint32_t to = find(event.object, vmid, event.b);
  if (from != 0) judge_use(event, from, event.a, false);
  if (to == 0) return;
  judge_use(event, to, event.b, true);
  Allocation& target = allocations_.at(to);
  if (from == 0 || !target.alive || !allocations_.at(from).alive) return;
  const Allocation source = allocations_.at(from);
  target.lost = target.lost || source.lost;
  const std::uint64_t first = (event.a - source.address) / kWord;
  const std::uint64_t at = (event.b - target.address) / kWord;
  note_writer(event, true, to, event.b - target.address, bytes);
  for (std::uint64_t word = 0; word * kWord < bytes; ++word) {
    const std::uint64_t left = bytes - word * kWord;
    const std::uint64_t mask = left >= kWord ? UINT64_MAX : (1ULL << 8 * left) - 1;
    target.store(at + word, (source.word(first + word) & mask) | (target.word(at + word) & ~mask));
  }
}

void MemoryChecks::on_gpu_traffic(const Event& event) {
  const std::uint32_t number = find(event.object, event.c >> 1, event.a);
  if (number != 0) judge_use(event, number, event.a, (event.c & 1U) != 0);
}

void MemoryChecks::on_packet(const Event& event) {
  if (allocations_.empty()) return;
  Place& place = places_[event.agent];
  if (event.a == static_cast<std::uint64_t>(abi::Opcode::kRunBuffer)) {
    ++place.buffers;
    place.packets = 0;
    return;
  }
  ++place.packets;
  place.opcode = event.a;
}

void MemoryChecks::on_host_aperture(const Event& event) {
  Reporter& report = world_.report;
  auto& pages = windows_[event.object];
  report.checked(Invariant::kHostAperture);
  const bool known = pages.count(event.a) != 0;
  const bool maps = event.c != 0;
  if (maps)
    pages.insert(event.a);
  else
    pages.erase(event.a);
  if (known != maps || !report.broken(Invariant::kHostAperture, event.object)) return;
  report.add(
      Invariant::kHostAperture, 0,
      "page " + text(event.a) + " of the CPU host aperture of " +
          report.name(ObjectKind::kAdapter, event.object) +
          (maps ? " was mapped a second time " : " was unmapped although it was not mapped ") +
          at_time(report.time()));
}

void MemoryChecks::on_power(const Event& event) {
  constexpr std::uint64_t kD3 = 3;
  const auto window = windows_.find(event.object);
  if (event.a != kD3 || window == windows_.end()) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kHostAperture);
  if (window->second.empty() || !report.broken(Invariant::kHostAperture, event.object)) return;
  report.add(Invariant::kHostAperture, 0,
             text(window->second.size()) + " pages of the CPU host aperture of " +
                 report.name(ObjectKind::kAdapter, event.object) + " were mapped at D3 " +
                 at_time(report.time()));
}

void MemoryChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const auto& [number, allocation] : allocations_)
    sum +=
        Hasher()
            .add(number)
            .add(allocation.hash())
            .add(static_cast<std::uint64_t>(allocation.placement) << 32 | allocation.locks)
            .add(bits_of(allocation.pinned, allocation.alive, allocation.mapped, allocation.lost))
            .add(static_cast<std::uint64_t>(allocation.mode))
            .value();
  for (const auto& [adapter, pages] : windows_)
    for (const std::uint64_t page : pages) sum += Hasher().add(adapter).add(page).value();
  hash.add(sum + combined_hash());
}

}  // namespace fenceline::check
