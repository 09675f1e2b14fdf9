#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/os/objects/waiter.h"
#include "tb/os/vidmm/address_space.h"

namespace fenceline::os {

struct Process;

/// A page of values as one GPU address space maps it.
struct GpuMapping {
  AddressSpace* space = nullptr;
  D3DGPU_VIRTUAL_ADDRESS address = 0;  ///< anywhere in the page; 0: nothing is mapped
};
/// As one process has a fence open.
using GpuMappings = std::vector<GpuMapping>;

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
  /// Whose packed pages its values are in; null: they have pages of their own.
  Process* packed_in = nullptr;
  GpuMappings system_mappings;  ///< of the system process
  std::vector<Process*> users;  ///< that have ever had it open, each once
  /// Waiters of a process stay when it closes the fence, and leave when the last one does.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.UnwaitCpuWaitersOnlyOnDestroy.
  bool unwaits_late = false;
  /// The error of a device that may signal it leaves its value and its waiters.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr.
  bool keeps_value = false;
  bool always_signaled = false;  ///< such a device is in error: every wait is satisfied
  WaitList waiters;

  /// Names the fence in calls of the driver, and is its NT handle: a number that no other fence of
  /// the run has.
  HANDLE os_handle() const {
    return reinterpret_cast<HANDLE>(std::uint64_t{object});  // NOLINT(performance-no-int-to-ptr)
  }
  /// D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS of its creation.
  void take_flags(UINT flags) {
    using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
    unwaits_late = (flags & Flags::kUnwaitCpuWaitersOnlyOnDestroy) != 0;
    keeps_value = (flags & Flags::kNoSignalMaxValueOnTdr) != 0;
  }
  /// event::FenceFlag bits of its creation.
  std::uint64_t creation_flags() const {
    std::uint64_t flags = 0;
    if (unwaits_late) flags |= event::kFenceKeepsWaiters;
    if (keeps_value) flags |= event::kFenceKeepsValue;
    return flags;
  }
  void note_user(Process& process) {
    if (std::find(users.begin(), users.end(), &process) == users.end()) users.push_back(&process);
  }
  std::uint64_t current_bus() const { return current.bus_address(adapter->gpu()) + current_offset; }
};

}  // namespace fenceline::os
