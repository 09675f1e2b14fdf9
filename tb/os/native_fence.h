#pragma once

#include <cstdint>
#include <vector>

#include "tb/os/fence.h"

namespace fenceline::os {

struct MonitoredFence;
struct Process;

/// A native fence as Dxgkrnl keeps it: one for all processes that have opened it.
struct NativeFence : Fence {
  NativeFence() : Fence(Kind::kNative) {}

  Backing monitored;  ///< page that holds MonitoredValue
  std::uint64_t monitored_offset = 0;
  HANDLE driver_handle = nullptr;              ///< of DxgkDdiCreateNativeFence
  std::uint64_t monitored_value = UINT64_MAX;  ///< as last handed to the driver
  std::uint64_t told = 0;        ///< value that its driver was last told of, if shared
  bool always_signaled = false;  ///< its device is in error: every wait is satisfied
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  /// Whose devices have it open; one that has opened it twice is there twice.
  std::vector<const Process*> devices;
  /// What stands for the fence on all adapters that share it, null for a fence of one adapter: it
  /// keeps the waiters, and MonitoredValue stays 0.
  MonitoredFence* origin = nullptr;

  std::uint64_t monitored_bus() const {
    return monitored.bus_address(adapter->gpu()) + monitored_offset;
  }
};

/// A fence opened in one process: what a D3DKMT handle stands for.
struct LocalFence {
  NativeFence* fence = nullptr;
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiOpenNativeFence
  D3DDDI_NATIVEFENCEMAPPING mapping{};
  bool open = false;
};

}  // namespace fenceline::os
