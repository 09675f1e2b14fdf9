#pragma once

#include <cstdint>

#include "models/abi/packets.h"
#include "models/abi/preemption.h"
#include "models/common/steps/time.h"
#include "models/engine/chip.h"

namespace fenceline::engine {

/// A draw in the geometry, raster and pixel stages, without events for its parts. Primitives enter
/// at the pace of the slowest stage. They leave after the depth of the pipeline.
class Pipeline {
 public:
  Pipeline(const ChipConfig& chip, const abi::WorkPacket& packet);

  /// Time of one primitive with its share of triangles and pixels.
  common::Time primitive_time() const { return primitive_; }
  /// Time from the first primitive that enters to the last pixel that leaves.
  common::Time length() const { return entering_ + depth(); }
  /// Time during which primitives enter.
  common::Time entering() const { return entering_; }
  /// Time to drain the stages behind the one that `level` stops.
  common::Time drain(abi::GraphicsGranularity level) const;
  /// Next boundary of `level` at or after `time`: of a primitive, a triangle or a pixel.
  common::Time boundary(abi::GraphicsGranularity level, common::Time time) const;
  /// State in the pipeline before the point where `level` stops [bytes]. It must be saved.
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
