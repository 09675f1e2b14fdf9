#pragma once

#include <cstdint>
#include <optional>

#include "models/abi/packets.h"
#include "models/abi/preemption.h"
#include "models/common/steps/time.h"
#include "models/engine/chip.h"
#include "models/engine/grid.h"
#include "models/engine/pipeline.h"

namespace fenceline::engine {

/// Progress of a dispatch or a draw; saved and restored with its context.
struct Progress {
  std::uint64_t units = 0;  ///< thread groups or primitives complete at the last drain
  common::Time into = 0;    ///< run time since then
};

/// Cost and result of stopping a dispatch or a draw.
struct Stop {
  common::Time after = 0;         ///< from the request until nothing of it runs
  std::uint64_t state_bytes = 0;  ///< to save now and to restore before it resumes
  Progress progress;              ///< where it resumes
  bool finished = false;          ///< it ended first: nothing to resume
  /// Time of a switch without moving the state: firmware, and write-back of dirty cache lines.
  common::Time overhead = 0;
};

/// Time to save or to restore `bytes` of state.
common::Time save_time(const ChipConfig& chip, std::uint64_t bytes);

/// Work of one dispatch or draw: its duration and its stop points.
///
/// Computed from the shape of the work, without one event per group, primitive or thread. Computing
/// a stop takes time in proportion to the running groups, not to all groups. Work without a shape
/// runs one unit after the other.
class Work {
 public:
  /// @param from progress, if the work was stopped before. @param seed of the durations of groups:
  /// the same seed gives the same durations.
  explicit Work(const abi::WorkPacket& packet, const Progress& from = {},
                const ChipConfig& chip = {}, std::uint64_t seed = 0);

  /// Undisturbed time from `from` to the end.
  common::Time duration() const;
  /// Result of a stop request `elapsed` after it resumed; `elapsed` is less than duration().
  Stop stop(abi::GraphicsGranularity level, common::Time elapsed) const;
  Stop stop(abi::ComputeGranularity level, common::Time elapsed) const;
  /// Its thread groups. @pre the work is a dispatch with a shape.
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
  std::optional<Grid> grid_;          ///< for a dispatch with a shape
  std::optional<Pipeline> pipeline_;  ///< for a draw with a shape
};

}  // namespace fenceline::engine
