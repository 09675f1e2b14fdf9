#pragma once

#include <cstdint>

/// What hardware and drivers agree on, part 5: where work can be stopped.
namespace fenceline::abi {

/// Where graphics work can stop, from coarse to fine. Source: WDDM,
/// D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY: its levels are those that hardware has.
enum class GraphicsGranularity : std::uint8_t {
  kNone,       ///< nothing stops, not even buffers that have not begun
  kBuffer,     ///< between DMA buffers
  kPrimitive,  ///< between the primitives of a draw
  kTriangle,
  kPixel,
  kShader  ///< between the instructions of a shader
};

/// Where compute work can stop, from coarse to fine. Source: WDDM,
/// D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY.
enum class ComputeGranularity : std::uint8_t {
  kNone,
  kBuffer,
  kDispatch,     ///< between dispatches of a buffer
  kThreadGroup,  ///< the groups that run come to their end, no other begins
  kThread,       ///< the threads that run come to their end, within their groups
  kShader
};

/// Both, for a unit that runs either kind of work.
struct Granularity {
  GraphicsGranularity graphics = GraphicsGranularity::kPixel;
  ComputeGranularity compute = ComputeGranularity::kThread;
};

}  // namespace fenceline::abi
