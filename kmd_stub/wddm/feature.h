#pragma once

// Feature negotiation between driver and OS.
//
// A driver asks DxgkCbQueryServices for DXGK_FEATURE_INTERFACE in DxgkDdiStartDevice, then
// IsFeatureEnabled, then QueryFeatureInterface with the negotiated version. The OS asks the driver
// through DxgkDdiQueryInterface with GUID_WDDM_INTERFACE_FEATURE.

#include "kmd_stub/wddm/base.h"

/// Bits [31:28]: DXGK_FEATURE_CATEGORY; bits [27:0]: number within the category. Source: WDDM,
/// DXGK_FEATURE_ID.
using DXGK_FEATURE_ID = UINT;

/// Source: WDDM, DXGK_FEATURE_VERSION.
using DXGK_FEATURE_VERSION = USHORT;

/// Source: WDDM, DXGK_FEATURE_CATEGORY.
enum DXGK_FEATURE_CATEGORY : UINT {
  DXGK_FEATURE_CATEGORY_DRIVER = 0,
  DXGK_FEATURE_CATEGORY_OS = 1,
  DXGK_FEATURE_CATEGORY_BUGFIX = 2,
  DXGK_FEATURE_CATEGORY_TEST = 3,
  DXGK_FEATURE_CATEGORY_MAX = 16,
};

// Source: WDDM, DXGK_DRIVER_FEATURE.
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_HWSCH = 0;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_HWFLIPQUEUE = 1;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_LDA_GPUPV = 2;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT = 3;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_USER_MODE_SUBMISSION = 4;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD = 5;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_SAMPLE = 31;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER = 32;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_KERNEL_MODE_TESTING = 33;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_64K_PT_DEMOTION_FIX = 34;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE = 35;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_GPUVAIOMMU = 36;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_NATIVE_FENCE = 37;
inline constexpr DXGK_FEATURE_ID DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS = 0x10000000;

using PINTERFACE_REFERENCE = void (*)(PVOID Context);
using PINTERFACE_DEREFERENCE = void (*)(PVOID Context);

/// Header of every interface table. Source: WDK, INTERFACE.
struct INTERFACE {
  USHORT Size;  ///< of the whole table [bytes]
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
};

/// Services of DxgkCbQueryServices. Source: WDDM, DXGK_SERVICES.
enum DXGK_SERVICES : UINT {
  DxgkServicesAgp = 0,
  DxgkServicesDebugReport = 1,
  DxgkServicesTimedOperation = 2,
  DxgkServicesSPB = 3,
  DxgkServicesBDD = 4,
  DxgkServicesFirmwareTable = 5,
  DxgkServicesIDD = 6,
  DxgkServicesFeature = 7,
};

/// Source: WDDM, DXGK_ISFEATUREENABLED_RESULT.
struct DXGK_ISFEATUREENABLED_RESULT {
  DXGK_FEATURE_VERSION Version;  ///< negotiated
  USHORT Value;
  static constexpr USHORT kEnabled = 1u << 0;
  static constexpr USHORT kKnownFeature = 1u << 1;
  static constexpr USHORT kSupportedByDriver = 1u << 2;
  static constexpr USHORT kSupportedOnCurrentConfig = 1u << 3;
};

/// Source: WDDM, DXGKARGCB_ISFEATUREENABLED2.
struct DXGKARGCB_ISFEATUREENABLED2 {
  DXGK_FEATURE_ID FeatureId;            ///< in
  UINT Flags;                           ///< in, reserved
  DXGK_ISFEATUREENABLED_RESULT Result;  ///< out
};

/// Source: WDDM, DXGKARGCB_QUERYFEATUREINTERFACE.
struct DXGKARGCB_QUERYFEATUREINTERFACE {
  DXGK_FEATURE_ID FeatureId;
  DXGK_FEATURE_VERSION Version;  ///< in: negotiated version
  USHORT InterfaceSize;          ///< in: size of the table; out: bytes filled
  PVOID Interface;               ///< out: the feature's table
};

/// `hAdapter` is DXGKRNL_INTERFACE.DeviceHandle, null for global features. PASSIVE_LEVEL.
/// Source: WDDM, DXGKCB_ISFEATUREENABLED2.
using DXGKCB_ISFEATUREENABLED2 = NTSTATUS (*)(HANDLE hAdapter, DXGKARGCB_ISFEATUREENABLED2* pArgs);
/// STATUS_BUFFER_TOO_SMALL if InterfaceSize is too small for the table. PASSIVE_LEVEL. Source:
/// WDDM, DXGKCB_QUERYFEATUREINTERFACE.
using DXGKCB_QUERYFEATUREINTERFACE = NTSTATUS (*)(HANDLE hAdapter,
                                                  DXGKARGCB_QUERYFEATUREINTERFACE* pArgs);

