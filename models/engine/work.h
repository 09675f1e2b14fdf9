#pragma once

#include <cstdint>
#include <optional>

#include "models/abi/packets.h"
#include "models/abi/preemption.h"
#include "models/common/time.h"
#include "models/engine/chip.h"
#include "models/engine/grid.h"
#include "models/engine/pipeline.h"

namespace fenceline::engine {

/// How far a dispatch or a draw has come; saved and restored with its context.
struct Progress {
  std::uint64_t units = 0;  ///< thread groups or primitives that were complete at its last drain
  common::Time into = 0;    ///< time that it has run since
};

/// What it takes to stop a dispatch or a draw.
struct Stop {
  common::Time after = 0;         ///< from the request until nothing of it runs
  std::uint64_t state_bytes = 0;  ///< to be saved now, and restored before it goes on
  Progress progress;              ///< where it goes on
  bool finished = false;          ///< its end came first: there is nothing to resume
  /// What a switch takes beside moving the state: firmware, and write-back of dirty cache lines.
  common::Time overhead = 0;
};

/// How long `bytes` of state take to be saved, or to be restored.
common::Time save_time(const ChipConfig& chip, std::uint64_t bytes);

/// The work of one dispatch or draw: how long it takes and where it can stop.
///
/// Computed from the shape of the work, with no event for a group, a primitive or a thread; a stop
/// costs time in proportion to the groups that run, however many there are. Work without a shape
/// runs one unit after the other.
class Work {
 public:
  /// @param from where it goes on, if it was stopped before.
  /// @param seed of the durations of groups: the same gives the same.
  explicit Work(const abi::WorkPacket& packet, const Progress& from = {},
                const ChipConfig& chip = {}, std::uint64_t seed = 0);

  /// From where it goes on to its end, undisturbed.
  common::Time duration() const;
  /// A request `elapsed` after it went on, less than duration().
  Stop stop(abi::GraphicsGranularity level, common::Time elapsed) const;
  Stop stop(abi::ComputeGranularity level, common::Time elapsed) const;
  /// Its thread groups. @pre it is a dispatch with a shape.
  const Grid& grid() const { return *grid_; }

 private:
  common::Time length() const;
  Stop at_end(common::Time elapsed) const;
  Stop at_unit(common::Time elapsed) const;
  Stop at_once(common::Time elapsed) const;
  Stop at_group(common::Time elapsed) const;
  Stop at_thread(common::Time elapsed) const;
  Stop at_instruction(common::Time elapsed) const;
  Stop in_pipeline(abi::GraphicsGranularity level, common::Time elapsed) const;
  Stop with_overhead(Stop stop, common::Time elapsed) const;
  std::uint64_t units() const { return packet_.units == 0 ? 1 : packet_.units; }
  common::Time unit_time() const { return packet_.duration / units(); }

  const abi::WorkPacket packet_;
  const Progress from_;
  const ChipConfig chip_;
  const std::uint64_t seed_;
  std::optional<Grid> grid_;          ///< of a dispatch with a shape
  std::optional<Pipeline> pipeline_;  ///< of a draw with a shape
};

}  // namespace fenceline::engine
