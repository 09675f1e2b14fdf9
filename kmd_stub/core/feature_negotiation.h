#pragma once

#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/host/driver_caps.h"

namespace fenceline::kmd {

/// What the driver may do about native fences.
struct NativeFenceSupport {
  bool enabled = false;  ///< by the OS
  UINT os_caps = 0;      ///< DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1
};

/// Asks the OS, in the documented order: feature interface, IsFeatureEnabled, the feature's table
/// of the negotiated version, GetOSCaps. Anything missing on the way means not enabled: an older OS
/// gets a driver without native fences. What is left out is up to `caps`. IRQL: PASSIVE_LEVEL.
/// Source: WDDM, DXGK_FEATURE_NATIVE_FENCE.
NativeFenceSupport negotiate_native_fences(const OperatingSystem& os,
                                           const kmd_host::DriverCaps& caps);

/// Answers whether the driver supports a feature. Features it does not know are not supported.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, PDXGKDDI_QUERYFEATURESUPPORT.
void query_feature_support(const kmd_host::DriverCaps& caps, DXGKARG_QUERYFEATURESUPPORT& args);

/// Fills the driver's table of a feature; all features so far have an empty one.
/// STATUS_INVALID_PARAMETER for an unknown feature, STATUS_UNSUCCESSFUL for one that is known but
/// not supported or for another version. IRQL: PASSIVE_LEVEL.
/// Source: WDDM, PDXGKDDI_QUERYFEATUREINTERFACE.
NTSTATUS query_feature_interface(const kmd_host::DriverCaps& caps,
                                 DXGKARG_QUERYFEATUREINTERFACE& args);

}  // namespace fenceline::kmd
