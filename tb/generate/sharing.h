#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

// How contexts and hardware queues share their engines and doorbells.

/// Draws preemption and hardware scheduling of the platform. Where buffers are preempted, timeouts
/// are seldom detected: in a random order any preemption may be one, and the reference says
/// nothing.
void draw_sharing(const Constraints& constraints, Draw& draw, scenario::Platform& platform);

/// Gives adapters with hardware queues fewer doorbells than those may need. User mode gets a lost
/// one back, so the outcome is the same.
void draw_doorbells(const Constraints& constraints, Draw& draw, scenario::Platform& platform);
/// True if hardware queues of the adapter take doorbells from each other.
bool shares_doorbells(const top::GpuConfig& adapter);

/// An engine for a queue or context of the process: with shared engines mostly one that has others.
const engine::EngineConfig& draw_engine(Plan& plan, std::size_t process);

/// With hardware scheduling: puts the queue into a hardware context of its engine, a new one or one
/// that the process has.
void draw_hardware_context(Plan& plan, scenario::Process& process, scenario::Queue& queue);

/// Properties of a hardware context.
os::SchedulingProperties draw_scheduling(Draw& draw);

/// Duration of a group of a dispatch, or of a primitive of a draw: with shared engines it is long
/// at times, so that other work preempts it.
common::Time draw_work_time(Plan& plan);

}  // namespace fenceline::generate
