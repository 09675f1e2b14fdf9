#pragma once

#include <cstdint>
#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include "models/command_processor/node.h"
#include "models/common/simulation.h"
#include "models/common/watches.h"

namespace fenceline::command_processor {

class CommandProcessor;

/// An address in an address space.
struct Location {
  std::uint32_t space;  ///< VMID, or common::kPhysical
  std::uint64_t address;
};

/// Memory accesses of the command processor. Each front end has a port to the MMU.
class MemoryPort {
 public:
  using Socket = tlm_utils::multi_passthrough_initiator_socket<CommandProcessor>;
  /// Purpose of a read.
  struct Use {
    common::Operation operation = common::Operation::kIdle;
    event::Reader reader = event::Reader::kOther;
  };

  /// @param state_mbps [MB/s] limit for `move`; 0: memory speed.
  MemoryPort(common::Simulation& simulation, Socket& socket, const common::MemoryWatches& watches,
             std::uint64_t state_mbps)
      : simulation_(simulation), socket_(socket), watches_(watches), state_mbps_(state_mbps) {}

  /// False if there is no translation. @pre the bytes lie in one page.
  bool read(const Node& node, Location at, void* data, std::size_t bytes) {
    return read(node, at, data, bytes, Use{});
  }
  bool read(const Node& node, Location at, void* data, std::size_t bytes, Use use);
  /// Posts writes of at most 64 bytes.
  void post(const Node& node, Location at, const void* data, std::size_t bytes);
  /// Moves bytes whose content does not matter: only time and traffic count.
  void move(const Node& node, Location at, std::uint64_t bytes, bool writes);
  /// Waits until the posted writes of the front end are visible.
  void barrier(const Node& node);
  /// The watched object at an address; 0 if none. For events only.
  std::uint32_t object_at(std::uint32_t engine, Location at);

 private:
  common::Simulation& simulation_;
  Socket& socket_;
  const common::MemoryWatches watches_;
  const std::uint64_t state_mbps_;
};

}  // namespace fenceline::command_processor
