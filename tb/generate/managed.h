#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

// Allocations that the memory manager places and moves.

/// Adds one to the process. Work can use it, if it is resident.
void draw_managed(Plan& plan, std::size_t process, const std::string& name);

/// True if windows show allocations in VRAM to the CPU. One that has to be there stays behind its
/// window, also while the adapter sleeps.
bool asks_for_windows(const Plan& plan);

/// What a step creates: an allocation, and the plan for it.
scenario::Allocation drawn_allocation(Plan& plan, std::size_t process, const std::string& name,
                                      MemoryPlan& memory);

/// At times VRAM has little room, so that allocations drive each other out of it. Those that have
/// to be there always fit.
void draw_video_memory(Plan& plan);

/// Bytes of small VRAM that neither allocations that have to be there nor stresses of memory take.
/// UINT64_MAX: VRAM has room, or nothing has to be there.
std::uint64_t free_video_memory(const scenario::Scenario& scenario);

}  // namespace fenceline::generate
