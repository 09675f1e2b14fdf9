#pragma once

#include <array>
#include <cstdint>

#include "models/abi/registers.h"
#include "models/common/engine_command.h"
#include "models/common/hash.h"
#include "models/common/steps/steps.h"
#include "models/common/steps/time.h"

namespace fenceline::command_processor {

/// Bindings of the slots of a node, GPU physical. Plain data.
struct Bindings {
  struct Slot {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: slot is not bound
  };
  std::array<Slot, abi::kBindingSlots> slots;
  std::uint64_t table = 0;
  bool used = false;  ///< a BIND ran since the last reset

  std::uint64_t hash() const {
    common::Hasher hasher;
    for (const Slot& slot : slots) hasher.add(slot.address).add(slot.bytes);
    return hasher.add(table).value();
  }
};

/// The user-mode queue that a node runs, and the state of its departure. Plain data.
struct Turn {
  static constexpr common::Time kNever = ~common::Time{0};
  std::uint32_t queue = 0;    ///< slot + 1 of the user-mode queue at the node; 0: none
  std::uint32_t ended = 0;    ///< slot + 1 of the queue that the last reset ended
  common::Time since = 0;     ///< when the queue could begin; kNever: not yet
  common::Time due = kNever;  ///< when the queue must make room
  bool yields = false;        ///< `due` has passed
  bool hold = false;          ///< a reset in progress will hold the node
  bool spares_ring = false;   ///< and spares the driver's own ring
  bool held = false;          ///< the node runs nothing
  // For CommandProcessorConfig::engine_timeout.
  common::Time progress = 0;  ///< last end of a packet, or time of the request to leave
  bool asked = false;         ///< the queue was asked to leave
  bool timed_out = false;     ///< the queue did not leave: the node waits for its reset

  std::uint64_t hash() const {
    return std::uint64_t{ended} << 32 | std::uint64_t{queue} << 6 | (spares_ring ? 32U : 0U) |
           (timed_out ? 16U : 0U) | (asked ? 8U : 0U) | (yields ? 4U : 0U) | (hold ? 2U : 0U) |
           (held ? 1U : 0U);
  }
};

/// State of one node: an engine, with the queues that feed it.
struct Node {
  Node(common::Steps& steps, std::uint32_t engine) : number(engine), ready(steps), changed(steps) {}

  const std::uint32_t number;    ///< ordinal of the engine
  common::Gate ready;            ///< the front end must look for work
  std::size_t next = 0;          ///< round robin: first candidate among the queues of the node
  common::Gate changed;          ///< something that stops or holds the node has changed
  common::StopRequest stop;      ///< see EnginePort: the engine has the same
  std::uint32_t preemption = 0;  ///< id of the current preemption request; 0: none
  std::uint64_t preempted = 0;   ///< end of the ring when the request came
  std::uint32_t completed = 0;   ///< submission id of the last finished buffer, also after a reset
  std::uint32_t ended = 0;       ///< submission id ended by a reset; 0: a buffer has begun since
  std::uint32_t context = 0;     ///< slot of the context whose state the node holds
  std::uint64_t state = 0;       ///< the held state: see abi::kIdleStateOffset
  std::uint32_t space = 0;       ///< address space of that context
  std::uint32_t reports = 0;     ///< reports to the CMP under way
  Bindings bindings;
  Turn turn;
  std::uint32_t signals = 0;       ///< slot + 1 of the fence whose signal runs; 0: none
  std::uint64_t signal_place = 0;  ///< for footprints

  std::uint64_t hash() const {
    return common::hash_values(
        preempted, std::uint64_t{preemption} << 32 | completed,
        std::uint64_t{context} << 32 | space, bindings.used ? bindings.hash() : 0, reports,
        state << 3 | (ended != 0 ? 4U : 0U) | (stop.wanted ? 2U : 0U) | (stop.reset ? 1U : 0U));
  }
};

}  // namespace fenceline::command_processor
