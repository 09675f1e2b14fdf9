#pragma once

#include "models/command_processor/fence_unit.h"
#include "tb/test/unit/models/test_processor_parts.h"

/// The fence unit with a queue of user mode, and what front ends give it.
namespace fenceline::test_command_processor {

struct FenceBench : Parts {
  static constexpr std::uint32_t kFenceObject = 77;
  static constexpr std::uint32_t kOtherFence = 5;  ///< slot

  command_processor::FenceUnit unit{shared, {memory_port, engines, scheduler}};

  explicit FenceBench(const common::Ordering& ordering = {}) : Parts(parts_config(), ordering) {
    fences.set(kFenceSlot, kFenceObject);
  }
  void store(std::uint64_t value) { std::memcpy(memory.bytes.data() + kFence, &value, 8); }
  static abi::FencePacket packet(std::uint64_t value, std::uint32_t name = kFenceSlot) {
    return {{abi::Opcode::kWait, 0, sizeof(abi::FencePacket)}, name, 0, kFence, value};
  }
  bool wait(std::uint64_t value, std::uint32_t name = kFenceSlot) {
    return unit.run_wait(node, user, packet(value, name));
  }
  bool signal(std::uint64_t value, std::uint32_t name = kFenceSlot) {
    abi::FencePacket signal = packet(value, name);
    signal.header.opcode = abi::Opcode::kSignal;
    common::EngineCommand command;
    std::memcpy(command.packet.data(), &signal, sizeof signal);
    return unit.run_signal(node, user, command);
  }
  /// A queue that is on the parked list.
  void park(command_processor::HardwareQueue& queue, std::uint32_t fence_slot) {
    queue.waiting = queue.parked = true;
    queue.fence_slot = fence_slot;
  }
  command_processor::HardwareQueue& add_queue(std::uint32_t slot) {
    command_processor::HardwareQueue& queue = shared.queues.create(slot);
    queue.enabled = true;
    queue.place = simulation.steps.new_place();
    shared.queues.attach(queue);
    return queue;
  }
  template <class E>
  std::size_t count() const {
    return events.of<E>().size();
  }
};

}  // namespace fenceline::test_command_processor
