#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "models/common/time.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// Thread groups of `packet` that a unit of `chip` can hold at once: as registers, shared memory,
/// threads and the limit of groups allow, and one at least. Source: CUDA and HSA occupancy rules.
std::uint32_t groups_on_unit(const ChipConfig& chip, const abi::WorkPacket& packet);
/// What a resident group has to have saved at instruction level [bytes]: its registers, its shared
/// memory and the state of its waves. Source: published context sizes (registers and shared memory
/// of a unit).
std::uint64_t group_bytes(const ChipConfig& chip, const abi::WorkPacket& packet);

/// When the thread groups of a grid run, without an event for any of them.
///
/// As many groups run at once as the units have room for. A group starts where another has ended:
/// those of a wave together as long as groups take the same time, spread over the time of a group
/// once they do not. Where a group stands in that is a function of its number, and how long it
/// takes a function of seed and number: nothing is simulated before it is asked for, and nothing
/// changes when the grid is stopped and goes on.
class Grid {
 public:
  /// Groups from number `first` on, of a grid that has not begun or was drained there.
  Grid(const ChipConfig& chip, const abi::WorkPacket& packet, std::uint64_t first,
       std::uint64_t seed);

  /// From the start of the first group to the end of the last.
  common::Time length() const { return length_; }
  std::uint64_t size() const { return count_; }
  /// Groups that run at once.
  std::uint64_t slots() const { return slots_; }
  /// How long group `number` takes; counted in the whole grid.
  common::Time group_time(std::uint64_t number) const;
  /// When it starts, from the start of group `first`. @pre number >= first.
  common::Time start(std::uint64_t number) const;
  /// Groups that have started before `time`.
  std::uint64_t started(common::Time time) const;
  /// Those of them that have not ended by then.
  std::uint64_t residents(common::Time time) const;
  /// From `time` until the groups that run have ended.
  common::Time drain(common::Time time) const;
  /// From `time` until the next thread begins: a group has more threads than run at once.
  common::Time thread_boundary(common::Time time) const;

 private:
  common::Time offset(std::uint64_t index) const;
  double spread(std::uint64_t wave) const;
  std::uint64_t oldest(common::Time time) const;
  common::Time find_length() const;

  const common::Time mean_;
  const double variation_;  ///< coefficient of
  const abi::GroupTimes distribution_;
  const std::uint64_t first_;
  const std::uint64_t count_;
  const std::uint64_t slots_;
  const std::uint64_t rounds_;  ///< of threads in a group
  const std::uint64_t seed_;
  const double sigma_;       ///< of the logarithm
  const common::Time most_;  ///< that a group takes
  const common::Time length_;
};

}  // namespace fenceline::engine
