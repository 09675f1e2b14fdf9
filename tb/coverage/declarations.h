#pragma once

#include "models/common/events/all.h"

/// Declarations of events that only coverage needs: their operations and states.
namespace fenceline::coverage {

/// An operation, with the event that begins it and those that end it. Two events belong to one
/// operation if their values are equal in each field that all its events have; a Serial among these
/// decides alone.
template <class Beginning, class... Ends>
struct Operation {};

using AllOperations = event::List<
    Operation<event::WaitAdd, event::WaitDone, event::WaitTimeout, event::WaitLetGo>,
    Operation<event::GpuWaitBegin, event::GpuWaitUnblock>,
    Operation<event::SignalBegin, event::SignalEnd>,
    Operation<event::UpdateMonitoredCall, event::UpdateMonitoredReturn>,
    Operation<event::PacketBegin, event::PacketEnd>,
    Operation<event::ThreadStep, event::ThreadStepEnd>, Operation<event::IsrBegin, event::IsrEnd>,
    Operation<event::DpcBegin, event::DpcEnd>,
    Operation<event::LogFlushCall, event::LogFlushReturn>,
    Operation<event::DdiCall, event::DdiReturn>, Operation<event::PreemptCall, event::Preempted>,
    Operation<event::BufferBegin, event::BufferEnd, event::BufferStopped, event::BufferFaulted>,
    Operation<event::SoftwarePacket, event::SoftwarePacketRun>,
    Operation<event::SuspendCall, event::ContextSuspended>,
    Operation<event::FlipCall, event::FlipDone>>;

/// Events after which their object, a fence or a queue, is in a state of the event's name. If the
/// sentence of the event has words for a field, `{field|word|...}`, these are the states.
using StateEvents =
    event::List<event::FenceCreate, event::WaitAdd, event::WaitDone, event::GpuWaitPark,
                event::GpuWaitUnblock, event::SignalBegin, event::SignalEnd, event::FenceClose,
                event::FenceDestroy, event::QueueState, event::ContextPacket, event::ContextSubmit,
                event::ContextEnded>;

}  // namespace fenceline::coverage
