#pragma once

// Memory requests of user mode to the OS.

#include "kmd_stub/wddm/base.h"

/// Source: WDDM, D3DDDI_ALLOCATIONINFO2.
struct D3DDDI_ALLOCATIONINFO2 {
  D3DKMT_HANDLE hAllocation;  ///< out
  const void* pSystemMem;     ///< existing system memory: not modelled, null
  void* pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  UINT VidPnSourceId;
  UINT Flags;                                ///< no flag is modelled
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;  ///< out; see D3DKMTCreateAllocation2
};

/// Excerpt: the allocations of one resource, not shared. Source: WDDM, D3DKMT_CREATEALLOCATION with
/// D3DDDI_ALLOCATIONINFO2.
struct D3DKMT_CREATEALLOCATION {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  UINT NumAllocations;
  D3DDDI_ALLOCATIONINFO2* pAllocationInfo2;
};

/// Source: WDDM, D3DDDICB_DESTROYALLOCATION2FLAGS.
struct D3DDDICB_DESTROYALLOCATION2FLAGS {
  UINT Value;
  static constexpr UINT kAssumeNotInUse = 1u << 0;
  static constexpr UINT kSynchronousDestroy = 1u << 1;
  static constexpr UINT kSystemUseOnly = 1u << 31;
};

/// Source: WDDM, D3DKMT_DESTROYALLOCATION2.
struct D3DKMT_DESTROYALLOCATION2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  const D3DKMT_HANDLE* phAllocationList;
  UINT AllocationCount;
  D3DDDICB_DESTROYALLOCATION2FLAGS Flags;
};

/// Source: WDDM, D3DDDI_MAKERESIDENT_FLAGS.
struct D3DDDI_MAKERESIDENT_FLAGS {
  UINT Value;
  static constexpr UINT kCantTrimFurther = 1u << 0;
  static constexpr UINT kMustSucceed = 1u << 1;
};

/// The fence of the paging queue reaches PagingFenceValue when all allocations are resident.
/// Source: WDDM, D3DDDI_MAKERESIDENT.
struct D3DDDI_MAKERESIDENT {
  D3DKMT_HANDLE hPagingQueue;
  UINT NumAllocations;
  const D3DKMT_HANDLE* AllocationList;
  const UINT* PriorityList;
  D3DDDI_MAKERESIDENT_FLAGS Flags;
  UINT64 PagingFenceValue;  ///< out
  UINT64 NumBytesToTrim;    ///< out, with STATUS_NO_MEMORY
};

/// Source: WDDM, D3DDDI_EVICT_FLAGS.
struct D3DDDI_EVICT_FLAGS {
  UINT Value;
  static constexpr UINT kEvictOnlyIfNecessary = 1u << 0;
  static constexpr UINT kNotWrittenTo = 1u << 1;
};

/// Source: WDDM, D3DKMT_EVICT.
struct D3DKMT_EVICT {
  D3DKMT_HANDLE hDevice;
  UINT NumAllocations;
  const D3DKMT_HANDLE* AllocationList;
  D3DDDI_EVICT_FLAGS Flags;
  UINT64 NumBytesToTrim;  ///< out
};

/// Source: WDDM, D3DKMT_CREATEPAGINGQUEUE.
struct D3DKMT_CREATEPAGINGQUEUE {
  D3DKMT_HANDLE hDevice;
  UINT Priority;
  D3DKMT_HANDLE hPagingQueue;         ///< out
  D3DKMT_HANDLE hSyncObject;          ///< out: its monitored fence
  PVOID FenceValueCPUVirtualAddress;  ///< out
  UINT PhysicalAdapterIndex;
};

/// All bits are reserved. Source: WDDM, D3DDDICB_LOCK2FLAGS.
struct D3DDDICB_LOCK2FLAGS {
  UINT Value;
};

/// Source: WDDM, D3DKMT_LOCK2.
struct D3DKMT_LOCK2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
  D3DDDICB_LOCK2FLAGS Flags;
  PVOID pData;  ///< out: user address
};

/// Source: WDDM, D3DKMT_UNLOCK2.
struct D3DKMT_UNLOCK2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
};

/// Source: WDDM, D3DDDICB_LOCKFLAGS.
struct D3DDDICB_LOCKFLAGS {
  UINT Value;
  static constexpr UINT kReadOnly = 1u << 0;
  static constexpr UINT kWriteOnly = 1u << 1;
  static constexpr UINT kDonotWait = 1u << 2;
  static constexpr UINT kIgnoreSync = 1u << 3;
  static constexpr UINT kLockEntire = 1u << 4;
  static constexpr UINT kDonotEvict = 1u << 5;
  static constexpr UINT kAcquireAperture = 1u << 6;
  static constexpr UINT kDiscard = 1u << 7;
  static constexpr UINT kNoExistingReference = 1u << 8;
  static constexpr UINT kUseAlternateVA = 1u << 9;
  static constexpr UINT kIgnoreReadSync = 1u << 10;
};

/// Older variant of D3DKMT_LOCK2. Source: WDDM, D3DKMT_LOCK.
struct D3DKMT_LOCK {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT NumPages;  ///< with pPages: locks parts of the allocation; not modelled, 0
  const UINT* pPages;
  PVOID pData;  ///< out: user address
  D3DDDICB_LOCKFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
};

/// Source: WDDM, D3DKMT_UNLOCK.
struct D3DKMT_UNLOCK {
  D3DKMT_HANDLE hDevice;
  UINT NumAllocations;
  const D3DKMT_HANDLE* phAllocations;
};

/// Source: WDDM, D3DKMT_INVALIDATECACHE.
struct D3DKMT_INVALIDATECACHE {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
  SIZE_T Offset;  ///< [bytes]
  SIZE_T Length;  ///< [bytes]
};

/// An allocation that a command buffer uses. Source: WDDM, D3DDDI_ALLOCATIONLIST.
struct D3DDDI_ALLOCATIONLIST {
  static constexpr UINT kWriteOperation = 1U << 0;
  D3DKMT_HANDLE hAllocation;
  UINT Value;  ///< WriteOperation, DoNotRetireInstance, OfferPriority
};

/// Status of a map of a busy resource that may not wait: an HRESULT of user-mode drivers.
/// Assumption A-302: the number.
inline constexpr NTSTATUS D3DDDIERR_WASSTILLDRAWING = fenceline::wddm::make_status(0x8876021C);
