#pragma once

// Flips of a video present source. One source with one target, always in one mode.

#include "kmd_stub/wddm/interrupt.h"

/// Source: WDDM, DXGK_FLIPCAPS.
struct DXGK_FLIPCAPS {
  UINT Value;
  static constexpr UINT kFlipOnVSyncWithNoWait = 1u << 0;
  /// a flip needs no DMA buffer: the address register is written, and takes effect at the vertical
  /// sync
  static constexpr UINT kFlipOnVSyncMmIo = 1u << 1;
  static constexpr UINT kFlipInterval = 1u << 2;
  static constexpr UINT kFlipImmediateMmIo = 1u << 3;
  static constexpr UINT kFlipIndependent = 1u << 4;
};

/// Source: WDDM, DXGK_SETVIDPNSOURCEADDRESS_FLAGS.
struct DXGK_SETVIDPNSOURCEADDRESS_FLAGS {
  UINT Value;
  static constexpr UINT kModeChange = 1u << 0;
  static constexpr UINT kFlipImmediate = 1u << 1;  ///< must not wait for a vertical sync
  static constexpr UINT kFlipOnNextVSync = 1u << 2;
};

/// Argument of DxgkDdiSetVidPnSourceAddress. Excerpt: contexts and the members after the flags are
/// left out. Source: WDDM, DXGKARG_SETVIDPNSOURCEADDRESS.
struct DXGKARG_SETVIDPNSOURCEADDRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PrimarySegment;
  PHYSICAL_ADDRESS PrimaryAddress;  ///< in the GPU's physical address space
  HANDLE hAllocation;               ///< the driver's handle; null: only the address is used
  DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
};

/// Excerpt. Source: WDDM, DXGK_PRESENTFLAGS.
struct DXGK_PRESENTFLAGS {
  UINT Value;
  static constexpr UINT kBlt = 1u << 0;
  static constexpr UINT kColorFill = 1u << 1;
  static constexpr UINT kFlip = 1u << 2;
};

/// Argument of DxgkDdiPresent, excerpt for flips. PrimaryAddress replaces the entry of the
/// allocation list. Source: WDDM, DXGKARG_PRESENT.
struct DXGKARG_PRESENT {
  PVOID pDmaBuffer;  ///< kernel address; on return after the written commands
  UINT DmaSize;      ///< [bytes]
  UINT FlipInterval;
  DXGK_PRESENTFLAGS Flags;
  PHYSICAL_ADDRESS PrimaryAddress;
};

/// Argument of D3DKMTPresent, excerpt for flips. PrimaryAddress replaces the allocation, because
/// primaries are not allocations here. Source: WDDM, D3DKMT_PRESENT.
struct D3DKMT_PRESENT {
  D3DKMT_HANDLE hContext;  ///< context that draws the image
  UINT FlipInterval;       ///< 0: at once, 1: at a vertical sync
  UINT PresentLimit;       ///< limit of queued flips on return
  PHYSICAL_ADDRESS PrimaryAddress;
};

/// At device level under the interrupt lock with kFlipOnVSyncMmIo. STATUS_INVALID_PARAMETER for an
/// invalid source or address. Source: WDDM, DxgkDdiSetVidPnSourceAddress.
using PDXGKDDI_SETVIDPNSOURCEADDRESS = NTSTATUS (*)(HANDLE hAdapter,
                                                    const DXGKARG_SETVIDPNSOURCEADDRESS* pArgs);
/// At PASSIVE_LEVEL. STATUS_NOT_IMPLEMENTED for interrupts other than vertical syncs. Source: WDDM,
/// DxgkDdiControlInterrupt.
using PDXGKDDI_CONTROLINTERRUPT = NTSTATUS (*)(HANDLE hAdapter, DXGK_INTERRUPT_TYPE InterruptType,
                                               BOOLEAN Enable);
/// At PASSIVE_LEVEL. STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. Real drivers get their context as
/// argument; this one gets the adapter. Source: WDDM, DxgkDdiPresent.
using PDXGKDDI_PRESENT = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_PRESENT* pArgs);
