// Translates commands of user mode into a DMA buffer.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/work/patching.h"
#include "models/abi/packets.h"

namespace fenceline::kmd {

namespace {

constexpr UINT kAddressInBind = offsetof(abi::BindPacket, address);

/// Processes the commands of user mode. It runs twice: first to check them and find the size, then
/// to write.
class Renderer {
 public:
  /// @param port null: only check, write nothing.
  Renderer(const Adapter& adapter, const DXGKARG_RENDER& args, kmd_host::HostPort* port)
      : caps_(adapter.caps()), args_(args), port_(port) {}

  NTSTATUS run() {
    while (at_ < args_.CommandLength)
      if (const NTSTATUS status = step(); !NT_SUCCESS(status)) return status;
    if (next_ != args_.PatchLocationListInSize) return STATUS_INVALID_PARAMETER;
    return full_ ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
  }
  UINT written() const { return written_; }
  UINT locations() const { return locations_; }

 private:
  NTSTATUS step() {
    while (const D3DDDI_PATCHLOCATIONLIST* mark = next(at_))
      if (mark->slot() == D3DDDI_PATCHLOCATIONLIST::kNoSlot)
        split();
      else
        break;
    abi::PacketHeader header{};
    if (args_.CommandLength - at_ < sizeof header) return STATUS_ILLEGAL_INSTRUCTION;
    const auto* const packet = static_cast<const unsigned char*>(args_.pCommand) + at_;
    std::memcpy(&header, packet, sizeof header);
    if (header.bytes < sizeof header || header.bytes % 8 != 0 ||
        header.bytes > abi::kLargestPacket || header.bytes > args_.CommandLength - at_)
      return STATUS_ILLEGAL_INSTRUCTION;
    if (header.opcode == abi::Opcode::kBind) return bind(packet, header);
    if (const NTSTATUS status = check(header, packet); !NT_SUCCESS(status)) return status;
    if (const NTSTATUS status = bind_used(header, packet); !NT_SUCCESS(status)) return status;
    at_ += header.bytes;
    write(packet, header.bytes);
    return STATUS_SUCCESS;
  }

  /// The next patch location if it is for the command at `offset`, else null.
  const D3DDDI_PATCHLOCATIONLIST* next(UINT offset) const {
    if (next_ == args_.PatchLocationListInSize) return nullptr;
    const D3DDDI_PATCHLOCATIONLIST& found = args_.pPatchLocationListIn[next_];
    const bool mark = found.slot() == D3DDDI_PATCHLOCATIONLIST::kNoSlot;
    return (mark ? found.SplitOffset : found.PatchOffset - kAddressInBind) == offset ? &found
                                                                                     : nullptr;
  }

  NTSTATUS bind(const unsigned char* data, const abi::PacketHeader& header) {
    const D3DDDI_PATCHLOCATIONLIST* const location = next(at_);
    abi::BindPacket packet{};
    if (header.bytes != sizeof packet || header.flags != 0) return STATUS_ILLEGAL_INSTRUCTION;
    std::memcpy(&packet, data, sizeof packet);
    if (packet.slot >= abi::kBindingSlots) return STATUS_ILLEGAL_INSTRUCTION;
    if (packet.address != 0) return STATUS_PRIVILEGED_INSTRUCTION;
    if (location == nullptr || location->slot() != packet.slot ||
        location->AllocationIndex >= args_.AllocationListSize)
      return STATUS_INVALID_PARAMETER;
    ++next_;
    at_ += header.bytes;
    bound_[packet.slot] = {packet.bytes, location->AllocationIndex};
    write_bind(packet.slot, true);
    return STATUS_SUCCESS;
  }

  static NTSTATUS check(const abi::PacketHeader& header, const unsigned char* data) {
    if (!abi::has_trait(header.opcode, abi::kPatchable)) return STATUS_ILLEGAL_INSTRUCTION;
    if ((header.flags & abi::kBound) != 0) return STATUS_SUCCESS;
    const auto refuse = [](std::uint64_t, std::uint64_t) { return false; };
    return abi::visit_packet(data, [&](auto packet) { return abi::each_address(packet, refuse); })
               ? STATUS_SUCCESS
               : STATUS_PRIVILEGED_INSTRUCTION;
  }

