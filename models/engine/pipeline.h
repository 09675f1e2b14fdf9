#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "models/abi/preemption.h"
#include "models/common/time.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// A draw on its way through geometry, raster and pixel stages, without an event for anything in
/// it. Primitives enter at the pace of the slowest stage and leave the depth of the pipeline later.
class Pipeline {
 public:
  Pipeline(const ChipConfig& chip, const abi::WorkPacket& packet);

  /// One primitive with its share of triangles and pixels.
  common::Time primitive_time() const { return primitive_; }
  /// From the first primitive that enters to the last pixel that leaves.
  common::Time length() const { return entering_ + depth(); }
  /// How long primitives enter.
  common::Time entering() const { return entering_; }
  /// Until what is in the pipeline beyond the stage that `level` stops at has left it.
  common::Time drain(abi::GraphicsGranularity level) const;
  /// The next boundary of `level` at or after `time`: of a primitive, a triangle or a pixel.
  common::Time boundary(abi::GraphicsGranularity level, common::Time time) const;
  /// What is in the pipeline in front of where `level` stops, to be saved [bytes].
  std::uint64_t state_bytes(abi::GraphicsGranularity level) const;

 private:
  common::Time depth() const {
    return chip_.geometry_depth + chip_.raster_depth + chip_.pixel_depth;
  }
  common::Time next_of(std::uint64_t things, common::Time time) const;
  common::Time time_of(std::uint64_t things, std::uint64_t per_clock) const;
  std::uint64_t primitives() const { return packet_.units == 0 ? 1 : packet_.units; }

  const ChipConfig chip_;
  const abi::WorkPacket packet_;
  const common::Time entering_;
  const common::Time primitive_;
};

}  // namespace fenceline::engine
