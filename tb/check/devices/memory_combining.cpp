// I108: stores through write-combined mappings that have not been sent.
#include "tb/check/devices/memory.h"

namespace fenceline::check {

using common::At;
using event::CombiningDrain;

namespace {

const char* name_of(CombiningDrain why) {
  constexpr const char* kNames[] = {"a store fence",      "a barrier",    "an atomic operation",
                                    "an uncached access", "an interrupt", "a change of addresses",
                                    "the end of its turn"};
  return kNames[static_cast<std::size_t>(why)];
}

}  // namespace

void MemoryChecks::on(const At<event::CombiningDrained>& event) {
  drained_[event.core] = {world_.report.time(), event.why, ++order_};
}

/// The last writer of the line if the store may still be in a buffer of its core; else null.
const MemoryChecks::Writer* MemoryChecks::combined_writer(std::uint32_t number,
                                                          std::uint64_t offset) const {
  const Allocation& allocation = allocations_.at(number);
  const auto writer = allocation.writers.find(offset / kLine);
  if (writer == allocation.writers.end() || writer->second.core == 0) return nullptr;
  const auto drained = drained_.find(writer->second.core);
  const bool sent = drained != drained_.end() && drained->second.order > writer->second.order;
  return sent ? nullptr : &writer->second;
}

/// Example: "; a store fence is missing between that store and ..., the last time core1 sent them
/// ...".
std::string MemoryChecks::missing_fence(const Writer& writer) const {
  const std::string core = world_.report.name(common::ObjectKind::kCore, writer.core);
  const auto drained = drained_.find(writer.core);
  if (drained == drained_.end()) return ": " + core + " had none";
  return ": the last time that " + core + " sent such stores was for " +
         name_of(drained->second.why) + " " + at_time(drained->second.time) + ", too early";
}

/// A load of CPU or GPU has found an old value. False if no write-combining buffer can be the
/// reason.
bool MemoryChecks::judge_combined(const Load& load, std::uint32_t number, std::uint64_t offset) {
  const Writer* const writer = combined_writer(number, offset);
  if (writer == nullptr) return false;
  Reporter& report = world_.report;
  const std::string reader = load.by_cpu ? "the CPU" : packet(load.agent);
  report.fail(
      Invariant::kCombining, number,
      reader + " read " + text(load.value) + " at offset " + text(offset) + " (line " +
          text(offset / kLine) + ") of " + quoted(number) + " " + report.now() + " instead of " +
          text(allocations_.at(number).word(offset / kWord)) + "; the line was written last by " +
          describe(*writer) + " " + at_time(writer->time) +
          " through a write-combined mapping; a store fence is missing between that store "
          "and " +
          (load.by_cpu ? "this read" : "the submission of this packet") + missing_fence(*writer));
  return true;
}

/// Lines that may still be in buffers decide the verdict on later loads.
std::uint64_t MemoryChecks::combined_hash() const {
  std::uint64_t sum = 0;
  for (const auto& [number, allocation] : allocations_)
    for (const auto& [line, writer] : allocation.writers)
      if (combined_writer(number, line * kLine) != nullptr)
        sum += common::hash_values(number, line, writer.core);
  return sum;
}

}  // namespace fenceline::check
