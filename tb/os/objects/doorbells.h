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

/// A process's view of its queue's doorbell where queues share doorbells: an address and, in
/// memory, the status and the last value queued. Source: WDDM, D3DKMT_CREATEDOORBELL.
struct UserDoorbell {
  static constexpr std::uint64_t kStatus = 0;       ///< offset of the status in `cells` [bytes]
  static constexpr std::uint64_t kLastQueued = 64;  ///< offset of the last value queued [bytes]
  static constexpr std::uint64_t kDummy = 128;      ///< offset of the dummy page's word [bytes]
  static constexpr std::uint64_t kCellBytes = 4096;

  UserDoorbell(Doorbells& doorbells, const HwQueue& owner, common::Steps& steps,
               const Backing& memory)
      : of(doorbells), queue(owner), cells(memory), bus(memory.address + kDummy), left(steps) {
    place = steps.new_place();
  }
  /// Leaves all lists of the adapter's doorbells.
  ~UserDoorbell();
  UserDoorbell(const UserDoorbell&) = delete;
  UserDoorbell& operator=(const UserDoorbell&) = delete;

  Doorbells& of;
  const HwQueue& queue;
  const Backing cells;
  std::uint64_t bus;  ///< target of the process's address
  bool connected = false;
  bool aborted = false;            ///< the queue is lost
  std::uint64_t progress_bus = 0;  ///< CurrentValue of the queue's progress fence, 0: it has none
  std::uint32_t under_way = 0;     ///< stores to the address that are still in a core
  common::Gate left;               ///< opened when such a store has left its core
  std::uint64_t place;             ///< place for footprints: target of the address

  std::uint64_t status_bus() const { return cells.address + kStatus; }
  std::uint64_t last_queued_bus() const { return cells.address + kLastQueued; }
};

/// User-mode doorbells of one adapter whose queues share the device's doorbells.
///
/// When a queue loses its doorbell, its address is first mapped to a dummy page; then the OS, and
/// nothing else, changes its status. DDIs of doorbells are called one at a time. All calls come
/// from threads at PASSIVE_LEVEL. Source: WDDM, user-mode work submission.
class Doorbells : public common::Hashed {
 public:
  Doorbells(Cpu& cpu, Adapter& adapter);

  /// Adds a queue with a doorbell that the driver knows and that is not connected.
  void add(HwQueue& queue, const Backing& cells, std::uint64_t progress_bus);
  /// Removes the queue: it is never connected again.
  void remove(const HwQueue& queue);
  /// Returns STATUS_DEVICE_REMOVED if the queue is lost, else the driver's status. Returns none
  /// while the adapter sleeps: the caller must wake it. Source: WDDM, D3DKMTConnectDoorbell.
  std::optional<NTSTATUS> connect(HwQueue& queue);
  /// Source: WDDM, D3DKMTNotifyWorkSubmission.
  NTSTATUS tell_of_work(HwQueue& queue);
  /// The queue is lost: its doorbell is disconnected for good.
  void abort(HwQueue& queue);
  /// The adapter is about to leave D0: disconnects all doorbells. False, without any change, if a
  /// queue has work.
  bool sleep();
  /// The adapter is in D0 again: reconnects the doorbells that sleep() has disconnected.
  void wake();
  /// DxgkCbDisconnectDoorbell. STATUS_INVALID_PARAMETER for a bad reason.
  NTSTATUS taken(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason);

  /// User mode stores to its doorbell address.
  void ring(const HwQueue& queue, std::uint64_t value);

  /// Number of a device doorbell (its page + 1) at a bus address, 0 if there is none. For events.
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
  std::vector<HwQueue*> asleep_;  ///< queues with doorbells disconnected by sleep()
  bool sleeping_ = false;
  Mutex mutex_;
};

/// DxgkCbDisconnectDoorbell. STATUS_INVALID_PARAMETER if there is no such doorbell.
NTSTATUS disconnect_doorbell(const DXGKARGCB_DISCONNECTDOORBELL& args);

}  // namespace fenceline::os
