#pragma once

#include "kmd_stub/wddm/feature.h"
#include "tb/os/core/system_options.h"

namespace fenceline::os {

/// Features of one adapter: what the OS knows, what the driver answers, what comes of both.
///
/// A feature is enabled if the OS has it and it is not switched off, all features that it depends
/// on are enabled, the driver supports it on this configuration, and the versions of both overlap.
/// Source: WDDM, IsFeatureEnabled; that native fences depend on hardware scheduling is reading
///
class Features {
 public:
  explicit Features(const SystemOptions& system) : system_(system) {}

  /// The driver's table, from DxgkDdiQueryInterface. Without one it supports no feature.
  void set_driver(const DXGKDDI_FEATURE_INTERFACE& driver, HANDLE adapter) {
    driver_ = driver;
    adapter_ = adapter;
  }
  /// The OS has feature services at all.
  bool offered() const { return system_.wddm >= DXGKDDI_WDDMv3_1; }

  /// Asks the driver. IRQL: PASSIVE_LEVEL.
  DXGK_ISFEATUREENABLED_RESULT ask(DXGK_FEATURE_ID feature) const;
  bool enabled(DXGK_FEATURE_ID feature) const {
    return (ask(feature).Value & DXGK_ISFEATUREENABLED_RESULT::kEnabled) != 0;
  }

  /// Fills the OS' table of a feature. STATUS_INVALID_PARAMETER for a feature without one,
  /// STATUS_UNSUCCESSFUL for one that is not enabled or for another version than the negotiated
  /// one, STATUS_BUFFER_TOO_SMALL. IRQL: PASSIVE_LEVEL.
  NTSTATUS query_table(DXGKARGCB_QUERYFEATUREINTERFACE& args) const;

 private:
  const SystemOptions system_;
  DXGKDDI_FEATURE_INTERFACE driver_{};
  HANDLE adapter_ = nullptr;
};

}  // namespace fenceline::os