  /// Memory that the packet uses must be bound. Memory that a split has unbound is bound again.
  NTSTATUS bind_used(const abi::PacketHeader& header, const unsigned char* data) {
    if ((header.flags & abi::kBound) == 0) return STATUS_SUCCESS;
    const auto bind_again = [&](std::uint64_t address, std::uint64_t) {
      const UINT slot = abi::slot_of(address);
      if (slot >= abi::kBindingSlots || bound_[slot].allocation == 0) return false;
      if (!bound_[slot].live) write_bind(slot, true);
      return true;
    };
    const bool bound =
        abi::visit_packet(data, [&](auto packet) { return abi::each_address(packet, bind_again); });
    return bound ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
  }

  /// Unbinds everything, because the commands after a split may run on their own.
  void split() {
    ++next_;
    for (UINT slot = 0; slot < abi::kBindingSlots && caps_.rebinds_at_splits; ++slot)
      if (bound_[slot].live) write_bind(slot, false);
    split_ = written_;
    add({0, D3DDDI_PATCHLOCATIONLIST::kNoSlot, 0, 0, written_, split_});
  }

  void write_bind(UINT slot, bool live) {
    Bound& bound = bound_[slot];
    bound.live = live;
    const bool aside = caps_.linked && !caps_.patches_in_place;
    const auto packet = abi::make_packet<abi::Opcode::kBind>(
        aside ? abi::kFromTable : std::uint16_t{0}, slot, 0U, aside ? locations_ : 0, bound.bytes);
    add({live ? bound.allocation : 0, slot, 0, 0, written_ + kAddressInBind, split_});
    write(&packet, sizeof packet);
  }

  void add(const D3DDDI_PATCHLOCATIONLIST& location) {
    if (locations_ >= args_.PatchLocationListOutSize || locations_ >= BindTables::kEntries)
      full_ = true;
    else if (port_ != nullptr)
      args_.pPatchLocationListOut[locations_] = location;
    ++locations_;
  }

  void write(const void* packet, UINT bytes) {
    if (bytes > args_.DmaSize - std::min(written_, args_.DmaSize))
      full_ = true;
    else if (port_ != nullptr)
      port_->write_memory(static_cast<std::byte*>(args_.pDmaBuffer) + written_, packet, bytes);
    written_ += bytes;
  }

  struct Bound {
    std::uint64_t bytes = 0;
    UINT allocation = 0;  ///< index in the list; 0: none
    bool live = false;    ///< bound by the packets of the current part
  };
  const kmd_host::DriverCaps& caps_;
  const DXGKARG_RENDER& args_;
  kmd_host::HostPort* port_;
  std::array<Bound, abi::kBindingSlots> bound_{};
  UINT at_ = 0;         ///< position in the commands
  UINT next_ = 0;       ///< next patch location of user mode
  UINT written_ = 0;    ///< [bytes]
  UINT locations_ = 0;  ///< patch locations written
  UINT split_ = 0;      ///< start of the current part
  bool full_ = false;
};

}  // namespace

NTSTATUS DxgkDdiRender(HANDLE handle, DXGKARG_RENDER& args) {
  const auto* context = from_handle<Context>(handle);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  if (args.pCommand == nullptr || args.pDmaBuffer == nullptr || args.MultipassOffset != 0 ||
      args.CommandLength % 8 != 0 ||
      (args.PatchLocationListInSize != 0 && args.pPatchLocationListIn == nullptr) ||
      (args.PatchLocationListOutSize != 0 && args.pPatchLocationListOut == nullptr))
    return STATUS_INVALID_PARAMETER;
  Renderer seen(context->adapter, args, nullptr);
  if (const NTSTATUS status = seen.run(); !NT_SUCCESS(status)) return status;
  Renderer(context->adapter, args, &context->adapter.port()).run();
  args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + seen.written();
  args.pPatchLocationListOut += seen.locations();
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
