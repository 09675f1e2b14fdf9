#pragma once

#include <cstdint>
#include <cstring>
#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include "models/command_processor/scheduling/save_areas.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

class CommandProcessor;

/// The engines of the nodes: gives them commands, stops them, and has them report to the CMP.
class EnginePort {
 public:
  using Socket = tlm_utils::multi_passthrough_initiator_socket<CommandProcessor>;

  EnginePort(Shared& shared, Socket& socket, const SaveAreas& areas)
      : shared_(shared), socket_(socket), areas_(areas) {}

  /// Runs a command of the queue. False when the command stopped before its end: the queue then
  /// holds its progress.
  bool execute(Node& node, HardwareQueue& queue, common::EngineCommand& command);
  /// Runs a packet that the device makes itself: a report to the CMP that is no part of a buffer.
  template <typename Packet>
  bool execute_packet(Node& node, HardwareQueue& queue, const Packet& packet) {
    common::EngineCommand command = command_of(queue, packet);
    count_report(node, 1);
    const bool ended = execute(node, queue, command);
    count_report(node, -1);
    return ended;
  }
  /// Has the engine report to the CMP, also while it executes a command.
  template <typename Packet>
  void report(std::uint32_t engine, const Packet& packet) {
    report(engine, HardwareQueue(), packet);
  }
  template <typename Packet>
  void report(std::uint32_t engine, const HardwareQueue& queue, const Packet& packet) {
    common::EngineCommand command = command_of(queue, packet);
    Node& node = *shared_.nodes[engine];
    count_report(node, 1);
    send(engine, command);
    count_report(node, -1);
  }

  /// The node stops at the next possible point.
  void ask_to_stop(Node& node) {
    set_stop(node, {true, node.stop.reset});
    node.changed.open();
  }
  /// The queue at the node may stay. A preemption still stops the node.
  void take_back_stop(Node& node) { set_stop(node, {node.preemption != 0, node.stop.reset}); }
  /// The node drops what it does, at once.
  void ask_for_reset(Node& node) {
    set_stop(node, {node.stop.wanted, true});
    node.changed.open();
  }
  void end_reset(Node& node) {
    set_stop(node, {node.preemption != 0, false});
    node.changed.open();
  }

  /// The current work of a driver ring sends nothing to the CMP, or may do so again. A reset does
  /// not wait for silent work.
  void set_silent(Node& node, HardwareQueue& queue, bool silent) const;

 private:
  template <typename Packet>
  static common::EngineCommand command_of(const HardwareQueue& queue, const Packet& packet) {
    common::EngineCommand command;
    command.queue_slot = queue.slot;
    command.queue = queue.object;
    std::memcpy(command.packet.data(), &packet, sizeof packet);
    return command;
  }
  /// A reset waits for the reports under way, where user-mode queues can be ended.
  void count_report(Node& node, int change) const;
  void set_stop(Node& node, const common::StopRequest& request);
  tlm::tlm_response_status send(std::uint32_t engine, common::EngineCommand& command);

  Shared& shared_;
  Socket& socket_;
  const SaveAreas& areas_;
};

}  // namespace fenceline::command_processor
