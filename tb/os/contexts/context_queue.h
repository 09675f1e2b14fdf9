#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tb/os/allocations/allocation.h"
#include "tb/os/contexts/patched_buffer.h"
#include "tb/os/objects/monitored_fences.h"
#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// A context fed by the OS: packets of its user, in order, that are not given to the GPU yet.
struct ContextQueue {
  /// A queued wait. It owns its waiter, which leaves the fence when the packet ends.
  struct HeldWait {
    MonitoredFences::Point point;
    std::shared_ptr<NativeFence> native;  ///< native fence of the wait, used instead of point.fence
    Waiter waiter{};
    bool registered = false;
    std::uint64_t number = 0;  ///< of its packet

    const Fence& fence() const {
      return native != nullptr ? static_cast<const Fence&>(*native) : *point.fence;
    }
  };
  struct Packet {
    enum class Kind : std::uint8_t { kBuffer, kWait, kSignal };
    Kind kind = Kind::kBuffer;
    D3DGPU_VIRTUAL_ADDRESS address = 0;  ///< of a buffer
    UINT bytes = 0;
    std::vector<Allocation*> listed;  ///< allocations that the buffer uses, as far as the OS knows
    std::vector<MonitoredFences::Point> points;  ///< of a signal
    std::vector<FenceScheduler::Point> natives;  ///< of a signal of native fences
    std::shared_ptr<HeldWait> wait;              ///< of a wait; no other packet has it
    /// Of a buffer within its context, from 1; of a wait or signal among those of its context.
    std::uint64_t number = 0;
    UINT id = 0;                                ///< id before its preemption, 0: not preempted
    bool leaves = false;                        ///< no buffer: it makes the node leave the context
    bool flips = false;                         ///< a buffer written by DxgkDdiPresent
    std::shared_ptr<const PatchedPart> part{};  ///< of a buffer with patch locations, else null
  };

  ContextQueue(common::Steps& steps, Adapter& on) : adapter(on), room(steps), left(steps) {}

  /// Number of buffers that a process has submitted to a context so far.
  struct Mark {
    const ContextQueue* context;
    std::uint64_t submitted;
    /// True once they are complete or were ended by a reset.
    bool passed() const {
      return context->completed >= submitted || (context->ended && context->in_flight == 0);
    }
  };
  /// True if the node can reach all state memory of the context.
  bool has_states() const {
    return std::all_of(states.begin(), states.end(),
                       [](const Allocation* state) { return state->reached; });
  }

  /// Nothing that comes behind its last buffer happens.
  bool stopped() const { return ended || lost; }

  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kQueue
  Adapter& adapter;
  HANDLE driver_handle = nullptr;
  UINT node = 0;
  std::deque<Packet> packets;
  std::deque<Packet> preempted;  ///< served before `packets`
  std::deque<Packet> passed;     ///< without os.hold_gpu_waits: waits that do not block
  std::size_t buffers = 0;       ///< number of buffers that are not complete
  UINT last_id = 0;              ///< last buffer given to the driver
  const void* owner = nullptr;   ///< process that owns it
  std::uint32_t process = 0;     ///< object of that process
  bool paging = false;           ///< its buffers are paging buffers
  INT priority = 0;              ///< -7 to 7; higher ones preempt
  /// Context allocations that VidMm can move: those of the context and of its device. Empty: none
  /// move.
  std::vector<Allocation*> states;
  bool state_asked = false;  ///< VidMm is asked to bring back states that the GPU cannot reach
  bool leaving = false;      ///< its node must leave it
  bool leave_given = false;  ///< the node was given the buffer for that
  bool ended = false;        ///< its device is in error: it is ignored
  bool lost = false;         ///< the work of a buffer is lost: its device will be in error
  /// Thread that queues the parts of one buffer, 0: none. Other threads may not queue in between.
  common::AgentId sender = 0;
  // Running counts; not part of the state, except for their difference `buffers`.
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint32_t in_flight = 0;  ///< buffers at the driver
  /// Allocation lists of the buffers at the driver, in order, and the number of completed ones.
  std::deque<std::vector<Allocation*>> lists;
  std::size_t lists_done = 0;
  std::uint64_t turn = 0;      ///< serves contexts of one priority round robin, lowest first
  std::uint64_t software = 0;  ///< number of waits and signals so far
  std::uint32_t holds = 0;     ///< above 0: the driver gets no more buffers of it
  KernelEvent room;            ///< set when one of its buffers is complete
  KernelEvent left;            ///< set when its node has left it
};

}  // namespace fenceline::os
