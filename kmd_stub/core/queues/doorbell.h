#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/queues/hw_queue.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/queues/doorbell.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// A logical doorbell of a queue. It is connected while it owns a doorbell of the device. Source:
/// WDDM, DxgkDdiCreateDoorbell.
struct Doorbell {
  static constexpr std::uint32_t kMagic = 0x4C4C4542;  // "BELL"
  static constexpr std::uint32_t kNone = ~0U;
  HwQueue* queue;
  HANDLE os_handle;
  std::uint32_t page = kNone;   ///< doorbell of the device; kNone: not connected
  std::uint64_t connected = 0;  ///< number of its last connection, counted per adapter
};

/// Shared doorbells of the device. Each doorbell belongs to one queue. When none is free, the least
/// recently connected queue loses its doorbell. The OS serialises the doorbell DDIs of an adapter,
/// so no lock is needed.
class DeviceDoorbells {
 public:
  DeviceDoorbells(kmd_host::HostPort& port, const OperatingSystem& os, QueueTable& queues)
      : port_(port), os_(os), queues_(queues) {}

  /// Sets the number of doorbells; 0: one per queue slot.
  void start(std::uint32_t count) { count_ = count; }
  bool shared() const { return count_ != 0; }

  /// Connects `doorbell`, if necessary by disconnecting another queue. Makes the device read the
  /// rings of queues that may have been filled meanwhile.
  void connect(Doorbell& doorbell);
  /// Frees the device's doorbell.
  void disconnect(Doorbell& doorbell);

  /// Adds the changing state to a hash of the driver's state.
  void add_to(StateHasher& hasher) const;

 private:
  Doorbell& least_recent() const;
  void take_away(Doorbell& victim) const;
  void give(std::uint32_t page, Doorbell* doorbell);

  kmd_host::HostPort& port_;
  const OperatingSystem& os_;
  QueueTable& queues_;
  std::uint32_t count_ = 0;
  std::uint64_t connections_ = 0;
  std::array<Doorbell*, abi::kQueueSlots> owners_{};  ///< by page; null: free
};

// IRQL: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad handle.

/// Does not use a doorbell of the device. STATUS_INVALID_PARAMETER for a queue without
/// UserModeSubmission.
NTSTATUS DxgkDdiCreateDoorbell(DXGKARG_CREATEDOORBELL& args);
/// STATUS_NOT_SUPPORTED for a secondary address; STATUS_INSUFFICIENT_RESOURCES if the mapping
/// fails. With DriverCaps::notify_kmd the address is memory that the device does not monitor.
NTSTATUS DxgkDdiConnectDoorbell(DXGKARG_CONNECTDOORBELL& args);
/// Source: WDDM, DxgkDdiDisconnectDoorbell.
NTSTATUS DxgkDdiDisconnectDoorbell(const DXGKARG_DISCONNECTDOORBELL& args);
/// Source: WDDM, DxgkDdiDestroyDoorbell.
NTSTATUS DxgkDdiDestroyDoorbell(const DXGKARG_DESTROYDOORBELL& args);
/// Makes the device read the queue's ring.
NTSTATUS DxgkDdiNotifyWorkSubmission(const DXGKARG_NOTIFYWORKSUBMISSION& args);

}  // namespace fenceline::kmd
