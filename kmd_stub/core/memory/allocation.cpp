#include "kmd_stub/core/memory/allocation.h"

#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

using Flags = DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

constexpr UINT kVramBit = 1U << (kVramSegment - 1);
constexpr UINT kApertureBit = 1U << (kApertureSegment - 1);

/// Reads the request of user mode. False if the device cannot satisfy it.
bool read(const DXGK_ALLOCATIONINFO& info, abi::AllocationPrivateData& wanted) {
  if (info.pPrivateDriverData == nullptr || info.PrivateDriverDataSize != sizeof wanted)
    return false;
  std::memcpy(&wanted, info.pPrivateDriverData, sizeof wanted);
  constexpr std::uint32_t kUses = abi::kUsedByCpu | abi::kCachedByCpu | abi::kUsedByAddress;
  const bool cached_only =
      (wanted.flags & (abi::kCachedByCpu | abi::kUsedByCpu)) == abi::kCachedByCpu;
  return wanted.bytes != 0 && wanted.bytes <= 1ULL << abi::kVirtualAddressBits &&
         wanted.segments != 0 && (wanted.segments & ~(kVramBit | kApertureBit)) == 0 &&
         (wanted.flags & ~kUses) == 0 && !cached_only && wanted.preferred <= kSegments &&
         (wanted.preferred == 0 || (wanted.segments >> (wanted.preferred - 1) & 1U) != 0);
}

void fill(DXGK_ALLOCATIONINFO& info, const abi::AllocationPrivateData& wanted) {
  info.Alignment = abi::kPageBytes;
  info.Size = (wanted.bytes + abi::kPageBytes - 1) & ~(abi::kPageBytes - 1);
  info.PitchAlignedSize = 0;
  info.HintedBank = 0;
  const UINT lowest = (wanted.segments & kVramBit) != 0 ? kVramSegment : kApertureSegment;
  info.PreferredSegment = wanted.preferred != 0 ? wanted.preferred : lowest;
  info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = wanted.segments;
  info.EvictionSegmentSet = wanted.segments & kApertureBit;
  info.FlagsWddm2.Value = 0;
  if ((wanted.flags & abi::kUsedByCpu) != 0) info.FlagsWddm2.Value |= Flags::kCpuVisible;
  if ((wanted.flags & abi::kCachedByCpu) != 0) info.FlagsWddm2.Value |= Flags::kCached;
  if ((wanted.flags & abi::kUsedByAddress) != 0)
    info.FlagsWddm2.Value |= Flags::kAccessedPhysically;
}

/// The device of a handle. `status` also checks that the list is not empty.
const Device* device_of(HANDLE handle, UINT count, const void* list, NTSTATUS& status) {
  const auto* device = from_handle<Device>(handle);
  status = device == nullptr               ? STATUS_INVALID_HANDLE
           : count == 0 || list == nullptr ? STATUS_INVALID_PARAMETER
                                           : STATUS_SUCCESS;
  return device;
}

}  // namespace

NTSTATUS DxgkDdiCreateAllocation(Adapter& adapter, const DXGKARG_CREATEALLOCATION& args) {
  if (args.NumAllocations == 0 || args.pAllocationInfo == nullptr || args.hResource != nullptr ||
      args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  abi::AllocationPrivateData wanted{};
  for (UINT i = 0; i < args.NumAllocations; ++i)
    if (!read(args.pAllocationInfo[i], wanted) || args.pAllocationInfo[i].PhysicalAdapterIndex != 0)
      return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args.NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO& info = args.pAllocationInfo[i];
    read(info, wanted);
    fill(info, wanted);
    info.hAllocation = adapter.allocations().create(adapter, info.Size);
  }
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyAllocation(Adapter& adapter, const DXGKARG_DESTROYALLOCATION& args) {
  if (args.NumAllocations == 0 || args.pAllocationList == nullptr || args.hResource != nullptr ||
      args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args.NumAllocations; ++i) {
    const auto* allocation = from_handle<Allocation>(args.pAllocationList[i]);
    if (allocation == nullptr) return STATUS_INVALID_HANDLE;
    if (&allocation->adapter != &adapter) return STATUS_INVALID_PARAMETER;
    for (UINT other = 0; other < i; ++other)
      if (args.pAllocationList[other] == args.pAllocationList[i]) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < args.NumAllocations; ++i)
    adapter.allocations().destroy(args.pAllocationList[i]);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiOpenAllocation(HANDLE device_handle, const DXGKARG_OPENALLOCATION& args) {
  NTSTATUS status = STATUS_SUCCESS;
  const Device* device =
      device_of(device_handle, args.NumAllocations, args.pOpenAllocation, status);
  if (!NT_SUCCESS(status)) return status;
  for (UINT i = 0; i < args.NumAllocations; ++i)
    if (args.pOpenAllocation[i].hAllocation == 0) return STATUS_INVALID_HANDLE;
  for (UINT i = 0; i < args.NumAllocations; ++i)
    args.pOpenAllocation[i].hDeviceSpecificAllocation =
        device->adapter.opened_allocations().create(device->adapter);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiCloseAllocation(HANDLE device_handle, const DXGKARG_CLOSEALLOCATION& args) {
  NTSTATUS status = STATUS_SUCCESS;
  const Device* device =
      device_of(device_handle, args.NumAllocations, args.pOpenHandleList, status);
  if (!NT_SUCCESS(status)) return status;
  for (UINT i = 0; i < args.NumAllocations; ++i) {
    const auto* opened = from_handle<OpenedAllocation>(args.pOpenHandleList[i]);
    if (opened == nullptr) return STATUS_INVALID_HANDLE;
    if (&opened->adapter != &device->adapter) return STATUS_INVALID_PARAMETER;
    for (UINT other = 0; other < i; ++other)
      if (args.pOpenHandleList[other] == args.pOpenHandleList[i]) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < args.NumAllocations; ++i)
    device->adapter.opened_allocations().destroy(args.pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
