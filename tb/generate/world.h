#pragma once

#include <cstddef>
#include <string>

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Draws the host and the adapters.
void draw_platform(const Constraints& constraints, Draw& draw, scenario::Platform& platform);

/// Draws processes, their objects and their threads, and adds all to the plan.
void draw_world(Plan& plan);

/// The process has native fences.
bool is_native(Plan& plan, std::size_t process);

/// A fence that the process creates.
scenario::Fence draw_fence(Plan& plan, std::size_t process, const std::string& name);
/// Plans the step of the thread that creates the fence. Returns the fence's index in the plan.
std::size_t create_fence(Plan& plan, AgentId thread, scenario::CreateFenceStep create);

/// The plan of a fence that the process has made, before any action with it.
FencePlan plan_of(const scenario::Fence& fence, std::size_t process);
/// The adapter changes fences with 32 bits: memory holds the lower halves of values, and values of
/// one fence have to be near each other.
bool has_32_bits(const scenario::Scenario& scenario);

/// The adapter of a process.
const top::GpuConfig& adapter_of(const scenario::Scenario& scenario, std::size_t process);

}  // namespace fenceline::generate
