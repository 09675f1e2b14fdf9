#pragma once

#include <cstdint>
#include <string>

#include "tb/os/address_space.h"
#include "tb/os/waiter.h"

namespace fenceline::os {

/// What all kinds of fences have: a 64-bit CurrentValue in memory and waiters for it.
struct Fence {
  enum class Kind : std::uint8_t { kNative, kMonitored };
  explicit Fence(Kind of) : kind(of) {}

  const Kind kind;
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kFence
  /// The driver may name it: until DxgkDdiDestroyNativeFence has returned.
  bool alive = true;
  /// The OS names it to the driver and to its own lists: until its last close begins. Changes under
  /// the lock of its waiters.
  bool usable = true;
  bool shared = false;
  Adapter* adapter = nullptr;
  Backing current;                   ///< page that holds CurrentValue
  std::uint64_t current_offset = 0;  ///< [bytes] in the page
  std::uint64_t initial_value = 0;
  std::uint32_t opens = 0;
  /// Waiters of a process stay when it closes the fence, and leave when the last one does.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.UnwaitCpuWaitersOnlyOnDestroy.
  bool unwaits_late = false;
  /// The error of a device that may signal it leaves its value and its waiters.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr.
  bool keeps_value = false;
  bool always_signaled = false;  ///< such a device is in error: every wait is satisfied
  WaitList waiters;

  std::uint64_t current_bus() const { return current.bus_address(adapter->gpu()) + current_offset; }
};

}  // namespace fenceline::os
