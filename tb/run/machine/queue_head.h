#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/packets.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Head of a hardware queue: the packet that it runs, waits at, or takes up next.
struct QueueHead {
  enum class State : std::uint8_t {
    kEmpty,       ///< all that was announced is done
    kAnnounced,   ///< the same, but a doorbell is still on its way
    kNotFetched,  ///< the engine has not taken the queue up
    kFetching,    ///< it has, and reads the ring
    kRuns,
    kHangs,   ///< it runs on an engine that has hung
    kLooks,   ///< a wait that reads CurrentValue or is about to park
    kParked,  ///< a wait that has left the engine
    kRetries  ///< the same, and the queue has been told to look again
  };

  std::string name;
  std::string engine;  ///< e.g. "gpu0.compute0"
  State state = State::kEmpty;
  abi::Opcode opcode = abi::Opcode::kNop;  ///< unless it is empty
  bool waits = false;                      ///< for a fence
  const os::NativeFence* fence = nullptr;  ///< of a signal or wait; null if it is not alive
  std::uint32_t fence_slot = 0;
  std::uint64_t value = 0;

  /// It is on an engine that has hung, and nobody counts on it any more: its device is in error.
  bool given_up = false;

  bool empty() const { return state == State::kEmpty; }
};

/// The heads of all hardware queues, by process and name.
std::vector<QueueHead> queue_heads(ScenarioMachine& machine);

/// E.g. "WAIT F >= 1 is at its head, parked".
std::string text_of(const QueueHead& head);

}  // namespace fenceline::run
