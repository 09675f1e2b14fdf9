// Doorbells of queues, also shared doorbells.
#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using event::QueueStateKind;

/// The queue of a doorbell page; null if it has none.
HardwareQueue* CommandProcessor::queue_of_doorbell(std::uint64_t page) {
  if (const std::uint64_t node = page - abi::kNodeDoorbell; node < by_engine_.size())
    return own_ring(static_cast<std::uint32_t>(node));
  if (page >= queues_.size()) return nullptr;
  if (config_.doorbells == 0) return queues_[page].get();
  const std::uint64_t entry = doorbells_[page];
  return (entry & abi::kDoorbellGiven) != 0 ? queues_[static_cast<std::uint32_t>(entry)].get()
                                            : nullptr;
}

void CommandProcessor::ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_write()) return;
  std::uint64_t data = 0;
  std::memcpy(&data, payload.get_data_ptr(), sizeof data);
  delay += common::kernel_time(config_.doorbell);
  if (payload.get_address() == abi::kPeerPage) return take_peer_doorbell(data);
  const std::uint64_t page = payload.get_address() / abi::kDoorbellStride;
  HardwareQueue* queue = queue_of_doorbell(page);
  const bool shared = config_.doorbells != 0 && page < queues_.size();
  if (queue == nullptr && !shared) return;
  simulation_.emit(event::Doorbell{queue != nullptr ? queue->object : 0, data,
                                   shared ? page + 1 : 0, shared ? adapter_ : 0});
  if (queue != nullptr) announce(*queue, data);
}

/// Takes a new write pointer of the ring.
void CommandProcessor::announce(HardwareQueue& queue, std::uint64_t write_pointer) {
  simulation_.steps.touch(common::Place::kRegister, queue.place, true);
  if (write_pointer <= queue.ring.end) return;
  queue.ring.end = write_pointer;
  if (!queue.enabled) {
    // Work for a queue that a reset has ended is dropped.
    if (ends_queues()) {
      queue.ring.position = queue.ring.end;
      report_dropped(queue);
    }
    return;
  }
  if (queue.removed) {
    if (!simulation_.ordering.gpu.suspend_holds) put_in_run_list(queue, true);
    return;
  }
  if (queue.state == QueueStateKind::kIdle) set_state(queue, QueueStateKind::kReady);
  become_ready(queue);
}

void CommandProcessor::write_doorbell_register(std::uint64_t offset, std::uint64_t value) {
  if (offset != abi::kRingScan) {
    if (const std::uint64_t page = (offset - abi::kDoorbellTable) / 8; page < config_.doorbells)
      doorbells_[page] = value;
    return;
  }
  if (value >= queues_.size() || !queues_[value] || !queues_[value]->enabled) return;
  HardwareQueue& queue = *queues_[value];
  simulation_.steps.touch(common::Place::kRegister, queue.place, true);
  queue.scan = scans_ = true;
  ready_[queue.engine]->open();
}

HardwareQueue* CommandProcessor::next_scan(std::uint32_t engine) {
  if (!scans_) return nullptr;
  for (const std::uint32_t slot : by_engine_[engine]) {
    touch(*queues_[slot], 0);
    if (queues_[slot]->scan) return queues_[slot].get();
  }
  return nullptr;
}

/// Reads the write pointer in memory, as if a doorbell had delivered it.
void CommandProcessor::scan_ring(std::uint32_t engine, HardwareQueue& queue) {
  simulation_.steps.touch(common::Place::kRegister, queue.place, true);
  queue.scan = false;
  const std::uint64_t address = queue.field(abi::kQueueWritePointer);
  if (address == 0) return;
  simulation_.steps.observe(queue.slot);
  std::uint64_t write_pointer = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, &write_pointer,
                                            sizeof write_pointer);
  read->attributes.address_space = queue.address_space();
  read->attributes.operation = common::Operation::kRead;
  if (common::send(simulation_.steps, memory[static_cast<int>(engine)], read) !=
      tlm::TLM_OK_RESPONSE)
    ++faults_;
  simulation_.emit(event::RingScan{queue.object, write_pointer});
  announce(queue, write_pointer);
}

}  // namespace fenceline::command_processor
