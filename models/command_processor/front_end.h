#pragma once

#include <cstdint>
#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include "models/command_processor/binder.h"
#include "models/command_processor/doorbells.h"
#include "models/command_processor/engine_port.h"
#include "models/command_processor/fence_unit.h"
#include "models/command_processor/memory_port.h"
#include "models/command_processor/scheduling/hang_watch.h"
#include "models/command_processor/scheduling/resets.h"
#include "models/command_processor/scheduling/ring_preemption.h"
#include "models/command_processor/scheduling/scheduler.h"
#include "models/command_processor/scheduling/turns.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

class CommandProcessor;

/// Front end of a node: fetches the packets of a queue and runs them until the queue is empty, must
/// wait for a fence, or must leave the node.
class FrontEnd {
 public:
  using DisplaySocket = tlm_utils::multi_passthrough_initiator_socket_optional<CommandProcessor>;
  /// Parts of the command processor that it uses.
  struct Uses {
    MemoryPort& memory;
    EnginePort& engines;
    DisplaySocket& display;
    Binder& binder;
    Turns& turns;
    Scheduler& scheduler;
    HangWatch& hang_watch;
    Resets& resets;
    RingPreemption& buffers;
    FenceUnit& fences;
    Doorbells& doorbells;
  };
  FrontEnd(Shared& shared, Node& node, const Uses& uses)
      : shared_(shared), node_(node), uses_(uses) {}

  /// Body of the agent.
  void run();

 private:
  /// Packets outside the ring.
  struct Buffer {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint32_t space;
  };
  /// A packet with the LOG packet that belongs to it.
  struct Decoded {
    abi::PacketHeader header{};
    std::uint64_t bytes = 0;  ///< with the LOG packet
    bool skip = false;        ///< NOP
    bool logged = false;
  };

  void run_queue(HardwareQueue& queue);
  bool fetch(const HardwareQueue& queue, Cursor& cursor);
  void forget_packets(const HardwareQueue& queue) const;
  bool decode(HardwareQueue& queue, Cursor& cursor, Decoded& packet);
  common::EngineCommand command_of(HardwareQueue& queue, const Cursor& cursor,
                                   const Decoded& packet) const;
  bool run_packet(HardwareQueue& queue, Cursor& cursor);
  bool run_command(HardwareQueue& queue, const Cursor& cursor, common::EngineCommand& command);
  bool fail_packet(HardwareQueue& queue, Cursor& cursor, abi::FaultCode code,
                   std::uint64_t address);
  bool run_wait(HardwareQueue& queue, const Cursor& cursor, const common::EngineCommand& command);
  bool log_wait(HardwareQueue& queue, const Cursor& cursor);
  bool run_buffer(HardwareQueue& queue, common::EngineCommand& command);
  bool run_indirect(HardwareQueue& queue, const Buffer& buffer);
  void run_display(HardwareQueue& queue, const common::EngineCommand& command);
  std::uint32_t written_fence(const HardwareQueue& queue, const common::EngineCommand& command);
  void write_back(HardwareQueue& queue);
  void report_read(const HardwareQueue& queue, const Cursor& cursor,
                   const common::EngineCommand& command) const;
  void report_done(const HardwareQueue& queue, const Cursor& cursor, std::uint64_t bytes) const;

  Shared& shared_;
  Node& node_;
  const Uses uses_;
};

}  // namespace fenceline::command_processor
