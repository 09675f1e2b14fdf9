#pragma once

#include "kmd_stub/wddm/dxgkrnl_interface.h"

namespace fenceline::os {

/// The functions of the OS that a driver calls. Each looks at what it is given: what a driver must
/// not do is reported (Misuse, or kIrqlViolation) and has no effect.

/// Functions that an OS without context allocations or hardware contexts leaves null.
struct OptionalCallbacks {
  bool context_allocations = false;
  bool hw_contexts = false;
};
/// Fills all members but the first three.
void fill_callbacks(DXGKRNL_INTERFACE& functions, const OptionalCallbacks& optional);
/// Fills IsFeatureEnabled and QueryFeatureInterface.
void fill_feature_callbacks(DXGK_FEATURE_INTERFACE& functions);

}  // namespace fenceline::os
