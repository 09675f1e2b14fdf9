#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Draws what keeps adapters from native fences though their GPUs have them.
void draw_negotiation(const Constraints& constraints, Draw& draw, scenario::Platform& platform);

/// The adapter starts with native fences.
bool has_native_fences(const scenario::Platform& platform, const top::GpuConfig& adapter);

/// All drivers signal CPU events, since WDDM 3.0.
bool have_cpu_events(const scenario::Platform& platform);

}  // namespace fenceline::generate
