#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "kmd_stub/core/handle.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/process.h"
#include "kmd_stub/wddm/fences/cpu_event.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

/// A user-mode event that this driver signals. It may outlive its device. Source: WDDM,
/// DxgkDdiCreateCpuEvent.
struct CpuEvent {
  static constexpr std::uint32_t kMagic = 0x544E5645;  // "EVNT"
  HANDLE os_handle;                                    ///< for DxgkCbSignalEvent
  abi::CpuEventUse use = abi::CpuEventUse::kNever;
  std::uint32_t node = 0;
};

/// The CPU events of an adapter.
///
/// One lock guards the list. DxgkCbSignalEvent is called under it (kmd.event_lock): while `destroy`
/// holds the lock, the event cannot be signalled.
class CpuEvents {
 public:
  /// @param port, os must outlive the object.
  CpuEvents(kmd_host::HostPort& port, const OperatingSystem& os)
      : port_(port), os_(os), completed_(port), lock_(port) {}

  /// STATUS_INVALID_HANDLE for a bad device or a null event of the OS. IRQL: PASSIVE_LEVEL. Source:
  /// WDDM, DxgkDdiCreateCpuEvent.
  NTSTATUS create(const Adapter& adapter, DXGKARG_CREATECPUEVENT& args);
  /// After return the event is never signalled. STATUS_INVALID_HANDLE. IRQL: PASSIVE_LEVEL. Source:
  /// WDDM, DxgkDdiDestroyCpuEvent.
  NTSTATUS destroy(HANDLE handle);
  /// Sets when the event is signalled: abi::CpuEventUse. STATUS_INVALID_HANDLE,
  /// STATUS_INVALID_PARAMETER. IRQL: PASSIVE_LEVEL.
  NTSTATUS set_use(const D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE& usage);

  /// Notes that a node completed a buffer. IRQL: device, in the ISR.
  void note_completed(std::uint32_t node);
  /// Signals the events of nodes that completed buffers. IRQL: DISPATCH_LEVEL.
  void signal_due();

  void add_to(StateHasher& hasher) const { hasher.add(live_.size()); }

 private:
  std::vector<HANDLE> due(std::uint32_t nodes) const;
  NTSTATUS signal(HANDLE os_handle) const;

  kmd_host::HostPort& port_;
  const OperatingSystem& os_;
  kmd_host::Shared<std::uint32_t>
      completed_;  ///< bit n: node n completed a buffer since the last DPC
  SpinLock lock_;  ///< guards the members below
  std::deque<Named<CpuEvent>> storage_;
  std::vector<Named<CpuEvent>*> live_;
};

/// CpuEvents::create and CpuEvents::destroy of the adapter.
NTSTATUS DxgkDdiCreateCpuEvent(Adapter& adapter, DXGKARG_CREATECPUEVENT& args);
NTSTATUS DxgkDdiDestroyCpuEvent(AnyAdapter adapter, HANDLE handle);

/// Known escapes of user mode: CPUEVENTUSAGE, and our own abi::SignalByHandle, which signals an
/// event by a handle of the calling process. Escape without a process: abi::PeerDoorbellEscape.
/// STATUS_NOT_SUPPORTED for others, STATUS_INVALID_PARAMETER, STATUS_INVALID_HANDLE, or the status
/// of DxgkCbSignalEvent. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiEscape(Adapter& adapter, const DXGKARG_ESCAPE& args);

}  // namespace fenceline::kmd
