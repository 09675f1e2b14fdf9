#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tb/os/core/mutex.h"
#include "tb/os/driver/adapter.h"
#include "tb/os/vidmm/address_space.h"

namespace fenceline::os {

struct HwQueue;
class Doorbells;

/// What a process has of the doorbell of a queue where queues share doorbells: an address, and in
/// memory the status and the last value queued. Source: WDDM, D3DKMT_CREATEDOORBELL.
struct UserDoorbell {
  static constexpr std::uint64_t kStatus = 0;       ///< offset of the status in `cells` [bytes]
  static constexpr std::uint64_t kLastQueued = 64;  ///< of the last value queued
  static constexpr std::uint64_t kDummy = 128;      ///< of what stands for the dummy page
  static constexpr std::uint64_t kCellBytes = 4096;

  UserDoorbell(Doorbells& doorbells, const HwQueue& owner, common::Steps& steps,
               const Backing& memory)
      : of(doorbells), queue(owner), cells(memory), bus(memory.address + kDummy), left(steps) {
    place = steps.new_place();
  }
  /// Leaves all lists of the adapter's doorbells, whatever its queue ends with.
  ~UserDoorbell();
  UserDoorbell(const UserDoorbell&) = delete;
  UserDoorbell& operator=(const UserDoorbell&) = delete;

  Doorbells& of;
  const HwQueue& queue;
  const Backing cells;
  std::uint64_t bus;  ///< where the process's address leads
  bool connected = false;
  bool aborted = false;            ///< the queue is lost
  std::uint64_t progress_bus = 0;  ///< CurrentValue of the queue's progress fence, 0: it has none
  std::uint32_t under_way = 0;     ///< stores to the address that have not left their core
  common::Gate left;               ///< one has
  std::uint64_t place;             ///< of footprints: where the address leads

  std::uint64_t status_bus() const { return cells.address + kStatus; }
  std::uint64_t last_queued_bus() const { return cells.address + kLastQueued; }
};

/// The doorbells of user mode on one adapter, where queues share those of the device.
///
/// A queue that loses its doorbell has its address led to a dummy page first and its status changed
/// then, by nobody else than the OS. DDIs of doorbells are called one at a time. Functions are
/// called in a thread at PASSIVE_LEVEL. Source: WDDM, user-mode work submission.
class Doorbells : public common::Hashed {
 public:
  Doorbells(Cpu& cpu, Adapter& adapter);

  /// A queue whose doorbell is known to the driver, and not connected.
  void add(HwQueue& queue, const Backing& cells, std::uint64_t progress_bus);
  /// Nobody connects it from now on.
  void remove(const HwQueue& queue);
  /// STATUS_DEVICE_REMOVED where the queue is lost, or what the driver returns. None while the
  /// adapter sleeps, and the caller has to wake it. Source: WDDM, D3DKMTConnectDoorbell.
  std::optional<NTSTATUS> connect(HwQueue& queue);
  /// Source: WDDM, D3DKMTNotifyWorkSubmission.
  NTSTATUS tell_of_work(HwQueue& queue);
  /// The queue is lost: its doorbell is disconnected for good.
  void abort(HwQueue& queue);
  /// The adapter is about to leave D0: all doorbells are disconnected. False if a queue has work;
  /// nothing has changed then.
  bool sleep();
  /// The adapter is in D0 again: what sleep() has disconnected is connected.
  void wake();
  /// DxgkCbDisconnectDoorbell. STATUS_INVALID_PARAMETER for a bad reason.
  NTSTATUS taken(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason);

  /// User mode stores to its address.
  void ring(const HwQueue& queue, std::uint64_t value);

  /// A doorbell of the device by its page + 1; 0 for any other address of the bus. For events.
  std::uint64_t number_of(std::uint64_t bus) const;
  std::uint32_t adapter_object() const { return adapter_.object(); }
  std::uint64_t state_hash() const override;

 private:
  friend struct UserDoorbell;
  void forget(const HwQueue& queue);
  NTSTATUS connect_now(HwQueue& queue);
  void disconnect(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason);
  void lose(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason);
  void lead_to(HwQueue& queue, std::uint64_t bus);
  void set_status(const HwQueue& queue, D3DDDI_DOORBELLSTATUS status);
  void wake_now();
  bool has_work(const HwQueue& queue);

  Cpu& cpu_;
  Adapter& adapter_;
  std::vector<HwQueue*> queues_;
  std::vector<HwQueue*> asleep_;  ///< whose doorbells wait for D0
  bool sleeping_ = false;
  Mutex mutex_;
};

/// DxgkCbDisconnectDoorbell; of no doorbell: STATUS_INVALID_PARAMETER.
NTSTATUS disconnect_doorbell(const DXGKARGCB_DISCONNECTDOORBELL& args);

}  // namespace fenceline::os
