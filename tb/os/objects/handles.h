#pragma once

#include <cstddef>

#include "kmd_stub/wddm/base.h"

namespace fenceline::os {

// D3DKMT handles: the kind in the upper bits, then the number of the device that has given the
// handle out, then the index + 1. Native fences have no kind.
constexpr D3DKMT_HANDLE kAdapterHandle = 0x80000000;  ///< of no device
constexpr D3DKMT_HANDLE kSyncObjectHandle = 0x40000000;
constexpr D3DKMT_HANDLE kContextHandle = 0x20000000;
constexpr D3DKMT_HANDLE kDeviceHandle = 0x10000001;
constexpr D3DKMT_HANDLE kAllocationHandle = 0x08000000;
constexpr D3DKMT_HANDLE kPagingQueueHandle = 0x04000001;  ///< a device has one
constexpr D3DKMT_HANDLE kHwQueueHandle = 0x02000000;      ///< also of the queue's doorbell
constexpr D3DKMT_HANDLE kHwContextHandle = 0x01000000;

constexpr unsigned kDeviceShift = 20;
constexpr std::size_t kMaxDevices = 16;  ///< per process

/// Number of the device, among those of its process, that has given out a handle.
constexpr std::size_t device_number(D3DKMT_HANDLE handle) {
  return handle >> kDeviceShift & (kMaxDevices - 1);
}
constexpr D3DKMT_HANDLE adapter_handle(std::size_t adapter) {
  return kAdapterHandle | static_cast<D3DKMT_HANDLE>(adapter + 1);
}

}  // namespace fenceline::os
