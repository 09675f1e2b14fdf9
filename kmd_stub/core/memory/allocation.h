#pragma once

#include <cstdint>

#include "kmd_stub/wddm/memory/allocation.h"

namespace fenceline::kmd {

class Adapter;

/// Memory allocated for user mode. Source: WDDM, DxgkDdiCreateAllocation.
struct Allocation {
  static constexpr std::uint32_t kMagic = 0x434F4C41;  // "ALOC"
  Adapter& adapter;
  std::uint64_t bytes;
};

/// An allocation opened for a device. Source: WDDM, DxgkDdiOpenAllocation.
struct OpenedAllocation {
  static constexpr std::uint32_t kMagic = 0x4C414E4F;  // "ONAL"
  Adapter& adapter;
};

// IRQL of all: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad handle, also in a list;
// STATUS_INVALID_PARAMETER for any other error. An error changes nothing.

/// Reads the request of each element (abi::AllocationPrivateData) and fills in the allowed
/// segments. Resources are not modelled.
NTSTATUS DxgkDdiCreateAllocation(Adapter& adapter, const DXGKARG_CREATEALLOCATION& args);
/// Source: WDDM, DxgkDdiDestroyAllocation.
NTSTATUS DxgkDdiDestroyAllocation(Adapter& adapter, const DXGKARG_DESTROYALLOCATION& args);
/// Source: WDDM, DxgkDdiOpenAllocation.
NTSTATUS DxgkDdiOpenAllocation(HANDLE device_handle, const DXGKARG_OPENALLOCATION& args);
/// Source: WDDM, DxgkDdiCloseAllocation.
NTSTATUS DxgkDdiCloseAllocation(HANDLE device_handle, const DXGKARG_CLOSEALLOCATION& args);

}  // namespace fenceline::kmd
