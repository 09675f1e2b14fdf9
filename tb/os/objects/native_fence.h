#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tb/os/objects/fence.h"

namespace fenceline::os {

struct MonitoredFence;
struct Process;

/// A native fence as Dxgkrnl keeps it: one for all processes that have opened it.
struct NativeFence : Fence, std::enable_shared_from_this<NativeFence> {
  NativeFence() : Fence(Kind::kNative) {}

  Backing monitored;  ///< page that holds MonitoredValue
  std::uint64_t monitored_offset = 0;
  HANDLE driver_handle = nullptr;              ///< of DxgkDdiCreateNativeFence
  std::uint64_t monitored_value = UINT64_MAX;  ///< as last handed to the driver
  std::uint64_t told = 0;   ///< value that its driver was last told of, if shared
  std::uint32_t named = 0;  ///< calls of the driver under way that name it
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  /// Whose devices have it open; one that has opened it twice is there twice.
  std::vector<const Process*> devices;
  /// What stands for the fence on all adapters that share it, null for a fence of one adapter: it
  /// keeps the waiters, and MonitoredValue stays 0.
  std::shared_ptr<MonitoredFence> origin;

  std::uint64_t monitored_bus() const {
    return monitored.bus_address(adapter->gpu()) + monitored_offset;
  }
};

/// Fences to be looked at. They live as long as the list does, whoever destroys them meanwhile.
using FenceList = std::vector<std::shared_ptr<NativeFence>>;
/// Takes a fence off; nothing happens where it is not in the list.
void remove(FenceList& list, const NativeFence& fence);

/// A fence opened in one process: what a D3DKMT handle stands for.
struct LocalFence {
  std::shared_ptr<NativeFence> fence;
  LocalPointer object;
  bool of_queue = false;           ///< a progress fence: it ends with its queue
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiOpenNativeFence
  D3DDDI_NATIVEFENCEMAPPING mapping{};
};

}  // namespace fenceline::os
