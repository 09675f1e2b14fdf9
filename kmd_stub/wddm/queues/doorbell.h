#pragma once

// Doorbells of user-mode-submission queues. All functions run at PASSIVE_LEVEL.

#include "kmd_stub/wddm/base.h"

/// State of a doorbell; only the OS writes the status cell, which user mode reads as 64 bits.
/// Source: WDDM, D3DDDI_DOORBELLSTATUS.
enum D3DDDI_DOORBELLSTATUS : UINT {
  D3DDDI_DOORBELLSTATUS_CONNECTED = 0,
  D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD = 1,
  D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY = 2,
  D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT = 3,
};

/// Source: WDDM, DXGKARG_CREATEDOORBELL_FLAGS.
struct DXGKARG_CREATEDOORBELL_FLAGS {
  UINT Value;
  static constexpr UINT kResizeRingBufferOperation = 1u << 0;
};

/// Argument of DxgkDdiCreateDoorbell. Source: WDDM, DXGKARG_CREATEDOORBELL.
struct DXGKARG_CREATEDOORBELL {
  HANDLE hHwQueue;             ///< the driver's handle
  HANDLE hDoorbell;            ///< in: handle of the OS; out: of the driver
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID PrivateDriverData;
  HANDLE hRingBuffer;
  HANDLE hRingBufferControl;  ///< may be null
  DXGKARG_CREATEDOORBELL_FLAGS Flags;
};

/// Source: WDDM, DXGKARG_CONNECTDOORBELL_FLAGS.
struct DXGKARG_CONNECTDOORBELL_FLAGS {
  UINT Value;
  static constexpr UINT kRequireSecondaryAddress = 1u << 0;
};

/// Argument of DxgkDdiConnectDoorbell. Source: WDDM, DXGKARG_CONNECTDOORBELL.
struct DXGKARG_CONNECTDOORBELL {
  HANDLE hDoorbell;  ///< the driver's handle
  DXGKARG_CONNECTDOORBELL_FLAGS Flags;
  PVOID KernelCpuVirtualAddress;           ///< out
  PVOID SecondaryKernelCpuVirtualAddress;  ///< out
  D3DDDI_DOORBELLSTATUS Status;            ///< out: one of the two connected values
};

/// No flag is defined. Source: WDDM, DXGKARG_DISCONNECTDOORBELL_FLAGS.
struct DXGKARG_DISCONNECTDOORBELL_FLAGS {
  UINT Value;
};

/// Source: WDDM, DXGKARG_DISCONNECTDOORBELL.
struct DXGKARG_DISCONNECTDOORBELL {
  HANDLE hDoorbell;  ///< the driver's handle
  DXGKARG_DISCONNECTDOORBELL_FLAGS Flags;
};

/// Source: WDDM, DXGKARG_DESTROYDOORBELL.
struct DXGKARG_DESTROYDOORBELL {
  HANDLE hDoorbell;  ///< the driver's handle
};

/// No flag is defined. Source: WDDM, DXGKARG_NOTIFYWORKSUBMISSION_FLAGS.
struct DXGKARG_NOTIFYWORKSUBMISSION_FLAGS {
  UINT Value;
};

/// Source: WDDM, DXGKARG_NOTIFYWORKSUBMISSION.
struct DXGKARG_NOTIFYWORKSUBMISSION {
  HANDLE hHwQueue;  ///< the driver's handle
  DXGKARG_NOTIFYWORKSUBMISSION_FLAGS Flags;
};

/// No flag is defined. Source: WDDM, DXGKARGCB_DISCONNECTDOORBELL_FLAGS.
struct DXGKARGCB_DISCONNECTDOORBELL_FLAGS {
  UINT Value;
};

/// Argument of DxgkCbDisconnectDoorbell, handles of the OS.
/// Source: WDDM, DXGKARGCB_DISCONNECTDOORBELL.
struct DXGKARGCB_DISCONNECTDOORBELL {
  HANDLE hHwQueue;
  HANDLE hDoorbell;
  DXGKARGCB_DISCONNECTDOORBELL_FLAGS Flags;
  D3DDDI_DOORBELLSTATUS DisconnectReason;  ///< one of the two disconnected values
};

/// Creates data structures only; assigns no physical doorbell. Source: WDDM, DxgkDdiCreateDoorbell.
using PDXGKDDI_CREATEDOORBELL = NTSTATUS (*)(DXGKARG_CREATEDOORBELL* pArgs);
/// Assigns a physical doorbell; fails only for a lost device. Source: WDDM, DxgkDdiConnectDoorbell.
using PDXGKDDI_CONNECTDOORBELL = NTSTATUS (*)(DXGKARG_CONNECTDOORBELL* pArgs);
/// Does not fail. Source: WDDM, DxgkDdiDisconnectDoorbell.
using PDXGKDDI_DISCONNECTDOORBELL = NTSTATUS (*)(DXGKARG_DISCONNECTDOORBELL* pArgs);
/// Source: WDDM, DxgkDdiDestroyDoorbell.
using PDXGKDDI_DESTROYDOORBELL = NTSTATUS (*)(DXGKARG_DESTROYDOORBELL* pArgs);
/// Only for CONNECTED_NOTIFY_KMD; does not fail. Source: WDDM, DxgkDdiNotifyWorkSubmission.
using PDXGKDDI_NOTIFYWORKSUBMISSION = NTSTATUS (*)(DXGKARG_NOTIFYWORKSUBMISSION* pArgs);
/// The physical doorbell is free only after this returns. Source: WDDM, DxgkCbDisconnectDoorbell.
using DXGKCB_DISCONNECTDOORBELL = NTSTATUS (*)(DXGKARGCB_DISCONNECTDOORBELL* pArgs);
