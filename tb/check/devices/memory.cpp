#include "tb/check/devices/memory.h"

#include <algorithm>

#include "kmd_stub/wddm/base.h"
#include "models/abi/packets.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;
using event::MapMode;
using event::Placement;

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

const char* name_of(MapMode mode) { return abi::word_of(event::kMapModes, mode); }

Placement placement_of(std::uint64_t facts) {
  return static_cast<Placement>(facts >> event::kFactPlacementShift);
}

/// Documented result of a lock.
enum class Lawful : std::uint8_t {
  kAlways,       ///< it succeeds
  kInVram,       ///< it succeeds and the content stays in VRAM
  kOutsideOnly,  ///< if it succeeds, the content has left VRAM
};
Lawful lawful(std::uint64_t facts) {
  const auto has = [facts](std::uint64_t bit) { return (facts & bit) != 0; };
  if (placement_of(facts) != Placement::kVram || has(event::kFactLocked)) return Lawful::kAlways;
  if (!has(event::kFactCpuVisible) || has(event::kFactCached)) return Lawful::kOutsideOnly;
  if (has(event::kFactSegmentVisible)) return Lawful::kInVram;
  return has(event::kFactHostAperture) && has(event::kFactRoom) ? Lawful::kInVram
                                                                : Lawful::kOutsideOnly;
}

}  // namespace

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

/// The same hash as the OS computes from the bytes at their home.
std::uint64_t MemoryChecks::Allocation::hash() const {
  std::uint64_t sum = 0;
  for (const auto& [number, value] : words) sum += hash_values(number, value);
  return sum;
}

std::string MemoryChecks::quoted(std::uint32_t number) const {
  return "allocation " + world_.report.name(ObjectKind::kAllocation, number);
}

/// Example: "packet 3 (WRITE) of buffer 7 on gpu0.copy0".
std::string MemoryChecks::packet(common::AgentId engine) const {
  const auto found = places_.find(engine);
  const Place place = found != places_.end() ? found->second : Place();
  return describe({engine, true, place.buffers, place.packets, place.opcode, 0, 0, 0});
}

void MemoryChecks::on(const At<event::AddressSpace>& event) {
  roots_[std::uint64_t{event.adapter} << 32 | event.space] = event.root;
}

void MemoryChecks::on(const At<event::AllocationCreated>& event) {
  Allocation& made = allocations_[event.allocation];
  made = Allocation();
  made.address = event.address;
  made.bytes = event.bytes;
  spaces_[{event.adapter, event.root}][event.address] = event.allocation;
}

void MemoryChecks::on(const At<event::AllocationPlaced>& event) {
  Reporter& report = world_.report;
  Allocation& moved = allocations_[event.allocation];
  moved.placement = event.placement;
  report.checked(Invariant::kContent);
  moved.lost = moved.lost || (event.facts & event::kFactLost) != 0;
  if (!moved.lost && event.content != moved.hash())
    report.fail(Invariant::kContent, event.allocation,
                quoted(event.allocation) + " does not hold what was written to it in " +
                    name_of(moved.placement) + " " + report.now());
  if (!moved.pinned || moved.locks == 0) return;
  report.checked(Invariant::kLockRules);
  if (moved.placement == Placement::kVram)
    report.fail(Invariant::kLockRules, event.allocation,
                quoted(event.allocation) + " was committed to VRAM " + report.now() +
                    " although it was locked outside the device and has no aperture segment");
}

void MemoryChecks::on(const At<event::AllocationLocked>& event) {
  Reporter& report = world_.report;
  Allocation& locked = allocations_[event.allocation];
  const bool succeeded = static_cast<std::int32_t>(event.status) >= 0;
  const auto after = static_cast<Placement>(event.placement);
  const Lawful law = lawful(event.facts);
  report.checked(Invariant::kLockRules);
  const bool reached = law == Lawful::kOutsideOnly && succeeded && after == Placement::kVram;
  const bool refused = law != Lawful::kOutsideOnly && !succeeded &&
                       static_cast<NTSTATUS>(event.status) != STATUS_GRAPHICS_TOO_MANY_REFERENCES;
  if (reached || refused)
    report.fail(Invariant::kLockRules, event.allocation,
                quoted(event.allocation) +
                    (reached ? " was locked in VRAM, where the CPU has no lawful way to it, "
                             : " could not be locked where a lock is sure to succeed, ") +
                    report.now());
  if (!succeeded) return;
  ++locked.locks;
  locked.pinned = after == Placement::kSystem && (event.facts & event::kFactAperture) == 0;
}

