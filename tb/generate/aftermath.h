#pragma once

#include <optional>

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Plans work for devices that are in error. The last step of the thread has caused the error, and
/// the thread submits this work: buffers that contexts of the devices do not take, signals that
/// engines skip, and another error. Nobody waits for any of it.
void plan_aftermath(Plan& plan, AgentId thread);

/// A hardware queue of the thread's process, whose device will be in error. The thread then comes
/// after its submissions.
std::optional<AgentId> lost_waiter(Plan& plan, AgentId thread);

/// Plans a wait of the queue that nobody ends but the error, which is the next step of the thread.
/// The reset of an engine that runs nothing is none.
void plan_lost_wait(Plan& plan, AgentId thread, AgentId queue);

/// Plans a signal behind a packet for which the node drops the rest of the buffer.
void plan_behind_packet(Plan& plan, AgentId context);

/// Plans a thread that polls for a value which an error takes away: it may do so for ever.
/// @pre the error is planned, and nothing else will be
void plan_lost_poll(Plan& plan);

}  // namespace fenceline::generate
