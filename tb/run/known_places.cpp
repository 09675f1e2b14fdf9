#include "tb/run/known_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "models/abi/fence_log.h"
#include "models/abi/registers.h"
#include "models/top/gpu.h"
#include "models/top/platform.h"
#include "tb/os/objects/doorbells.h"

namespace fenceline::run {

namespace {

using common::Footprint;
using common::Place;

/// The memory that a backing is in. @param adapter with this VRAM; may be null for system memory
memory::WatchedMemory& memory_of(ScenarioMachine& machine, const os::Backing& backing,
                                 os::Adapter* adapter) {
  const bool vram = backing.vram && adapter != nullptr;
  return vram ? adapter->gpu().vram().memory() : machine.platform().system_memory().memory();
}

/// Index of a location of that kind.
std::uint64_t index_of(Place place, std::uint64_t location) {
  return location ^ Footprint::access(place, 0, false).location;
}

}  // namespace

KnownPlaces::KnownPlaces(ScenarioMachine& machine) {
  for (const auto* thread : machine.threads()) events_[thread->event->id] = thread->agent;
  auto& system = machine.platform().system_memory().memory();
  system_ = system.place_of(0);
  for (std::size_t i = 0; i < machine.platform().gpu_count(); ++i) {
    for (const auto& it : machine.kernel().adapter(i).port().allocated())
      add(system, it.address, it.bytes,
          std::string(it.purpose) + " of " + machine.platform().gpu(i).config().name);
    peers_[(machine.platform().gpu(i).bars().doorbells + abi::kPeerPage) / common::kLineBytes] =
        "the peer doorbell of " + machine.platform().gpu(i).config().name;
    const cmp::InterruptRing& ring = machine.platform().gpu(i).cmp().interrupt_ring();
    constexpr std::uint64_t kEntry = sizeof(abi::InterruptEntry);
    add(system, ring.base(), ring.entries() * kEntry,
        "the interrupt ring of " + machine.platform().gpu(i).config().name, kEntry);
  }
  for (const auto& fence : machine.objects.fences()) add(machine, *fence, fence->name);
  for (const auto& [name, state] : machine.objects.processes()) {
    if (state.process == nullptr) continue;
    for (const auto& queue : state.process->queues) add(machine, *state.process, *queue);
    for (const auto& [queue, writer] : state.queues) {
      const os::Backing& pointers = writer->pointers();
      add(system, writer->ring().address, writer->ring().bytes, "the ring of " + queue);
      add(system, pointers.address, 8, "the read pointer of " + queue);
      add(system, pointers.address + user::QueueWriter::kWritePointer, 8,
          "the write pointer of " + queue);
    }
  }
}

void KnownPlaces::add(const memory::WatchedMemory& memory, std::uint64_t address,
                      std::uint64_t bytes, const std::string& name, std::uint64_t part_bytes) {
  const std::uint64_t first = memory.place_of(address);
  if (bytes != 0) words_[first] = {first, bytes / 8, name, part_bytes / 8};
}

void KnownPlaces::add(ScenarioMachine& machine, const os::Fence& fence, const std::string& name) {
  add(memory_of(machine, fence.current, fence.adapter),
      fence.current.address + fence.current_offset, 8, "CurrentValue of " + name);
  if (fence.kind != os::Fence::Kind::kNative) return;
  const auto& native = static_cast<const os::NativeFence&>(fence);
  add(memory_of(machine, native.monitored, fence.adapter),
      native.monitored.address + native.monitored_offset, 8, "MonitoredValue of " + name);
}

void KnownPlaces::add(ScenarioMachine& machine, const os::Process& process,
                      const os::HwQueue& queue) {
  auto& system = machine.platform().system_memory().memory();
  if (queue.doorbell_bus != 0)
    doorbells_[queue.doorbell_bus / common::kLineBytes] = "the doorbell of " + queue.name;
  if (queue.user_doorbell != nullptr) {
    add(system, queue.user_doorbell->status_bus(), 8, "the doorbell status of " + queue.name);
    add(system, queue.user_doorbell->last_queued_bus(), 8,
        "the last queued value of " + queue.name);
    const std::uint64_t target =
        Footprint::access(Place::kRegister, queue.user_doorbell->place, false).location;
    words_[target] = {target, 1, "the doorbell address of " + queue.name, 0};
  }
  const auto progress = process.fences.find(queue.progress_fence);
  if (progress != process.fences.end())
    add(machine, *progress->second.fence, "the progress fence of " + queue.name);
  if (!queue.has_logs) return;
  add_log(machine, process, queue.logs.waits, queue.name + ".waits");
  add_log(machine, process, queue.logs.signals, queue.name + ".signals");
}

void KnownPlaces::add_log(ScenarioMachine& machine, const os::Process& process,
                          const os::FenceLog& log, const std::string& name) {
  const auto& memory = memory_of(machine, log.backing, &machine.kernel().adapter(process.adapter));
  constexpr std::uint64_t kHeader = sizeof(abi::FenceLogHeader);
  constexpr std::uint64_t kEntry = sizeof(abi::FenceLogEntry);
  add(memory, log.backing.address, kHeader, "the header of " + name);
  add(memory, log.backing.address + kHeader, log.entries * kEntry, name, kEntry);
}

const common::AgentId* KnownPlaces::thread_of(std::uint64_t location) const {
  if (Footprint::place_of(location) != Place::kEvent) return nullptr;
  const auto found = events_.find(index_of(Place::kEvent, location));
  return found == events_.end() ? nullptr : &found->second;
}

KnownPlaces::Found KnownPlaces::find(std::uint64_t location) const {
  static_assert(Footprint::access(Place::kMemory, 1, false).location == 1);
  auto found = words_.upper_bound(location);
  if (found == words_.begin()) return {};
  const Words& words = (--found)->second;
  const std::uint64_t at = location - words.first;
  if (at >= words.count) return {};
  return {&words, words.part == 0 ? 0 : at / words.part};
}

std::string KnownPlaces::word(std::uint64_t location) const {
  const auto [words, part] = find(location);
  if (words == nullptr) return {};
  return words->part == 0 ? words->name : fmt::format("entry {} of {}", part, words->name);
}

std::string KnownPlaces::line(std::uint64_t line) const {
  constexpr std::uint64_t kWords = common::kLineBytes / 8;
  const std::uint64_t first = system_ + line * kWords;
  std::vector<std::string> names;
  for (std::uint64_t at = first; at < first + kWords; ++at) {
    const auto [words, part] = find(at);
    if (words == nullptr) continue;
    // All parts of these words that are in the line make one name.
    const auto [end_words, end_part] =
        find(std::min(first + kWords, words->first + words->count) - 1);
    const bool several = end_words == words && end_part > part;
    names.push_back(several ? fmt::format("entry {} or {} of {}", part, end_part, words->name)
                            : word(at));
    at = std::max(at, words->first + words->count - 1);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string KnownPlaces::device(std::uint64_t line) const {
  const std::uint64_t address = line * common::kLineBytes;
  if (address >= abi::kMessageWindow && address < abi::kMessageWindow + abi::kMessageWindowBytes)
    return "an interrupt message";
  for (const auto* doorbells : {&doorbells_, &peers_})
    if (const auto found = doorbells->find(line); found != doorbells->end()) return found->second;
  return {};
}

}  // namespace fenceline::run
