#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tb/os/objects/fence.h"

namespace fenceline::os {

struct MonitoredFence;
struct Process;

/// A native fence in Dxgkrnl, one for all processes that have opened it.
struct NativeFence : Fence, std::enable_shared_from_this<NativeFence> {
  NativeFence() : Fence(Kind::kNative) {}

  Backing monitored;  ///< page that holds MonitoredValue
  std::uint64_t monitored_offset = 0;
  HANDLE driver_handle = nullptr;              ///< of DxgkDdiCreateNativeFence
  std::uint64_t monitored_value = UINT64_MAX;  ///< last value given to the driver
  std::uint32_t named = 0;                     ///< driver calls in progress that name it
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  /// Processes whose devices have it open, once per opening.
  std::vector<const Process*> devices;
  /// Common part of a fence shared by several adapters, null for a fence of one adapter: it keeps
  /// the waiters, and MonitoredValue stays 0.
  std::shared_ptr<MonitoredFence> origin;

  std::uint64_t monitored_bus() const {
    return monitored.bus_address(adapter->gpu()) + monitored_offset;
  }
};

/// Fences to be scanned. The list keeps them alive.
using FenceList = std::vector<std::shared_ptr<NativeFence>>;
/// Removes a fence from the list, if it is there.
void remove(FenceList& list, const NativeFence& fence);

/// A fence opened in one process: the object of a D3DKMT handle.
struct LocalFence {
  std::shared_ptr<NativeFence> fence;
  LocalPointer object;
  bool of_queue = false;           ///< a progress fence, which ends with its queue
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiOpenNativeFence
  D3DDDI_NATIVEFENCEMAPPING mapping{};
};

}  // namespace fenceline::os
