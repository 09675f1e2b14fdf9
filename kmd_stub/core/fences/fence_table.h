#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/core/free_slots.h"
#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Fence in a slot, as the interrupt handler sees it.
struct FenceOwner {
  HANDLE os_handle = nullptr;  ///< the handle to report; kept after the fence is destroyed
  bool alive = false;
};

/// Addresses of a fence's values for the CMP: GPU virtual, in one address space.
struct ValueAddresses {
  std::uint64_t current_value = 0;
  std::uint64_t monitored_value = 0;
  std::uint32_t vmid = 0;  ///< 0: the system process
};

/// The driver's side of the device's fence table: slots, tags and requests to the CMP. Source:
/// models/abi/registers.h.
class FenceTable {
 public:
  explicit FenceTable(kmd_host::HostPort& port) : port_(port), lock_(port) {}

  /// Reserves a free slot; none if all are in use. IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve();
  /// Frees a slot. Its packets are stale from then on. IRQL: up to DISPATCH_LEVEL. @pre the device
  /// has forgotten the fence.
  void release(std::uint32_t slot);

  /// Name of the slot's current fence in packets: abi::fence_name.
  std::uint32_t name(std::uint32_t slot) const { return abi::fence_name(slot, tags_[slot]); }

  /// Makes the slot valid for the device. The interrupt handler reports `os_handle` from now on.
  void publish(std::uint32_t slot, HANDLE os_handle, const ValueAddresses& addresses);
  /// Changes the value addresses of a valid slot. IRQL: PASSIVE_LEVEL.
  void readdress(std::uint32_t slot, const ValueAddresses& addresses);
  /// Removes the slot from the device. With `drain`, waits until nothing in the device names it and
  /// all its interrupt entries are in the ring. IRQL: PASSIVE_LEVEL. @return false if the device
  /// did not answer.
  bool withdraw(std::uint32_t slot, bool drain);
  /// Marks the fence as not alive for the interrupt handler. Any IRQL.
  void mark_dead(std::uint32_t slot);

  /// Owner of a slot; none for a slot out of range or never used. Any IRQL.
  FenceOwner owner(std::uint32_t slot) const;

  /// Notifies the CMP that the CPU changed the slot's MonitoredValue. IRQL: device, like the ISR.
  void post_monitored_update(std::uint32_t slot);
  /// Waits until the CMP has completed all posted updates. IRQL: device, like the ISR.
  bool wait_monitored_updates();
  /// Makes queues that wait for the fence look again. Any IRQL. @param flags abi::kKick*.
  void kick(std::uint32_t slot, std::uint64_t flags);

  /// Adds the changing state to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    free_.add_to(hasher);
    hasher.add(retires_).add(updates_).add(releases_);
  }

 private:
  kmd_host::HostPort& port_;
  SpinLock lock_;  ///< guards free_, retires_, releases_ and tags_
  FreeSlots free_{0, abi::kFenceSlots};
  std::uint64_t retires_ = 0;  ///< requested since power-on
  std::uint64_t releases_ = 0;
  std::array<std::uint32_t, abi::kFenceSlots>
      tags_{};                 ///< number of times that each slot was freed
  std::uint64_t updates_ = 0;  ///< posted since power-on; guarded by the interrupt lock
  std::array<std::optional<kmd_host::Shared<FenceOwner>>, abi::kFenceSlots> owners_;
  std::array<std::uint32_t, abi::kFenceSlots> spaces_{};  ///< address spaces that the device has
};

}  // namespace fenceline::kmd
