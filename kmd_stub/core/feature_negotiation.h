#pragma once

#include "kmd_stub/core/handle.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/host/driver_caps.h"

namespace fenceline::kmd {

/// Result of the negotiation of native fences.
struct NativeFenceSupport {
  bool enabled = false;  ///< the OS enables the feature
  UINT os_caps = 0;      ///< DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1
};

/// Negotiates with the OS in the documented order: feature interface, IsFeatureEnabled, table of
/// the negotiated version, GetOSCaps. If any of these is missing, native fences are not enabled: on
/// an older OS the driver works without them. `caps` selects steps that the driver leaves out.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DXGK_FEATURE_NATIVE_FENCE.
NativeFenceSupport negotiate_native_fences(const OperatingSystem& os,
                                           const kmd_host::DriverCaps& caps);

/// Fills the table of feature services. STATUS_NOT_SUPPORTED for an unknown interface,
/// STATUS_INVALID_PARAMETER, STATUS_BUFFER_TOO_SMALL. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiQueryInterface(AnyAdapter adapter, QUERY_INTERFACE& query);

/// Answers whether the driver supports a feature. Unknown features are not supported. IRQL:
/// PASSIVE_LEVEL. Source: WDDM, PDXGKDDI_QUERYFEATURESUPPORT.
NTSTATUS DxgkDdiQueryFeatureSupport(AnyAdapter adapter, DXGKARG_QUERYFEATURESUPPORT& args);

/// Fills the driver's table of a feature. All tables are empty so far. STATUS_INVALID_PARAMETER for
/// an unknown feature, STATUS_UNSUCCESSFUL for an unsupported feature or another version. IRQL:
/// PASSIVE_LEVEL. Source: WDDM, PDXGKDDI_QUERYFEATUREINTERFACE.
NTSTATUS DxgkDdiQueryFeatureInterface(AnyAdapter adapter, DXGKARG_QUERYFEATUREINTERFACE& args);

}  // namespace fenceline::kmd
