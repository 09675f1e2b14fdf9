#pragma once

#include <array>
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

/// What stands at the beginning of a context's save area once a buffer of it was stopped. The area
/// is in the address space of its buffers.
struct SavedContext {
  /// A stream of packets: the buffer itself, or one that it calls.
  struct Level {
    std::uint64_t address;   ///< GPU virtual
    std::uint64_t position;  ///< [bytes] of the packet that comes next or was stopped
    std::uint64_t bytes;
    std::uint64_t address_space;
  };
  static constexpr std::uint32_t kMostLevels = 4;
  std::uint32_t valid;                    ///< 1; 0 once it was restored
  std::uint32_t levels;                   ///< innermost first
  std::uint64_t state_bytes;              ///< that follow in the save area
  std::array<std::uint64_t, 4> progress;  ///< of the packet that was stopped, as its engine has it
  std::uint64_t in_packet;                ///< 1: `progress` counts
  std::uint64_t bindings;                 ///< 1: they are at kBindingsOffset
  std::array<Level, kMostLevels> level;
};
static_assert(sizeof(SavedContext) == 192);
/// State of a context between its buffers: kept by the node until it runs another context. Here the
/// number of buffers that the context has run, which stands for all that a buffer leaves behind.
constexpr std::uint64_t kIdleStateOffset = 256;
/// What the slots of the node were bound to, two words a slot: address and bytes.
constexpr std::uint64_t kBindingsOffset = 1024;
/// Where the rest of the state begins in a save area.
constexpr std::uint64_t kSavedStateOffset = 4096;

}  // namespace fenceline::abi
