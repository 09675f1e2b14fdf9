#pragma once

// DMA buffers with physical addresses: rendering, patching, and submission in parts.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/queues/submission.h"

/// An address to patch in a buffer. Source: WDDM, D3DDDI_PATCHLOCATIONLIST.
///
/// An element whose SplitOffset differs from that of its predecessor begins a new part: the buffer
/// up to SplitOffset does not need the element. Assumption A-480: an element with kNoSlot marks a
/// split and takes no address.
struct D3DDDI_PATCHLOCATIONLIST {
  static constexpr UINT kNoSlot = 0xFFFFFF;
  UINT AllocationIndex;   ///< in the allocation list; element 0 is no allocation
  UINT Value;             ///< SlotId: 24 bits; slot of the binding
  UINT DriverId;          ///< reserved for the driver
  UINT AllocationOffset;  ///< [bytes] added to the address
  UINT PatchOffset;       ///< [bytes] from the start of the buffer: position of the address
  UINT SplitOffset;       ///< [bytes] from the start of the buffer
  UINT slot() const { return Value & kNoSlot; }
};

/// An allocation that a buffer uses, with its location. Source: WDDM, DXGK_ALLOCATIONLIST.
struct DXGK_ALLOCATIONLIST {
  static constexpr UINT kWriteOperation = 1u << 0;
  static constexpr UINT kSegmentShift = 1;  ///< SegmentId: 5 bits; 0: not placed yet
  HANDLE hDeviceSpecificAllocation;         ///< null: none. A-481
  UINT Value;
  PHYSICAL_ADDRESS PhysicalAddress;  ///< from the start of the segment [bytes]
  UINT segment() const { return Value >> kSegmentShift & 31u; }
};

/// Excerpt. Source: WDDM, DXGKARG_RENDER.
struct DXGKARG_RENDER {
  const void* pCommand;  ///< commands of user mode
  UINT CommandLength;    ///< [bytes]
  void* pDmaBuffer;      ///< in, out: advanced past the written commands
  UINT DmaSize;          ///< [bytes]
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationListIn;
  UINT PatchLocationListInSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;  ///< in, out: advanced like pDmaBuffer
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;  ///< 0: one pass
};

/// Source: WDDM, DXGK_PATCHFLAGS.
struct DXGK_PATCHFLAGS {
  UINT Value;
};

/// Excerpt: without private data. Source: WDDM, DXGKARG_PATCH.
struct DXGKARG_PATCH {
  HANDLE hContext;
  UINT DmaBufferSegmentId;                    ///< 0: contiguous system memory
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;  ///< of the whole buffer
  void* pDmaBuffer;
  UINT DmaBufferSize;                   ///< [bytes]
  UINT DmaBufferSubmissionStartOffset;  ///< start of the part [bytes]
  UINT DmaBufferSubmissionEndOffset;
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;  ///< first element of the part
  UINT PatchLocationListSubmissionLength;
  UINT SubmissionFenceId;
  DXGK_PATCHFLAGS Flags;
  UINT EngineOrdinal;
};

/// Excerpt: without private data. Source: WDDM, DXGKARG_SUBMITCOMMAND.
struct DXGKARG_SUBMITCOMMAND {
  HANDLE hContext;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  UINT SubmissionFenceId;  ///< the same as in the call of DxgkDdiPatch
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;  ///< 0
  UINT NodeOrdinal;
};

/// PASSIVE_LEVEL. Errors go back to user mode: STATUS_INVALID_PARAMETER,
/// STATUS_ILLEGAL_INSTRUCTION, STATUS_PRIVILEGED_INSTRUCTION,
/// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. Source: WDDM, DxgkDdiRender.
using PDXGKDDI_RENDER = NTSTATUS (*)(HANDLE hContext, DXGKARG_RENDER* pArgs);
/// PASSIVE_LEVEL, of the GPU-scheduler class. Any error stops the machine.
/// Source: WDDM, DxgkDdiPatch.
using PDXGKDDI_PATCH = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_PATCH* pArgs);
/// DISPATCH_LEVEL, of the GPU-scheduler class. Any error stops the machine.
/// Source: WDDM, DxgkDdiSubmitCommand.
using PDXGKDDI_SUBMITCOMMAND = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND* pArgs);

/// Excerpt. Source: WDDM, D3DKMT_CREATECONTEXT.
struct D3DKMT_CREATECONTEXT {
  D3DKMT_HANDLE hDevice;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  UINT Flags;
  D3DKMT_HANDLE hContext;      ///< out
  BOOLEAN NoPatchingRequired;  ///< out: DXGK_CONTEXTINFO_CAPS; excerpt of the reply to user mode
};
