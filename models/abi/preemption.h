#pragma once

#include <array>
#include <cstdint>

#include "models/abi/keys.h"

/// Preemption granularity and saved context: part 5 of the contract between hardware and drivers.
namespace fenceline::abi {

/// Points where graphics work can stop, from coarse to fine. Source: WDDM,
/// D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY. The hardware has the same levels.
enum class GraphicsGranularity : std::uint8_t {
  kNone,       ///< no preemption, not even of buffers that have not begun
  kBuffer,     ///< between DMA buffers
  kPrimitive,  ///< between the primitives of a draw
  kTriangle,
  kPixel,
  kShader  ///< between the instructions of a shader
};
constexpr std::array<Choice<GraphicsGranularity>, 6> kGraphicsGranularities{
    {{"none", GraphicsGranularity::kNone},
     {"dma_buffer_boundary", GraphicsGranularity::kBuffer},
     {"primitive_boundary", GraphicsGranularity::kPrimitive},
     {"triangle_boundary", GraphicsGranularity::kTriangle},
     {"pixel_boundary", GraphicsGranularity::kPixel},
     {"shader_boundary", GraphicsGranularity::kShader}}};

/// Points where compute work can stop, from coarse to fine. Source: WDDM,
/// D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY.
enum class ComputeGranularity : std::uint8_t {
  kNone,
  kBuffer,
  kDispatch,     ///< between the dispatches of a buffer
  kThreadGroup,  ///< running groups finish; no other group begins
  kThread,       ///< running threads finish, even within an unfinished group
  kShader
};
constexpr std::array<Choice<ComputeGranularity>, 6> kComputeGranularities{
    {{"none", ComputeGranularity::kNone},
     {"dma_buffer_boundary", ComputeGranularity::kBuffer},
     {"dispatch_boundary", ComputeGranularity::kDispatch},
     {"thread_group_boundary", ComputeGranularity::kThreadGroup},
     {"thread_boundary", ComputeGranularity::kThread},
     {"shader_boundary", ComputeGranularity::kShader}}};

/// Both granularities, for a unit that runs graphics and compute work.
struct Granularity {
  GraphicsGranularity graphics = GraphicsGranularity::kPixel;
  ComputeGranularity compute = ComputeGranularity::kThread;
};

/// Header of a context's save area after a buffer of the context was stopped. The area is in the
/// address space of the context's buffers.
struct SavedContext {
  /// A packet stream: the buffer itself or an indirect buffer that it calls.
  struct Level {
    std::uint64_t address;   ///< GPU virtual address of the stream
    std::uint64_t position;  ///< [bytes] offset of the next packet or of the stopped packet
    std::uint64_t bytes;
    std::uint64_t address_space;
  };
  static constexpr std::uint32_t kMaxLevels = 4;
  std::uint32_t valid;                    ///< 1; 0 after it was restored
  std::uint32_t levels;                   ///< number of `level` entries in use; innermost first
  std::uint64_t state_bytes;              ///< size of the state that follows in the save area
  std::array<std::uint64_t, 4> progress;  ///< of the stopped packet, in the engine's own format
  std::uint64_t in_packet;                ///< 1: `progress` is valid
  std::uint64_t bindings;                 ///< 1: bindings are saved at kBindingsOffset
  std::array<Level, kMaxLevels> level;
};
static_assert(sizeof(SavedContext) == 192);
/// Offset of the state that a context keeps between its buffers. The node holds it until it runs
/// another context. The model stores one number there: how many buffers the context has run. It
/// stands for all state that a buffer leaves behind.
constexpr std::uint64_t kIdleStateOffset = 256;
/// Offset of the node's bindings: two words per slot, address and bytes.
constexpr std::uint64_t kBindingsOffset = 1024;
/// Offset of the remaining saved state.
constexpr std::uint64_t kSavedStateOffset = 4096;

}  // namespace fenceline::abi
