#include "kmd_stub/core/work/display.h"

#include <cstddef>

#include "kmd_stub/core/adapter.h"
#include "models/abi/packets.h"
#include "models/abi/page_table.h"

namespace fenceline::kmd {

namespace {

/// True if a whole primary fits in VRAM at this address.
bool is_primary(const Adapter& adapter, PHYSICAL_ADDRESS address) {
  const auto first = static_cast<std::uint64_t>(address.QuadPart);
  const std::uint64_t bytes = adapter.hardware().primary_bytes;
  return first != 0 && first % abi::kPageBytes == 0 && first < adapter.vram_bytes() &&
         bytes <= adapter.vram_bytes() - first;
}

/// Commands of a flip in a DMA buffer: the address may change only in blanking.
struct FlipCommands {
  abi::PacketHeader wait;
  abi::FlipPacket flip;
};
static_assert(sizeof(FlipCommands) == 24);

}  // namespace

NTSTATUS DxgkDdiSetVidPnSourceAddress(Adapter& adapter, const DXGKARG_SETVIDPNSOURCEADDRESS& args) {
  if (adapter.hardware().primary_bytes == 0) return STATUS_NOT_SUPPORTED;
  if (args.VidPnSourceId != 0 || !is_primary(adapter, args.PrimaryAddress))
    return STATUS_INVALID_PARAMETER;
  const bool immediate = (args.Flags.Value & DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipImmediate) != 0;
  adapter.port().write_register(abi::kDisplayPrimary,
                                static_cast<std::uint64_t>(args.PrimaryAddress.QuadPart) |
                                    (immediate ? abi::kFlipImmediate : 0));
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiPresent(Adapter& adapter, DXGKARG_PRESENT& args) {
  if (adapter.hardware().primary_bytes == 0 || args.Flags.Value != DXGK_PRESENTFLAGS::kFlip)
    return STATUS_NOT_SUPPORTED;
  if (!is_primary(adapter, args.PrimaryAddress)) return STATUS_INVALID_PARAMETER;
  if (adapter.caps().flip_on_vsync_mmio) return STATUS_SUCCESS;
  if (args.pDmaBuffer == nullptr) return STATUS_INVALID_PARAMETER;
  FlipCommands commands{};
  commands.wait = abi::make_packet<abi::Opcode::kWaitBlank>(0);
  commands.flip = abi::make_packet<abi::Opcode::kFlip>(
      0, static_cast<std::uint64_t>(args.PrimaryAddress.QuadPart));
  // With a flip interval of 0 the flip does not wait.
  const std::size_t skipped = args.FlipInterval == 0 ? sizeof commands.wait : 0;
  const std::size_t bytes = sizeof commands - skipped;
  if (args.DmaSize < bytes) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  adapter.port().write_memory(args.pDmaBuffer, reinterpret_cast<std::byte*>(&commands) + skipped,
                              bytes);
  args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + bytes;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiControlInterrupt(Adapter& adapter, DXGK_INTERRUPT_TYPE type, BOOLEAN enable) {
  if (adapter.hardware().primary_bytes == 0 || type != DXGK_INTERRUPT_CRTC_VSYNC)
    return STATUS_NOT_IMPLEMENTED;
  adapter.port().write_register(abi::kDisplayInterrupt, enable ? 1 : 0);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
