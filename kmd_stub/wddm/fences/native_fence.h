#pragma once

// Native GPU fences: capabilities and the DDIs that create, open, close, destroy and update them.
//
// A fence has two 64-bit values in memory. The current value (CV) is the last signaled value. The
// monitored value (MV) is the lowest value that a CPU waiter awaits, minus one; UINT64_MAX without
// a CPU waiter. The GPU raises an interrupt when a newly written CV is above MV, compared unsigned.

#include "kmd_stub/wddm/base.h"

/// Size of the user-mode driver's private data of a native fence [bytes].
/// Source: WDDM, D3DDDI_NATIVE_FENCE_PDD_SIZE.
inline constexpr UINT D3DDDI_NATIVE_FENCE_PDD_SIZE = 64;

/// Kind of a native fence. INTRA_GPU: between engines of one GPU, no CPU access by applications.
/// Source: WDDM, D3DDDI_NATIVEFENCE_TYPE.
enum D3DDDI_NATIVEFENCE_TYPE : UINT {
  D3DDDI_NATIVEFENCE_TYPE_DEFAULT = 0,
  D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU = 1,
};

/// Answer to DXGKQAITYPE_NATIVE_FENCE_CAPS. Newer kits have MonitoredValuePadding instead of the
/// stride: the bytes beyond the eight bytes of a slot. Source: WDDM, DXGK_NATIVE_FENCE_CAPS.
struct DXGK_NATIVE_FENCE_CAPS {
  UINT MonitoredValueStride;      ///< distance between the slots of two fences in a page [bytes]
  BOOLEAN MapToGpuSystemProcess;  ///< map CV and MV into the system process for the CMP
  D3DGPU_VIRTUAL_ADDRESS MinimumAddress;  ///< limits of every fence mapping; 0 and 0: none
  D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
  BYTE Reserved[28];
};

/// No flag is defined. Source: WDDM, DXGKARG_CREATENATIVEFENCE_FLAGS.
struct DXGKARG_CREATENATIVEFENCE_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiCreateNativeFence. Source: WDDM, DXGKARG_CREATENATIVEFENCE.
struct DXGKARG_CREATENATIVEFENCE {
  /// in: handle of the OS, reported in pSignaledNativeFenceArray; out: of the driver
  HANDLE hGlobalNativeFence;
  D3DDDI_NATIVEFENCE_TYPE Type;
  D3DGPU_VIRTUAL_ADDRESS CurrentValueSystemProcessGpuVa;  ///< valid with MapToGpuSystemProcess
  D3DGPU_VIRTUAL_ADDRESS MonitoredValueSystemProcessGpuVa;
  BYTE pPrivateDriverData[D3DDDI_NATIVE_FENCE_PDD_SIZE];  ///< of the user-mode driver, in and out
  DXGKARG_CREATENATIVEFENCE_FLAGS Flags;
  BYTE Reserved[32];
};

/// No flag is defined. Source: WDDM, DXGKARG_OPENNATIVEFENCE_FLAGS.
struct DXGKARG_OPENNATIVEFENCE_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiOpenNativeFence. Source: WDDM, DXGKARG_OPENNATIVEFENCE.
struct DXGKARG_OPENNATIVEFENCE {
  HANDLE hGlobalNativeFence;                 ///< the driver's handle, from DxgkDdiCreateNativeFence
  HANDLE hLocalNativeFence;                  ///< in: handle of the OS; out: of the driver
  HANDLE hDevice;                            ///< the driver's device handle
  D3DGPU_VIRTUAL_ADDRESS CurrentValueGpuVa;  ///< in the space of the device's process
  D3DGPU_VIRTUAL_ADDRESS MonitoredValueGpuVa;
  DXGKARG_OPENNATIVEFENCE_FLAGS Flags;
  BYTE pPrivateDriverData[D3DDDI_NATIVE_FENCE_PDD_SIZE];
  BYTE Reserved[32];
};

