#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Cost of the CPU's accesses to allocations: stores that gather in write-combining buffers, and
/// loads that go to the device.
class MemoryMeter {
 public:
  void on(const common::At<event::CpuStore>& event);
  void on(const common::At<event::CombiningSent>& event);
  void on(const common::At<event::CombiningDrained>& event);
  void on(const common::At<event::CpuLoad>& event);
  /// Adds counters; none where no thread has made such an access.
  void report(std::vector<Counter>& counters) const;

 private:
  std::uint64_t stores_ = 0;   ///< into buffers
  std::uint64_t buffers_ = 0;  ///< sent
  std::uint64_t partial_ = 0;  ///< of those, not full
  std::uint64_t fences_ = 0;   ///< store fences that had something to send
  std::uint64_t others_ = 0;   ///< other reasons to send all
  std::uint64_t waited_ = 0;   ///< [ps] in both
  std::uint64_t loads_ = 0;    ///< from devices
  std::uint64_t loading_ = 0;  ///< [ps] in those
  std::uint64_t longest_ = 0;  ///< [ps] of one
};

}  // namespace fenceline::report
