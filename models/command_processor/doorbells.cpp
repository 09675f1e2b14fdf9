#include "models/command_processor/doorbells.h"

namespace fenceline::command_processor {

using event::QueueStateKind;

Doorbells::Doorbells(Shared& shared, MemoryPort& memory, Scheduler& scheduler,
                     common::RegisterFile& registers)
    : shared_(shared), memory_(memory), scheduler_(scheduler) {
  registers.add_write_only({abi::kDoorbellTable, abi::kQueueSlots},
                           [this](std::uint64_t page, std::uint64_t entry) {
                             if (page < shared_.config.doorbells) pages_[page] = entry;
                           });
  registers.add_write_only(abi::kRingScan,
                           [this](std::uint64_t, std::uint64_t slot) { request_scan(slot); });
}

void Doorbells::add_to(common::Hasher& hasher) const {
  for (std::uint32_t page = 0; page < shared_.config.doorbells; ++page) hasher.add(pages_[page]);
}

/// The queue of a doorbell page; null if it has none.
HardwareQueue* Doorbells::queue_of(std::uint64_t page) const {
  if (const std::uint64_t node = page - abi::kNodeDoorbell; node < shared_.nodes.size())
    return shared_.driver_ring(*shared_.nodes[node]);
  if (page >= abi::kQueueSlots) return nullptr;
  if (shared_.config.doorbells == 0) return shared_.queues.at(page);
  const std::uint64_t entry = pages_[page];
  const auto slot = static_cast<std::uint32_t>(entry);
  const bool given = (entry & abi::kDoorbellGiven) != 0 && slot < abi::kQueueSlots;
  return given ? shared_.queues.at(slot) : nullptr;
}

void Doorbells::ring(std::uint64_t page, std::uint64_t data) {
  HardwareQueue* const queue = queue_of(page);
  const bool is_shared = shared_.config.doorbells != 0 && page < abi::kQueueSlots;
  if (queue == nullptr && !is_shared) return;
  shared_.simulation.emit(event::Doorbell{queue != nullptr ? queue->object : 0, data,
                                          is_shared ? page + 1 : 0,
                                          is_shared ? shared_.adapter : 0});
  if (queue != nullptr) announce(*queue, data);
}

/// Takes a new write pointer of the ring.
void Doorbells::announce(HardwareQueue& queue, std::uint64_t write_pointer) {
  shared_.touch(queue.place, true);
  if (write_pointer <= queue.ring.end) return;
  queue.ring.end = write_pointer;
  if (!queue.enabled) {
    // Work for a queue that a reset has ended is dropped.
    if (shared_.ends_queues()) {
      queue.ring.position = queue.ring.end;
      shared_.report_commands_dropped(queue);
    }
    return;
  }
  if (queue.removed) {
    if (!shared_.simulation.ordering.gpu.suspend_holds) scheduler_.put_in_run_list(queue, true);
    return;
  }
  if (queue.state == QueueStateKind::kIdle) shared_.set_state(queue, QueueStateKind::kReady);
  scheduler_.become_ready(queue);
}

void Doorbells::request_scan(std::uint64_t slot) {
  if (slot >= abi::kQueueSlots) return;
  HardwareQueue* const queue = shared_.queues.at(slot);
  if (queue == nullptr || !queue->enabled) return;
  shared_.touch(queue->place, true);
  queue->scan = scans_ = true;
  shared_.node_of(*queue).ready.open();
}

HardwareQueue* Doorbells::next_scan(const Node& node) const {
  if (!scans_) return nullptr;
  for (HardwareQueue* queue : shared_.queues.of_node(node.number)) {
    shared_.touch(queue->place, false);
    if (queue->scan) return queue;
  }
  return nullptr;
}

void Doorbells::scan(const Node& node, HardwareQueue& queue) {
  shared_.touch(queue.place, true);
  queue.scan = false;
  const std::uint64_t address = queue.field(abi::kQueueWritePointer);
  if (address == 0) return;
  shared_.steps().observe(queue.slot);
  std::uint64_t write_pointer = 0;
  if (!memory_.read(node, {queue.address_space(), address}, &write_pointer, sizeof write_pointer,
                    {common::Operation::kRead, event::Reader::kOther}))
    ++shared_.faults;
  shared_.simulation.emit(event::RingScan{queue.object, write_pointer});
  announce(queue, write_pointer);
}

}  // namespace fenceline::command_processor
