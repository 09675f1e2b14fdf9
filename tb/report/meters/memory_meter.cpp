#include "tb/report/meters/memory_meter.h"

#include <algorithm>

namespace fenceline::report {

void MemoryMeter::on(const common::At<event::CpuStore>& event) {
  if (event.core != 0) ++stores_;
}

void MemoryMeter::on(const common::At<event::CombiningSent>& event) {
  constexpr std::uint64_t kLineBytes = 64;
  ++buffers_;
  if (event.bytes != kLineBytes) ++partial_;
}

void MemoryMeter::on(const common::At<event::CombiningDrained>& event) {
  ++(event.why == event::CombiningDrain::kFence ? fences_ : others_);
  waited_ += event.duration;
}

void MemoryMeter::on(const common::At<event::CpuLoad>& event) {
  if ((event.flags & event::kLoadUncached) == 0) return;
  const std::uint64_t duration = event.flags >> event::kLoadDurationShift;
  ++loads_;
  loading_ += duration;
  longest_ = std::max(longest_, duration);
}

void MemoryMeter::report(std::vector<Counter>& counters) const {
  const auto add = [&](const char* name, const char* unit, const char* meaning,
                       std::uint64_t value) {
    counters.push_back({name, unit, meaning, value});
  };
  if (stores_ != 0) {
    add("combining.stores", "count", "stores of the CPU that write-combining buffers took",
        stores_);
    add("combining.buffers", "count", "write-combining buffers that were sent", buffers_);
    add("combining.partial", "count", "of those, buffers that were not full", partial_);
    add("combining.fences", "count", "store fences that had something to send", fences_);
    add("combining.other_drains", "count", "other reasons to send all buffers of a core", others_);
    add("combining.waited", "ps", "time that cores waited until all was sent", waited_);
  }
  if (loads_ == 0) return;
  add("uncached.loads", "count", "loads of the CPU from memory of a device", loads_);
  add("uncached.time", "ps", "time that they took", loading_);
  add("uncached.longest", "ps", "the longest of them", longest_);
}

}  // namespace fenceline::report