/// No flag is defined. Source: WDDM, DXGKARG_CLOSENATIVEFENCE_FLAGS.
struct DXGKARG_CLOSENATIVEFENCE_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiCloseNativeFence. Source: WDDM, DXGKARG_CLOSENATIVEFENCE.
struct DXGKARG_CLOSENATIVEFENCE {
  HANDLE hLocalNativeFence;  ///< the driver's handle
  DXGKARG_CLOSENATIVEFENCE_FLAGS Flags;
  BYTE Reserved[32];
};

/// No flag is defined. Source: WDDM, DXGKARG_DESTROYNATIVEFENCE_FLAGS.
struct DXGKARG_DESTROYNATIVEFENCE_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiDestroyNativeFence; the OS frees CV and MV after the return.
/// Source: WDDM, DXGKARG_DESTROYNATIVEFENCE.
struct DXGKARG_DESTROYNATIVEFENCE {
  HANDLE hGlobalNativeFence;  ///< the driver's handle
  DXGKARG_DESTROYNATIVEFENCE_FLAGS Flags;
  BYTE Reserved[32];
};

/// No flag is defined. Source: WDDM, DXGK_UPDATEMONITOREDVALUES_FLAGS.
struct DXGK_UPDATEMONITOREDVALUES_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiUpdateMonitoredValues; the arrays are valid only during the call.
/// Source: WDDM, DXGKARG_UPDATEMONITOREDVALUES.
struct DXGKARG_UPDATEMONITOREDVALUES {
  HANDLE* NativeFenceArray;          ///< the driver's global handles
  UINT64* UpdatedValueArray;         ///< new MV of each fence
  void** MonitoredValueKernelCpuVa;  ///< kernel address of each MV
  UINT NumFences;
  DXGK_UPDATEMONITOREDVALUES_FLAGS Flags;
  BYTE Reserved[28];
};

/// Source: WDDM, DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS.
struct DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS {
  UINT Value;
  /// the device is in error: satisfy all waits at once and ignore GPU signals from now on
  static constexpr UINT kAlwaysSignaled = 1u << 0;
  /// do not write: CV was updated elsewhere, only recheck blocked queues
  static constexpr UINT kNotificationOnly = 1u << 1;
};

/// Argument of DxgkDdiUpdateCurrentValuesFromCpu; the arrays are valid only during the call.
/// Source: WDDM, DXGKARG_UPDATECURRENTVALUESFROMCPU.
struct DXGKARG_UPDATECURRENTVALUESFROMCPU {
  HANDLE* NativeFenceArray;        ///< the driver's global handles
  UINT64* UpdatedValueArray;       ///< new CV of each fence
  void** CurrentValueKernelCpuVa;  ///< kernel address of each CV
  UINT NumFences;
  DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS Flags;
  BYTE Reserved[28];
};

// The functions return STATUS_SUCCESS or an error. The first four run at PASSIVE_LEVEL.

/// Source: WDDM, DxgkDdiCreateNativeFence.
using PDXGKDDI_CREATENATIVEFENCE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CREATENATIVEFENCE* pArgs);
/// Always after the creation of the fence; once per device. Source: WDDM, DxgkDdiOpenNativeFence.
using PDXGKDDI_OPENNATIVEFENCE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_OPENNATIVEFENCE* pArgs);
/// Source: WDDM, DxgkDdiCloseNativeFence.
using PDXGKDDI_CLOSENATIVEFENCE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CLOSENATIVEFENCE* pArgs);
/// After the last close. No adapter argument. Source: WDDM, DxgkDdiDestroyNativeFence.
using PDXGKDDI_DESTROYNATIVEFENCE = NTSTATUS (*)(DXGKARG_DESTROYNATIVEFENCE* pArgs);
/// At device level, synchronized with the ISR. After the return, each CV that a core reads was
/// written by a GPU that had seen the new MV. Source: WDDM, DxgkDdiUpdateMonitoredValues.
using PDXGKDDI_UPDATEMONITOREDVALUES = NTSTATUS (*)(DXGKARG_UPDATEMONITOREDVALUES* pArgs);
/// At DISPATCH_LEVEL. Source: WDDM, DxgkDdiUpdateCurrentValuesFromCpu.
using PDXGKDDI_UPDATECURRENTVALUESFROMCPU = NTSTATUS (*)(DXGKARG_UPDATECURRENTVALUESFROMCPU* pArgs);
