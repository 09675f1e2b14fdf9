// I86: caches that do not see accesses of devices.
#include <algorithm>

#include "models/abi/packets.h"
#include "tb/check/devices/memory.h"

namespace fenceline::check {

using common::At;

namespace {
constexpr std::size_t kMaxMaintained = 64;  ///< kept per allocation
}  // namespace

void MemoryChecks::note_writer(common::AgentId agent, bool engine, std::uint32_t number,
                               std::uint64_t offset, std::uint64_t bytes) {
  Allocation& written = allocations_[number];
  const auto place = places_.find(agent);
  Writer writer{agent, engine, 0, 0, 0, world_.report.time(), 0, 0};
  if (place != places_.end()) {
    writer.buffers = place->second.buffers;
    writer.packets = place->second.packets;
    writer.opcode = place->second.opcode;
  }
  for (std::uint64_t line = offset / kLine; line * kLine < offset + bytes; ++line)
    written.writers[line] = writer;
}

void MemoryChecks::on(const At<event::CacheMaintained>& event) {
  auto& known = allocations_[event.allocation].maintained;
  if (known.size() == kMaxMaintained) known.erase(known.begin());
  known.push_back({event.offset, event.bytes, world_.report.time(), event.call});
}

/// Example: "packet 3 (WRITE) of buffer 7 on gpu0.copy0"; for the CPU, the agent.
std::string MemoryChecks::describe(const Writer& writer) const {
  std::string agent = world_.report.name(common::ObjectKind::kAgent, writer.agent);
  if (!writer.engine) return agent;
  return "packet " + text(writer.packets) + " (" +
         abi::opcode_name(static_cast<abi::Opcode>(writer.opcode)) + ") of buffer " +
         text(writer.buffers + 1) + " on " + agent;
}

/// Example: "; the line was written last by packet 1 (WRITE) of ... at 3 us".
std::string MemoryChecks::last_writer(std::uint32_t number, std::uint64_t offset) const {
  const Allocation& allocation = allocations_.at(number);
  const auto found = allocation.writers.find(offset / kLine);
  if (found == allocation.writers.end()) return ", where nobody has written yet";
  return "; the line was written last by " + describe(found->second) + " " +
         at_time(found->second.time);
}

/// Text on the D3DKMTInvalidateCache missing between the last write and this read, with the latest
/// earlier call.
std::string MemoryChecks::missing_call(std::uint32_t number, std::uint64_t offset,
                                       bool read_by_engine) const {
  const Allocation& allocation = allocations_.at(number);
  const auto writer = allocation.writers.find(offset / kLine);
  const bool by_engine = writer != allocation.writers.end() && writer->second.engine;
  std::string text = "; D3DKMTInvalidateCache is missing between ";
  text += by_engine ? "that work" : "that store";
  text += read_by_engine ? " and this packet" : " and this read";
  const auto call = std::find_if(allocation.maintained.rbegin(), allocation.maintained.rend(),
                                 [offset](const Maintained& known) {
                                   return offset / kLine * kLine < known.offset + known.bytes &&
                                          known.offset < (offset / kLine + 1) * kLine;
                                 });
  if (call == allocation.maintained.rend()) return text + ": there was none";
  constexpr const char* kCallers[] = {"it was called", "VidMm wrote listed allocations back",
                                      "VidMm dropped listed allocations",
                                      "VidMm wrote back what it was to move"};
  return text + ": " + kCallers[static_cast<std::size_t>(call->caller)] + " " +
         at_time(call->time) + ", too early";
}

/// The CPU has read an old value through a cache that does not see the GPU's writes.
void MemoryChecks::stale_load(const At<event::CpuLoad>& event, std::uint64_t wanted) {
  Reporter& report = world_.report;
  const bool hides = (event.flags & event::kLoadHidesMemory) != 0;
  report.fail(Invariant::kCoherency, event.allocation,
              "the CPU read " + text(event.value) + " at offset " + text(event.offset) + " (line " +
                  text(event.offset / kLine) + ") of " + quoted(event.allocation) + " " +
                  report.now() + " instead of " + text(wanted) +
                  (hides ? ", from a line that its caches had kept" : ", as memory has it") +
                  last_writer(event.allocation, event.offset) +
                  missing_call(event.allocation, event.offset, false));
}

/// A copy writes to its destination what it has read, right or wrong. Errors that neither caches
/// nor write-combining buffers explain are left to I81, which looks at the destination.
void MemoryChecks::on(const At<event::GpuLoad>& event) {
  const bool hidden = event.not_snooped;
  const std::uint32_t number = find(event.adapter, event.space, event.address);
  if (number == 0) return;
  Reporter& report = world_.report;
  const Allocation& source = allocations_.at(number);
  const std::uint64_t offset = event.address - source.address;
  const Place place = places_[event.agent];
  const std::uint32_t to = find(event.adapter, event.space, place.destination);
  const bool combined = combined_writer(number, offset) != nullptr;
  if (hidden) report.checked(Invariant::kCoherency);
  if (combined) report.checked(Invariant::kCombining);
  if (!source.alive || to == number || source.word(offset / kWord) == event.value) return;
  if (!hidden && !combined) return;
  if (to != 0 && allocations_.at(to).alive) {
    Allocation& target = allocations_.at(to);
    target.store((place.destination + (event.address - place.source) - target.address) / kWord,
                 event.value);
  }
  if (combined && judge_combined({event.agent, false, event.value}, number, offset)) return;
  report.fail(Invariant::kCoherency, number,
              packet(event.agent) + " read " + text(event.value) + " at offset " + text(offset) +
                  " (line " + text(offset / kLine) + ") of " + quoted(number) + " " + report.now() +
                  " instead of " + text(source.word(offset / kWord)) + last_writer(number, offset) +
                  missing_call(number, offset, true));
}

}  // namespace fenceline::check
