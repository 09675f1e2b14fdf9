#pragma once

#include <cstdint>

#include "models/top/platform.h"

namespace fenceline::os {

/// Kernel virtual addresses of the modelled machine: bus addresses in the upper half. They are
/// opaque to the driver and never dereferenced.
constexpr std::uint64_t kKernelBase = 0xFFFF000000000000ULL;

inline void* to_kernel_address(std::uint64_t bus_address) {
  // The pointer is a number of the modelled machine.
  return reinterpret_cast<void*>(kKernelBase | bus_address);  // NOLINT(performance-no-int-to-ptr)
}
inline std::uint64_t to_bus_address(const void* kernel_address) {
  return reinterpret_cast<std::uint64_t>(kernel_address) & ~kKernelBase;
}

/// An address of a buffer, or the one behind its last byte.
inline bool is_inside(const void* address, const void* buffer, std::uint64_t bytes) {
  return to_bus_address(address) - to_bus_address(buffer) <= bytes &&
         reinterpret_cast<std::uint64_t>(address) >= kKernelBase;
}

}  // namespace fenceline::os