/// Assumption: the version numbers of the two feature tables are 1.
inline constexpr USHORT DXGK_FEATURE_INTERFACE_VERSION_1 = 1;
inline constexpr USHORT DXGKDDI_FEATURE_INTERFACE_VERSION_1 = 1;

/// Feature services of the OS, from DxgkCbQueryServices(DxgkServicesFeature).
/// Source: WDDM, DXGK_FEATURE_INTERFACE.
struct DXGK_FEATURE_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKCB_ISFEATUREENABLED2 IsFeatureEnabled;
  DXGKCB_QUERYFEATUREINTERFACE QueryFeatureInterface;
};

/// Native-fence capabilities of the OS; both bits are 0 today. Source: WDDM,
/// DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1.
struct DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 {
  UINT Value;
  static constexpr UINT kSupportOptimizedDefaultFenceType = 1u << 0;
  static constexpr UINT kSupportIntraGpuFenceType = 1u << 1;
};

/// No adapter argument. Source: WDDM, DXGKCB_FEATURE_NATIVEFENCE_CAPS_1.
using DXGKCB_FEATURE_NATIVEFENCE_CAPS_1 = NTSTATUS (*)(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1* pArgs);

/// Table of the OS for DXGK_FEATURE_NATIVE_FENCE, version 1.
/// Source: WDDM, DXGKCBINT_FEATURE_NATIVEFENCE_1.
struct DXGKCBINT_FEATURE_NATIVEFENCE_1 {
  DXGKCB_FEATURE_NATIVEFENCE_CAPS_1 GetOSCaps;
};

/// Source: WDDM, DXGKARG_QUERYFEATURESUPPORT.
struct DXGKARG_QUERYFEATURESUPPORT {
  DXGK_FEATURE_ID FeatureId;                 ///< in
  DXGK_FEATURE_VERSION MinSupportedVersion;  ///< out; not 0 if supported
  DXGK_FEATURE_VERSION MaxSupportedVersion;  ///< out; at least the minimum
  BOOLEAN AllowExperimental;                 ///< in
  BOOLEAN SupportedByDriver;                 ///< out
  BOOLEAN SupportedOnCurrentConfig;          ///< out
};

/// Source: WDDM, DXGKARG_QUERYFEATUREINTERFACE.
struct DXGKARG_QUERYFEATUREINTERFACE {
  DXGK_FEATURE_ID FeatureId;
  DXGK_FEATURE_VERSION Version;
  USHORT InterfaceSize;  ///< in: size of the table; out: bytes filled
  PVOID Interface;
};

/// Source: WDDM, PDXGKDDI_QUERYFEATURESUPPORT.
using PDXGKDDI_QUERYFEATURESUPPORT = NTSTATUS (*)(HANDLE hAdapter,
                                                  DXGKARG_QUERYFEATURESUPPORT* pArgs);
/// STATUS_INVALID_PARAMETER for an unknown feature; STATUS_UNSUCCESSFUL for an unsupported feature
/// or a wrong version; STATUS_BUFFER_TOO_SMALL. Source: WDDM, PDXGKDDI_QUERYFEATUREINTERFACE.
using PDXGKDDI_QUERYFEATUREINTERFACE = NTSTATUS (*)(HANDLE hAdapter,
                                                    DXGKARG_QUERYFEATUREINTERFACE* pArgs);

/// Feature services of the driver, from DxgkDdiQueryInterface.
/// Source: WDDM, DXGKDDI_FEATURE_INTERFACE.
struct DXGKDDI_FEATURE_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  PDXGKDDI_QUERYFEATURESUPPORT QueryFeatureSupport;
  PDXGKDDI_QUERYFEATUREINTERFACE QueryFeatureInterface;
};

/// Source: WDDM, GUID_WDDM_INTERFACE_FEATURE.
inline constexpr GUID GUID_WDDM_INTERFACE_FEATURE = {
    0x94BB3993, 0xC6C3, 0x4DA7, {0x89, 0x49, 0xA1, 0x13, 0x82, 0x32, 0xE7, 0x59}};

/// Argument of DxgkDdiQueryInterface. Source: WDDM, QUERY_INTERFACE.
struct QUERY_INTERFACE {
  const GUID* InterfaceType;
  USHORT Size;  ///< of the table to fill [bytes]
  USHORT Version;
  INTERFACE* Interface;
  PVOID InterfaceSpecificData;
  ULONG DeviceUid;
};

/// PASSIVE_LEVEL. STATUS_NOT_SUPPORTED for an unknown interface.
/// Source: WDDM, DxgkDdiQueryInterface.
using PDXGKDDI_QUERY_INTERFACE = NTSTATUS (*)(PVOID MiniportDeviceContext,
                                              QUERY_INTERFACE* QueryInterface);
