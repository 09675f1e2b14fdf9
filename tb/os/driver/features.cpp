#include "tb/os/driver/features.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fenceline::os {

namespace {

using Result = DXGK_ISFEATUREENABLED_RESULT;

/// A feature that the OS knows.
struct Known {
  DXGK_FEATURE_ID id;
  DXGK_WDDMVERSION since;
  DXGK_FEATURE_VERSION lowest;
  DXGK_FEATURE_VERSION highest;
};
constexpr Known kKnown[] = {
    {DXGK_FEATURE_HWSCH, DXGKDDI_WDDMv3_1, 1, 1},
    {DXGK_FEATURE_USER_MODE_SUBMISSION, DXGKDDI_WDDMv3_2, 1, 1},
    {DXGK_FEATURE_NATIVE_FENCE, DXGKDDI_WDDMv3_2, 1, 1},
};

/// Today's OS places no native fence outside system memory by itself.
NTSTATUS get_os_caps(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1* args) {
  args->Value = 0;
  return STATUS_SUCCESS;
}

}  // namespace

DXGK_ISFEATUREENABLED_RESULT Features::ask(DXGK_FEATURE_ID feature) const {
  Result result{};
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& it) {
    return it.id == feature && system_.wddm >= it.since;
  });
  if (known == std::end(kKnown)) return result;
  result.Value = Result::kKnownFeature;
  if (driver_.QueryFeatureSupport == nullptr) return result;
  DXGKARG_QUERYFEATURESUPPORT support{};
  support.FeatureId = feature;
  const NTSTATUS status = driver_.QueryFeatureSupport(adapter_, &support);
  if (!NT_SUCCESS(status) || support.SupportedByDriver == FALSE) return result;
  result.Value |= Result::kSupportedByDriver;
  if (support.SupportedOnCurrentConfig == FALSE) return result;
  result.Value |= Result::kSupportedOnCurrentConfig;
  const DXGK_FEATURE_VERSION version = std::min(known->highest, support.MaxSupportedVersion);
  if (version < std::max(known->lowest, support.MinSupportedVersion)) return result;
  if (feature == DXGK_FEATURE_HWSCH && !system_.hardware_scheduling) return result;
  if (feature == DXGK_FEATURE_NATIVE_FENCE &&
      (!system_.native_fence || !enabled(DXGK_FEATURE_HWSCH)))
    return result;
  result.Value |= Result::kEnabled;
  result.Version = version;
  return result;
}

NTSTATUS Features::query_table(DXGKARGCB_QUERYFEATUREINTERFACE& args) const {
  if (args.FeatureId != DXGK_FEATURE_NATIVE_FENCE) return STATUS_INVALID_PARAMETER;
  const Result result = ask(args.FeatureId);
  if ((result.Value & Result::kEnabled) == 0 || args.Version != result.Version)
    return STATUS_UNSUCCESSFUL;
  const DXGKCBINT_FEATURE_NATIVEFENCE_1 table{get_os_caps};
  if (args.InterfaceSize < sizeof table) return STATUS_BUFFER_TOO_SMALL;
  std::memset(args.Interface, 0, args.InterfaceSize);
  std::memcpy(args.Interface, &table, sizeof table);
  args.InterfaceSize = sizeof table;
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
