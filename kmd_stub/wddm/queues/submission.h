#pragma once

// Submission of DMA buffers by the OS.

#include "kmd_stub/wddm/base.h"

/// Source: WDDM, DXGK_SUBMITCOMMANDFLAGS.
struct DXGK_SUBMITCOMMANDFLAGS {
  UINT Value;
  static constexpr UINT kPaging = 1u << 0;
  static constexpr UINT kPresent = 1u << 1;
  static constexpr UINT kRedirectedPresent = 1u << 2;
  static constexpr UINT kNullRendering = 1u << 3;
  static constexpr UINT kFlip = 1u << 4;
  static constexpr UINT kFlipWithNoWait = 1u << 5;
  static constexpr UINT kContextSwitch = 1u << 6;
  static constexpr UINT kResubmission = 1u << 7;
  static constexpr UINT kVirtualMachineData = 1u << 8;
};

/// Argument of DxgkDdiSubmitCommandVirtual; the private data is valid only during the call. Source:
/// WDDM, DXGKARG_SUBMITCOMMANDVIRTUAL.
struct DXGKARG_SUBMITCOMMANDVIRTUAL {
  HANDLE hContext;  ///< the driver's handle
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;  ///< [bytes]
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;     ///< [bytes]
  UINT DmaBufferUmdPrivateDataSize;  ///< [bytes]
  UINT SubmissionFenceId;            ///< reported at completion
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  UINT NodeOrdinal;
};

/// At PASSIVE_LEVEL. After STATUS_INVALID_PARAMETER the device is in error. Any other failure stops
/// the machine. Source: WDDM, DxgkDdiSubmitCommandVirtual.
using PDXGKDDI_SUBMITCOMMANDVIRTUAL = NTSTATUS (*)(HANDLE hAdapter,
                                                   const DXGKARG_SUBMITCOMMANDVIRTUAL* pArgs);
