#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/core/hw_queue.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/doorbell.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// A logical doorbell of a queue; connected while it has a doorbell of the device.
/// Source: WDDM, DxgkDdiCreateDoorbell.
struct Doorbell {
  static constexpr std::uint32_t kMagic = 0x4C4C4542;  // "BELL"
  static constexpr std::uint32_t kNone = ~0U;
  HwQueue* queue;
  HANDLE os_handle;
  std::uint32_t page = kNone;   ///< the device's doorbell, kNone: not connected
  std::uint64_t connected = 0;  ///< which connection of the adapter was its last
};

/// The doorbells of the device where queues share them: one queue has each, and when none is left
/// the one that was connected least recently loses its own. The OS calls doorbell DDIs of an
/// adapter one at a time, so that nothing here needs a lock.
class DeviceDoorbells {
 public:
  DeviceDoorbells(kmd_host::HostPort& port, const OperatingSystem& os, QueueTable& queues)
      : port_(port), os_(os), queues_(queues) {}

  /// How many there are; 0: each queue slot has its own.
  void start(std::uint32_t count) { count_ = count; }
  bool shared() const { return count_ != 0; }

  /// Gives `doorbell` one, if need be after another queue has lost it, and has the device look at
  /// the ring of a queue that may have been filled meanwhile.
  void connect(Doorbell& doorbell);
  /// The doorbell is free again.
  void disconnect(Doorbell& doorbell);

  /// Adds what changes of it to a hash of the driver's state.
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
  std::array<Doorbell*, abi::kQueueSlots> owners_{};  ///< by page; null: it is free
};

// IRQL: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad handle.

/// Takes no doorbell of the device. STATUS_INVALID_PARAMETER for a queue without
/// UserModeSubmission. Source: WDDM, DxgkDdiCreateDoorbell.
NTSTATUS create_doorbell(DXGKARG_CREATEDOORBELL& args);
/// STATUS_NOT_SUPPORTED for a secondary address; STATUS_INSUFFICIENT_RESOURCES without a mapping.
/// With DriverCaps::notify_kmd the address is memory that the device does not watch.
/// Source: WDDM, DxgkDdiConnectDoorbell.
NTSTATUS connect_doorbell(DXGKARG_CONNECTDOORBELL& args);
/// Source: WDDM, DxgkDdiDisconnectDoorbell.
NTSTATUS disconnect_doorbell(const DXGKARG_DISCONNECTDOORBELL& args);
/// Source: WDDM, DxgkDdiDestroyDoorbell.
NTSTATUS destroy_doorbell(const DXGKARG_DESTROYDOORBELL& args);
/// Has the device look at the queue's ring. Source: WDDM, DxgkDdiNotifyWorkSubmission.
NTSTATUS notify_work_submission(const DXGKARG_NOTIFYWORKSUBMISSION& args);

}  // namespace fenceline::kmd
