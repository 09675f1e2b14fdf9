#pragma once

// CPU events that the driver signals, and their escapes.

#include "kmd_stub/wddm/base.h"

/// No flag is defined. Source: WDDM, DXGK_CREATECPUEVENTFLAGS.
struct DXGK_CREATECPUEVENTFLAGS {
  UINT Value;
};

/// Argument of DxgkDdiCreateCpuEvent. Source: WDDM, DXGKARG_CREATECPUEVENT.
struct DXGKARG_CREATECPUEVENT {
  HANDLE hKmdDevice;    ///< the driver's handle
  HANDLE hDxgCpuEvent;  ///< handle of the OS, for DxgkCbSignalEvent
  DXGK_CREATECPUEVENTFLAGS Flags;
  HANDLE hKmdCpuEvent;  ///< out: handle of the driver
};

/// Source: WDDM, DXGKARGCB_SIGNALEVENT_FLAGS.
struct DXGKARGCB_SIGNALEVENT_FLAGS {
  UINT Value;  ///< bits [31:1] are reserved and 0
  static constexpr UINT kCpuEventObject = 1u << 0;
};

/// Argument of DxgkCbSignalEvent. With kCpuEventObject hDxgkProcess is 0 and hEvent is the
/// hDxgCpuEvent of DxgkDdiCreateCpuEvent; without, hEvent is a handle of that process.
/// Source: WDDM, DXGKARGCB_SIGNALEVENT.
struct DXGKARGCB_SIGNALEVENT {
  HANDLE hDxgkProcess;
  HANDLE hEvent;
  DXGKARGCB_SIGNALEVENT_FLAGS Flags;
};

/// Source: WDDM, D3DDDI_ESCAPEFLAGS.
struct D3DDDI_ESCAPEFLAGS {
  UINT Value;
  static constexpr UINT kHardwareAccess = 1u << 0;
  static constexpr UINT kDeviceStatusQuery = 1u << 1;
  static constexpr UINT kChangeFrameLatency = 1u << 2;
  static constexpr UINT kNoAdapterSynchronization = 1u << 3;  ///< does not wake the adapter
  static constexpr UINT kVirtualMachineData = 1u << 5;
  static constexpr UINT kDriverKnownEscape = 1u << 6;  ///< the data is a D3DDDI_DRIVERESCAPE_*
  static constexpr UINT kDriverCommonEscape = 1u << 7;
};

/// Type of the data of a known escape. Source: WDDM, D3DDDI_DRIVERESCAPETYPE.
enum D3DDDI_DRIVERESCAPETYPE : UINT {
  D3DDDI_DRIVERESCAPETYPE_TRANSLATEALLOCATIONHANDLE = 0,
  D3DDDI_DRIVERESCAPETYPE_TRANSLATERESOURCEHANDLE = 1,
  D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE = 2,
  D3DDDI_DRIVERESCAPETYPE_BUILDTESTCOMMANDBUFFER = 3,
  D3DDDI_DRIVERESCAPETYPE_MAX = 4,
};

/// Sets the use of a CPU event in the driver. Source: WDDM, D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE.
struct D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE {
  D3DDDI_DRIVERESCAPETYPE EscapeType;
  D3DKMT_HANDLE hSyncObject;
  UINT64 hKmdCpuEvent;  ///< filled in by the OS
  UINT Usage[8];        ///< contract between user-mode and kernel-mode driver
};

/// Argument of DxgkDdiEscape. Source: WDDM, DXGKARG_ESCAPE.
struct DXGKARG_ESCAPE {
  HANDLE hDevice;  ///< the driver's handles
  D3DDDI_ESCAPEFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
};

// NOLINTBEGIN(readability-identifier-naming): the names are those of the WDK.
/// Source: WDK, DEVICE_POWER_STATE.
enum DEVICE_POWER_STATE : UINT {
  PowerDeviceUnspecified = 0,
  PowerDeviceD0 = 1,
  PowerDeviceD1 = 2,
  PowerDeviceD2 = 3,
  PowerDeviceD3 = 4,
};

/// Excerpt. Source: WDK, POWER_ACTION.
enum POWER_ACTION : UINT { PowerActionNone = 0 };
// NOLINTEND(readability-identifier-naming)

/// DeviceUid of the adapter itself. Source: WDDM, DxgkDdiSetPowerState.
inline constexpr ULONG DISPLAY_ADAPTER_HW_ID = 0xFFFFFFFF;

// All at PASSIVE_LEVEL, except DxgkCbSignalEvent.

/// Source: WDDM, DxgkDdiCreateCpuEvent.
using PDXGKDDI_CREATECPUEVENT = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CREATECPUEVENT* pArgs);
/// After it DxgkCbSignalEvent is not called for the event. It may come after the device is
/// destroyed. Source: WDDM, DxgkDdiDestroyCpuEvent.
using PDXGKDDI_DESTROYCPUEVENT = NTSTATUS (*)(HANDLE hAdapter, HANDLE hKmdCpuEvent);
/// Source: WDDM, DxgkDdiEscape.
using PDXGKDDI_ESCAPE = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_ESCAPE* pEscape);
/// Source: WDDM, DxgkDdiSetPowerState.
using PDXGKDDI_SET_POWER_STATE = NTSTATUS (*)(PVOID MiniportDeviceContext, ULONG DeviceUid,
                                              DEVICE_POWER_STATE DevicePowerState,
                                              POWER_ACTION ActionType);
/// Up to DISPATCH_LEVEL. Source: WDDM, DXGKCB_SIGNALEVENT.
using DXGKCB_SIGNALEVENT = NTSTATUS (*)(const DXGKARGCB_SIGNALEVENT* pArgs);
