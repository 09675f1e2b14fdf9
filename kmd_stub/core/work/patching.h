#pragma once

#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/memory/patching.h"

namespace fenceline::kmd {

class Adapter;

/// Address tables for buffers that the driver must not write into, indexed by patch location
/// number. Each submission has a table; tables are used in turn. A node never has more submissions
/// in flight than there are tables (DXGK_VIDSCHCAPS.HwQueuePacketCap). GPU-scheduler class.
class BindTables {
 public:
  static constexpr UINT kEntries = 512;
  static constexpr UINT kTables = 16;

  /// STATUS_INSUFFICIENT_RESOURCES. IRQL: PASSIVE_LEVEL.
  NTSTATUS begin(kmd_host::HostPort& port);
  /// Stores into the table of the last `begin`.
  void store(kmd_host::HostPort& port, UINT index, std::uint64_t address) const;
  /// GPU physical address of that table; 0 if there is none.
  std::uint64_t current() const;

 private:
  kmd_host::HostPort::ContiguousMemory memory_;
  UINT begun_ = 0;
};

/// Translates the commands of user mode. Addresses are left to be patched. At points where the
/// buffer can be split the driver binds the bound memory again. On a linked adapter the buffer
/// contains numbers of patch locations instead of addresses. STATUS_INVALID_HANDLE,
/// STATUS_INVALID_PARAMETER for lists that do not match the commands, STATUS_ILLEGAL_INSTRUCTION
/// for an invalid packet of user mode, STATUS_PRIVILEGED_INSTRUCTION for a packet with an address
/// of its own, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. An error changes nothing. IRQL:
/// PASSIVE_LEVEL.
NTSTATUS DxgkDdiRender(HANDLE handle, DXGKARG_RENDER& args);

/// Writes the addresses of a part into the buffer or, if linked, into a table of the adapter.
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER for a part outside the buffer, a location
/// outside the part, or an allocation that the device cannot reach; STATUS_INSUFFICIENT_RESOURCES.
/// An error changes nothing. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiPatch(Adapter& adapter, const DXGKARG_PATCH& args);

/// Runs a patched part. STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER. IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiSubmitCommand(Adapter& adapter, const DXGKARG_SUBMITCOMMAND& args);

}  // namespace fenceline::kmd