void MemoryChecks::on(const At<event::AllocationUnlocked>& event) {
  Allocation& allocation = allocations_[event.allocation];
  if (allocation.locks != 0) --allocation.locks;
  if (allocation.locks == 0) allocation.pinned = false;
}

void MemoryChecks::on(const At<event::AllocationDestroyed>& event) {
  Allocation& allocation = allocations_[event.allocation];
  allocation.alive = false;
  allocation.words.clear();
}

void MemoryChecks::on(const At<event::AllocationMapped>& event) {
  Allocation& allocation = allocations_[event.allocation];
  allocation.mapped = event.maps;
  allocation.mode = event.mode;
}

void MemoryChecks::on(const At<event::CpuStore>& event) {
  note_writer(event.agent, false, event.allocation, event.offset, kWord);
  Writer& writer = allocations_[event.allocation].writers[event.offset / kLine];
  writer.core = event.core;
  writer.order = ++order_;
  allocations_[event.allocation].store(event.offset / kWord, event.value);
}

void MemoryChecks::on(const At<event::CpuLoad>& event) {
  Reporter& report = world_.report;
  if (allocations_[event.allocation].lost) return;
  const std::uint64_t wanted = allocations_[event.allocation].word(event.offset / kWord);
  if ((event.flags & event::kLoadNotSnooped) != 0) {
    report.checked(Invariant::kCoherency);
    if (event.value != wanted) stale_load(event, wanted);
    return;
  }
  if (event.value != wanted &&
      judge_combined({event.agent, true, event.value}, event.allocation, event.offset))
    return;
  report.checked(Invariant::kContent);
  if (event.value == wanted) return;
  report.fail(Invariant::kContent, event.allocation,
              "the CPU read " + text(event.value) + " at offset " + text(event.offset) + " of " +
                  quoted(event.allocation) + " " + report.now() + ", where " + text(wanted) +
                  " was written last");
}

std::uint32_t MemoryChecks::find(std::uint64_t adapter, std::uint64_t vmid,
                                 std::uint64_t address) const {
  const auto root = roots_.find(adapter << 32 | vmid);
  if (root == roots_.end()) return 0;
  const auto space = spaces_.find({adapter, root->second});
  if (space == spaces_.end()) return 0;
  auto at = space->second.upper_bound(address);
  if (at == space->second.begin()) return 0;
  --at;
  const Allocation& allocation = allocations_.at(at->second);
  return address - allocation.address < allocation.bytes ? at->second : 0;
}

MemoryChecks::Allocation* MemoryChecks::holder(std::uint32_t number, std::uint64_t adapter,
                                               std::uint64_t vmid) {
  if (number != 0) return &allocations_.at(number);
  const auto root = roots_.find(adapter << 32 | vmid);
  if (root == roots_.end() || allocations_.empty()) return nullptr;
  Allocation& fixed = fixed_[{adapter, root->second}];
  fixed.lost = fixed.lost || bound_.count(adapter) != 0;
  return &fixed;
}

void MemoryChecks::judge_use(common::AgentId engine, std::uint32_t number, std::uint64_t address,
                             bool writes) {
  Reporter& report = world_.report;
  const Allocation& used = allocations_.at(number);
  report.checked(Invariant::kGpuMemory);
  const bool there = used.alive && used.placement != Placement::kSystem;
  if (!there)
    report.fail(Invariant::kGpuMemory, number,
                packet(engine) + " touches offset " + text(address - used.address) + " of " +
                    quoted(number) + " " + report.now() +
                    (used.alive ? ", which is not resident" : ", whose memory has been freed"));
  if (!used.mapped || used.mode == MapMode::kWriteNoOverwrite) return;
  report.checked(Invariant::kMapSync);
  if (used.mode == MapMode::kRead && !writes) return;
  report.fail(Invariant::kMapSync, number,
              packet(engine) + (writes ? " writes " : " reads ") + quoted(number) + " " +
                  report.now() + ", which is mapped for " + name_of(used.mode));
}

