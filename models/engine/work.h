#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "models/abi/preemption.h"
#include "models/common/time.h"

namespace fenceline::engine {

/// How far a dispatch or a draw has come; saved and restored with its context.
struct Progress {
  std::uint64_t units = 0;  ///< thread groups or primitives that are complete
  common::Time into = 0;    ///< time that those now running have had
};

/// What it takes to stop a dispatch or a draw.
struct Stop {
  common::Time after = 0;         ///< from the request until nothing of it runs
  std::uint64_t state_bytes = 0;  ///< to be saved now, and restored before it goes on
  Progress progress;              ///< where it goes on
  bool finished = false;          ///< its end came first: there is nothing to resume
};

/// The work of one dispatch or draw: how long it takes and where it can stop.
///
/// Computed from the shape of the work, with no event for a group, a primitive or a thread.
class Work {
 public:
  /// @param from where it goes on, if it was stopped before.
  explicit Work(const abi::WorkPacket& packet, const Progress& from = {});

  /// From where it goes on to its end, undisturbed.
  common::Time duration() const;
  /// A request `elapsed` after it went on, less than duration().
  Stop stop(abi::GraphicsGranularity level, common::Time elapsed) const;
  Stop stop(abi::ComputeGranularity level, common::Time elapsed) const;

 private:
  Stop at_end(common::Time elapsed) const;
  Stop at_unit(common::Time elapsed) const;
  Stop at_once(common::Time elapsed) const;
  std::uint64_t units() const { return packet_.units == 0 ? 1 : packet_.units; }
  common::Time unit_time() const { return packet_.duration / units(); }

  const abi::WorkPacket packet_;
  const Progress from_;
};

}  // namespace fenceline::engine
