#pragma once

#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/patching.h"

namespace fenceline::kmd {

class Adapter;

/// Addresses of a buffer that the driver must not write into, by number of the patch location: one
/// table a submission, used in turn. A node has no more submissions in flight than there are
/// tables (DXGK_VIDSCHCAPS.HwQueuePacketCap). GPU-scheduler class.
class BindTables {
 public:
  static constexpr UINT kEntries = 512;
  static constexpr UINT kTables = 16;

  /// STATUS_INSUFFICIENT_RESOURCES. IRQL: PASSIVE_LEVEL.
  NTSTATUS begin(kmd_host::HostPort& port);
  /// Stores in the table begun last.
  void store(kmd_host::HostPort& port, UINT index, std::uint64_t address) const;
  /// GPU physical address of it; 0 if there is none.
  std::uint64_t current() const;

 private:
  kmd_host::HostPort::ContiguousMemory memory_;
  UINT begun_ = 0;
};

/// Translates what user mode has written: addresses are to be patched, and where the buffer can be
/// split the driver binds anew what is bound. On a linked adapter the buffer takes no addresses at
/// all but the numbers of its patch locations. Nothing has changed after an error:
/// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER for lists that do not fit the commands,
/// STATUS_ILLEGAL_INSTRUCTION for what is no packet of user mode, STATUS_PRIVILEGED_INSTRUCTION for
/// a packet with an address of its own, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiRender.
NTSTATUS render(HANDLE context, DXGKARG_RENDER& args);

/// Writes the addresses of a part: into the buffer, or (linked) into a table of the adapter's own.
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER for a part outside of the buffer, a location
/// outside of the part, or an allocation that is in no memory that the device reaches;
/// STATUS_INSUFFICIENT_RESOURCES. Nothing has changed then.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiPatch.
NTSTATUS patch(Adapter& adapter, const DXGKARG_PATCH& args);

/// Runs a part that was patched. STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER.
/// IRQL: DISPATCH_LEVEL. Source: WDDM, DxgkDdiSubmitCommand.
NTSTATUS submit_command(Adapter& adapter, const DXGKARG_SUBMITCOMMAND& args);

}  // namespace fenceline::kmd
