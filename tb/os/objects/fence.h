#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/os/objects/waiter.h"
#include "tb/os/vidmm/address_space.h"

namespace fenceline::os {

struct Process;

/// Mapping of a page of values in one GPU address space.
struct GpuMapping {
  AddressSpace* space = nullptr;
  D3DGPU_VIRTUAL_ADDRESS address = 0;  ///< anywhere in the page; 0: not mapped
};
/// Mappings of one process for one fence.
using GpuMappings = std::vector<GpuMapping>;

/// Common part of all kinds of fences: a 64-bit CurrentValue in memory, and waiters.
struct Fence {
  enum class Kind : std::uint8_t { kNative, kMonitored };
  explicit Fence(Kind of) : kind(of) {}

  const Kind kind;
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kFence
  /// The driver may name it, until DxgkDdiDestroyNativeFence has returned.
  bool alive = true;
  /// The OS may use it in driver calls and lists, until its last close begins. Guarded by the lock
  /// of its waiters.
  bool usable = true;
  bool shared = false;
  Adapter* adapter = nullptr;
  Backing current;                   ///< page that holds CurrentValue
  std::uint64_t current_offset = 0;  ///< offset of CurrentValue in the page
  std::uint64_t initial_value = 0;
  std::uint32_t opens = 0;    ///< handles
  std::uint32_t closing = 0;  ///< closes that have begun and are not over
  /// Process that owns the packed pages of its values; null: it has pages of its own.
  Process* packed_in = nullptr;
  GpuMappings system_mappings;  ///< mappings of the system process
  std::vector<Process*> users;  ///< processes that have ever opened it, each once
  /// Waiters stay when their process closes the fence; they leave with the last close.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.UnwaitCpuWaitersOnlyOnDestroy.
  bool unwaits_late = false;
  /// A device error does not change its value and waiters, although the device may signal it.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr.
  bool keeps_value = false;
  /// A device that may signal it is in error: every wait is satisfied.
  bool always_signaled = false;
  WaitList waiters;

  /// Name of the fence in driver calls and its NT handle; unique in the run.
  HANDLE os_handle() const {
    return reinterpret_cast<HANDLE>(std::uint64_t{object});  // NOLINT(performance-no-int-to-ptr)
  }
  /// A close is over. True if no handle and no other close is left: only now the fence may be
  /// destroyed, because the driver may still be closing another handle.
  bool end_close() { return --closing == 0 && opens == 0; }
  /// Takes over the D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS of its creation.
  void take_flags(UINT flags) {
    using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
    unwaits_late = (flags & Flags::kUnwaitCpuWaitersOnlyOnDestroy) != 0;
    keeps_value = (flags & Flags::kNoSignalMaxValueOnTdr) != 0;
  }
  /// The event::FenceFlag bits of its creation.
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
