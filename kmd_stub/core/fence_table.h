#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// What the interrupt handler knows of the fence in a slot.
struct FenceOwner {
  HANDLE os_handle = nullptr;  ///< the one to report; kept after the fence's end
  bool alive = false;
};

/// Where the CMP finds a fence's values: GPU virtual addresses in one address space.
struct ValueAddresses {
  std::uint64_t current_value = 0;
  std::uint64_t monitored_value = 0;
  std::uint32_t vmid = 0;  ///< 0: the system process
};

/// The driver's side of the device's fence table: who has which slot, and what the CMP is told.
/// Source: models/abi/registers.h.
class FenceTable {
 public:
  explicit FenceTable(kmd_host::HostPort& port);

  /// Takes a free slot; none when all are in use. IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve();
  /// Gives a slot back; its packets are old from then on. IRQL: up to DISPATCH_LEVEL. @pre the
  /// fence was forgotten.
  void release(std::uint32_t slot);

  /// How packets name the fence that has the slot now: abi::fence_name.
  std::uint32_t name(std::uint32_t slot) const { return abi::fence_name(slot, tags_[slot]); }

  /// Makes the slot valid for the device. From here on the interrupt handler reports `os_handle`.
  void publish(std::uint32_t slot, HANDLE os_handle, const ValueAddresses& addresses);
  /// The device finds the values of a valid slot elsewhere from now on. IRQL: PASSIVE_LEVEL.
  void readdress(std::uint32_t slot, const ValueAddresses& addresses);
  /// Takes the slot out of the table; with `drain`, waits until nothing in the device names it
  /// and all its interrupt entries are in the ring. IRQL: PASSIVE_LEVEL.
  /// @return false when the device did not answer.
  bool withdraw(std::uint32_t slot, bool drain);
  /// The interrupt handler no longer takes the slot for a living fence. Any IRQL.
  void bury(std::uint32_t slot);

  /// Any IRQL; no owner for a slot out of range or never used.
  FenceOwner owner(std::uint32_t slot) const;

  /// Tells the CMP that the CPU has changed MonitoredValues. IRQL: device, as the ISR.
  void post_monitored_update(std::uint32_t slot);
  /// Waits until the CMP has completed every update posted. IRQL: device, as the ISR.
  bool wait_monitored_updates();
  /// Queues that wait on the fence look again. Any IRQL. @param flags abi::kKick*.
  void kick(std::uint32_t slot, std::uint64_t flags);

  /// Adds what changes of it to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    hasher.add(free_.size())
        .add(free_.empty() ? 0 : free_.back())
        .add(retires_)
        .add(updates_)
        .add(releases_);
  }

 private:
  kmd_host::HostPort& port_;
  SpinLock lock_;                    ///< guards free_, retires_, releases_ and tags_
  std::vector<std::uint32_t> free_;  ///< last one first
  std::uint64_t retires_ = 0;        ///< requested since power-on
  std::uint64_t releases_ = 0;
  std::array<std::uint32_t, abi::kFenceSlots> tags_{};  ///< times that a slot was given back
  std::uint64_t updates_ = 0;                           ///< posted since power-on; interrupt lock
  std::array<std::optional<kmd_host::Shared<FenceOwner>>, abi::kFenceSlots> owners_;
  std::array<std::uint32_t, abi::kFenceSlots> spaces_{};  ///< as the device has them
};

}  // namespace fenceline::kmd
