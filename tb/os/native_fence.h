#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tb/os/address_space.h"

namespace fenceline::os {

struct Waiter;

/// One registration of a waiter with a fence.
struct Registration {
  Waiter* waiter = nullptr;
  std::uint64_t value = 0;
  std::uint32_t number = 0;  ///< of the waiter, which may be gone after a bug check
};

/// A CPU wait: for all of its fences or any one of them.
struct Waiter {
  std::uint32_t number = 0;      ///< over the run, from 1
  std::uint32_t thread = 0;      ///< ObjectKind::kThread
  KernelEvent* event = nullptr;  ///< set when the wait is satisfied
  bool any = false;
  std::size_t remaining = 0;  ///< registrations that still hold it up
  bool satisfied = false;
};

/// A native fence as Dxgkrnl keeps it: one for all processes that have opened it.
struct NativeFence {
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kFence
  bool alive = true;
  bool shared = false;
  bool always_signaled = false;  ///< its device is in error: every wait is satisfied
  Adapter* adapter = nullptr;
  Backing current;                   ///< page that holds CurrentValue
  Backing monitored;                 ///< page that holds MonitoredValue
  std::uint64_t current_offset = 0;  ///< [bytes] in the page
  std::uint64_t monitored_offset = 0;
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiCreateNativeFence
  std::uint64_t initial_value = 0;
  std::uint64_t monitored_value = UINT64_MAX;  ///< as last handed to the driver
  std::uint32_t opens = 0;
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  /// By value, then by age.
  std::multimap<std::uint64_t, Registration> waiters;

  std::uint64_t current_bus() const { return current.bus_address(adapter->gpu()) + current_offset; }
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
