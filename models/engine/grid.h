#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "models/common/steps/time.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// Number of thread groups of `packet` that one unit of `chip` can hold, at least one. Limits:
/// registers, shared memory, threads and number of groups. Source: CUDA and HSA occupancy rules.
std::uint32_t groups_on_unit(const ChipConfig& chip, const abi::WorkPacket& packet);
/// State of a resident group to save at instruction level [bytes]: its registers, its shared memory
/// and the state of its waves. Source: published context sizes (registers and shared memory of a
/// unit).
std::uint64_t group_bytes(const ChipConfig& chip, const abi::WorkPacket& packet);

/// Start and end times of the thread groups of a grid, computed without one event per group.
///
/// As many groups run at once as the units can hold. A group starts when another one ends. Groups
/// of a wave start together if all groups take the same time; otherwise their starts are spread
/// over the time of a group. The start is a function of the group number, and the duration is a
/// function of seed and number. Nothing is simulated in advance, and stopping and resuming the grid
/// changes nothing.
class Grid {
 public:
  /// Groups from number `first` on. The grid has not begun, or was drained at that group.
  Grid(const ChipConfig& chip, const abi::WorkPacket& packet, std::uint64_t first,
       std::uint64_t seed);

  /// Time from the start of the first group to the end of the last.
  common::Time length() const { return length_; }
  std::uint64_t size() const { return count_; }
  /// Number of groups that run at once.
  std::uint64_t slots() const { return slots_; }
  /// Duration of group `number`, counted in the whole grid.
  common::Time group_time(std::uint64_t number) const;
  /// Its start, measured from the start of group `first`. @pre number >= first.
  common::Time start(std::uint64_t number) const;
  /// Number of groups that have started before `time`.
  std::uint64_t started(common::Time time) const;
  /// Number of these groups that still run at `time`.
  std::uint64_t residents(common::Time time) const;
  /// Time from `time` until the running groups have ended.
  common::Time drain(common::Time time) const;
  /// Time from `time` until the next thread begins: a group has more threads than run at once.
  common::Time thread_boundary(common::Time time) const;

 private:
  common::Time offset(std::uint64_t index) const;
  double spread(std::uint64_t wave) const;
  std::uint64_t oldest(common::Time time) const;
  common::Time find_length() const;

  const common::Time mean_;
  const double variation_;  ///< coefficient of variation
  const abi::GroupTimes distribution_;
  const std::uint64_t first_;
  const std::uint64_t count_;
  const std::uint64_t slots_;
  const std::uint64_t rounds_;  ///< rounds of threads in a group
  const std::uint64_t seed_;
  const double sigma_;           ///< standard deviation of the logarithm
  const common::Time max_time_;  ///< longest time of a group
  const common::Time length_;
};

}  // namespace fenceline::engine
