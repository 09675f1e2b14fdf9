#include "models/command_processor/queue_registers.h"

namespace fenceline::command_processor {

namespace {
constexpr std::uint64_t kEntryWords = abi::kQueueEntryBytes / 8;
}  // namespace

QueueRegisters::QueueRegisters(Shared& shared, const Uses& uses,
                               const std::vector<std::string>& front_ends,
                               common::RegisterFile& registers)
    : shared_(shared), uses_(uses), front_ends_(front_ends) {
  registers.add(
      {abi::kQueueTable, abi::kQueueSlots * kEntryWords},
      [this](const auto& reading) { return word(reading.index).value; },
      [this](std::uint64_t index, std::uint64_t value) { write(word(index), value); });
}

/// The first access to an entry makes its queue.
QueueRegisters::Word QueueRegisters::word(std::uint64_t index) {
  const auto slot = static_cast<std::uint32_t>(index / kEntryWords);
  HardwareQueue* const known = shared_.queues.at(slot);
  HardwareQueue& queue = known != nullptr ? *known : create(slot);
  return {queue, index % kEntryWords * 8, queue.table[index % kEntryWords]};
}

HardwareQueue& QueueRegisters::create(std::uint32_t slot) {
  HardwareQueue& queue = shared_.queues.create(slot);
  queue.place = shared_.steps().new_place();
  queue.waits.place = shared_.steps().new_place();
  queue.signals.place = shared_.steps().new_place();
  return queue;
}

void QueueRegisters::write(const Word& word, std::uint64_t value) {
  HardwareQueue& queue = word.queue;
  shared_.touch(queue.place, true);
  word.value = value;
  if (word.field == abi::kQueueWaitLog) uses_.logs.set(queue, common::LogKind::kWaits);
  if (word.field == abi::kQueueSignalLog) uses_.logs.set(queue, common::LogKind::kSignals);
  if (word.field == abi::kQueueControl) update_control(queue);
}

void QueueRegisters::update_control(HardwareQueue& queue) {
  const bool on = (queue.field(abi::kQueueControl) & abi::kQueueEnabled) != 0;
  const bool in = (queue.field(abi::kQueueControl) & abi::kQueueRemoved) == 0;
  if (on == queue.enabled) {
    if (on) uses_.scheduler.put_in_run_list(queue, in);
    return;
  }
  queue.enabled = on;
  queue.engine = static_cast<std::uint32_t>(queue.field(abi::kQueueEngine));
  if (queue.engine >= shared_.nodes.size()) {
    queue.enabled = false;
    return;
  }
  if (!on) {
    shared_.queues.detach(queue);
    if (shared_.ends_queues()) uses_.scheduler.end_work(queue);
    uses_.scheduler.become_ready(queue);  // its save area may have kept another queue waiting
    return;
  }
  queue.removed = shared_.config.schedules && !in;
  enable(queue);
}

void QueueRegisters::enable(HardwareQueue& queue) {
  shared_.queues.attach(queue);
  queue.ring = Cursor();
  queue.open_buffers.clear();
  queue.ring.base = queue.field(abi::kQueueRingBase);
  queue.ring.wrap = queue.field(abi::kQueueRingBytes) - 1;
  queue.written_back = 0;
  queue.ring.space = queue.space = queue.address_space();
  queue.object = name_of(queue);
}

/// ObjectKind::kQueue of a queue. Rings of the driver's own get their name here. The others got it
/// when the ring was allocated.
std::uint32_t QueueRegisters::name_of(const HardwareQueue& queue) {
  if (queue.ring.space != common::kPhysical)
    return uses_.memory.object_at(queue.engine, {queue.ring.space, queue.ring.base});
  return shared_.simulation.events.add_object(common::ObjectKind::kQueue,
                                              front_ends_[queue.engine] + ".kernel");
}

}  // namespace fenceline::command_processor