void MemoryChecks::on(const At<event::GpuStore>& event) {
  const std::uint32_t number = find(event.adapter, event.space, event.address);
  if (number != 0) judge_use(event.agent, number, event.address, true);
  Allocation* const found = holder(number, event.adapter, event.space);
  if (found == nullptr || !found->alive) return;
  Allocation& target = *found;
  target.store((event.address - target.address) / kWord, event.value);
  if (number == 0) return;
  note_writer(event.agent, true, number, event.address - target.address, kWord);
}

/// A copy of whole words; the last word may be cut.
void MemoryChecks::on(const At<event::GpuCopy>& event) {
  Place& place = places_[event.agent];
  place.source = event.source;
  place.destination = event.destination;
  const std::uint32_t from = find(event.adapter, event.space, event.source);
  const std::uint32_t to = find(event.adapter, event.space, event.destination);
  if (from != 0) judge_use(event.agent, from, event.source, false);
  if (to != 0) judge_use(event.agent, to, event.destination, true);
  Allocation* const read = holder(from, event.adapter, event.space);
  Allocation* const written = holder(to, event.adapter, event.space);
  if (read == nullptr || written == nullptr || !read->alive || !written->alive) return;
  const Allocation source = *read;
  Allocation& target = *written;
  target.lost = target.lost || source.lost;
  const std::uint64_t first = (event.source - source.address) / kWord;
  const std::uint64_t at = (event.destination - target.address) / kWord;
  if (to != 0) note_writer(event.agent, true, to, event.destination - target.address, event.bytes);
  for (std::uint64_t word = 0; word * kWord < event.bytes; ++word) {
    const std::uint64_t left = event.bytes - word * kWord;
    const std::uint64_t mask = left >= kWord ? UINT64_MAX : (1ULL << 8 * left) - 1;
    target.store(at + word, (source.word(first + word) & mask) | (target.word(at + word) & ~mask));
  }
}

void MemoryChecks::on(const At<event::GpuTraffic>& event) {
  const std::uint32_t number = find(event.adapter, event.space, event.address);
  if (number != 0) judge_use(event.agent, number, event.address, event.writes);
}

void MemoryChecks::on(const At<event::PacketBegin>& event) {
  if (allocations_.empty()) return;
  Place& place = places_[event.agent];
  if (event.opcode == static_cast<std::uint64_t>(abi::Opcode::kRunBuffer)) {
    ++place.buffers;
    place.packets = 0;
    return;
  }
  ++place.packets;
  place.opcode = event.opcode;
}

void MemoryChecks::on(const At<event::HostAperture>& event) {
  Reporter& report = world_.report;
  auto& pages = windows_[event.adapter];
  report.checked(Invariant::kHostAperture);
  const bool known = pages.count(event.page) != 0;
  const bool maps = event.mapped;
  if (maps)
    pages.insert(event.page);
  else
    pages.erase(event.page);
  if (known != maps) return;
  report.fail(
      Invariant::kHostAperture, event.adapter,
      "page " + text(event.page) + " of the CPU host aperture of " +
          report.name(ObjectKind::kAdapter, event.adapter) +
          (maps ? " was mapped a second time " : " was unmapped although it was not mapped ") +
          report.now());
}

void MemoryChecks::on(const At<event::AdapterPower>& event) {
  constexpr std::uint64_t kD3 = 3;
  const auto window = windows_.find(event.adapter);
  if (event.state != kD3 || window == windows_.end()) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kHostAperture);
  if (window->second.empty()) return;
  report.fail(Invariant::kHostAperture, event.adapter,
              text(window->second.size()) + " pages of the CPU host aperture of " +
                  report.name(ObjectKind::kAdapter, event.adapter) + " were mapped at D3 " +
                  report.now());
}

void MemoryChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const auto& [number, allocation] : allocations_)
    sum += hash_values(
        number, allocation.hash(),
        static_cast<std::uint64_t>(allocation.placement) << 32 | allocation.locks,
        bits_of(allocation.pinned, allocation.alive, allocation.mapped, allocation.lost),
        static_cast<std::uint64_t>(allocation.mode));
  for (const auto& [space, memory] : fixed_)
    sum += hash_values(space.first, space.second, memory.hash());
  for (const auto& [adapter, pages] : windows_)
    for (const std::uint64_t page : pages) sum += hash_values(adapter, page);
  hash.add(sum + combined_hash());
}

}  // namespace fenceline::check
