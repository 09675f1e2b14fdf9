// Waits of hardware queues for fences: check, park, check again.
#include <algorithm>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using common::EngineCommand;
using common::Footprint;
using common::Operation;
using common::Place;
using common::Rescan;
using event::QueueStateKind;

/// True if the device has retired the fence that `name` stands for.
bool CommandProcessor::is_stale(std::uint32_t name) const {
  simulation_.steps.touch(Place::kRegister, tags_place_, false);
  const auto known = tags_.find(abi::fence_slot_of(name));
  const std::uint32_t tag = known != tags_.end() ? known->second : 0;
  return tag != abi::fence_tag_of(name) && simulation_.ordering.gpu.fence_tag;
}

/// True if the packet must be skipped because its fence was destroyed.
bool CommandProcessor::skips_stale(HardwareQueue& queue, const abi::FencePacket& packet,
                                   bool waits) {
  simulation_.steps.touch(Place::kRegister, tags_place_, false);
  const std::uint32_t slot = abi::fence_slot_of(packet.fence_slot);
  const auto known = tags_.find(slot);
  const std::uint32_t tag = known != tags_.end() ? known->second : 0;
  if (tag == abi::fence_tag_of(packet.fence_slot)) return false;
  const bool passes = simulation_.ordering.gpu.fence_tag;
  simulation_.emit(
      event::StalePacket{queue.object, packet.value, !passes, waits, fences_.of(slot)});
  if (passes && waits) {
    simulation_.steps.touch(Place::kRegister, waits_, true);
    queue.waiting = queue.parked = queue.retry = queue.latched = false;
  }
  return passes;
}

/// Runs a signal. Engines and CMP use plain slots without tags.
bool CommandProcessor::run_signal(std::uint32_t engine, HardwareQueue& queue,
                                  EngineCommand& command) {
  auto packet = common::packet_of<abi::FencePacket>(command);
  if (skips_stale(queue, packet, false)) return true;
  packet.fence_slot = abi::fence_slot_of(packet.fence_slot);
  if (packet.fence_slot < always_signaled_.size() && always_signaled_[packet.fence_slot])
    return true;
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  Node& node = *nodes_[engine];
  simulation_.steps.touch(Place::kRegister, node.signal_place, true);
  node.signals = packet.fence_slot + 1;
  const bool done = execute(engine, queue, command);
  simulation_.steps.touch(Place::kRegister, node.signal_place, true);
  node.signals = 0;
  signal_ended_.open();
  return done;
}

/// Makes packets that name the fence in the slot stale. Queues that wait for it continue, and
/// signals that engines execute finish.
void CommandProcessor::retire(std::uint32_t slot) {
  simulation_.steps.touch(Place::kRegister, tags_place_, true);
  always_signaled_[slot] = false;
  std::uint32_t& tag = tags_[slot];
  tag = (tag + 1) % abi::kFenceTags;
  if (simulation_.ordering.gpu.fence_tag)
    for (const auto& slots : by_engine_)
      for (const std::uint32_t queue : slots)
        if (queues_[queue]->fence_slot == slot) look_again(*queues_[queue], true);
  simulation_.steps.wait_until(signal_ended_, [&] {
    return std::none_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
      simulation_.steps.touch(Place::kRegister, node->signal_place, false);
      return node->signals == slot + 1;
    });
  });
}

bool CommandProcessor::run_wait(std::uint32_t engine, HardwareQueue& queue,
                                const abi::FencePacket& packet) {
  if (skips_stale(queue, packet, true)) return true;
  const common::AgentId agent = simulation_.steps.current();
  const std::uint32_t fence = fences_.of(packet.fence_slot);
  simulation_.steps.touch(Place::kRegister, waits_, true);
  if (!queue.waiting) {
    queue.waiting = true;
    queue.observed = 0;
    queue.fence_slot = abi::fence_slot_of(packet.fence_slot);
    queue.value = packet.value;
    simulation_.events.emit(agent, event::GpuWaitBegin{fence, packet.value, queue.object});
  }
  queue.parked = queue.retry = false;
  const bool passes = queue.resumed && abi::mutant(abi::Mutant::kPreemptedWaitPasses);
  while (!passes && !satisfied(engine, queue, packet)) {
    if (queue.fault != abi::FaultCode::kNone) {
      queue.waiting = false;
      return true;  // its buffer is given up
    }
    if (park(engine, queue, packet)) return false;
  }
  if (skips_stale(queue, packet, true)) return true;
  simulation_.steps.touch(Place::kRegister, waits_, true);
  queue.waiting = queue.parked = queue.latched = false;
  simulation_.events.emit(agent, event::GpuWaitUnblock{fence, packet.value, 0, queue.object});
  return true;
}

bool CommandProcessor::satisfied(std::uint32_t engine, HardwareQueue& queue,
                                 const abi::FencePacket& packet) {
  simulation_.steps.touch(Place::kRegister, waits_, false);
  if (is_stale(packet.fence_slot)) return true;
  const std::uint32_t slot = abi::fence_slot_of(packet.fence_slot);
  if (slot < always_signaled_.size() && always_signaled_[slot]) return true;
  std::uint64_t value = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, packet.current_value, &value,
                                            sizeof value);
  read->attributes.address_space = queue.space;
  read->attributes.operation = Operation::kReadValue;
  read->attributes.reader = event::Reader::kQueueWait;
  ++wait_reads_;
  if (common::send(simulation_.steps, memory[static_cast<int>(engine)], read) !=
      tlm::TLM_OK_RESPONSE) {
    fault(queue, abi::FaultCode::kPageRead, packet.current_value);
    return false;
  }
  return value >= packet.value;
}

/// Puts the queue on the parked list. False if the wait is satisfied meanwhile.
bool CommandProcessor::park(std::uint32_t engine, HardwareQueue& queue,
                            const abi::FencePacket& packet) {
  if (queue.observed == 0) queue.observed = clock_.ticks();
  simulation_.steps.step(Operation::kPark, Footprint().writes(Place::kRegister, waits_));
  simulation_.steps.touch(Place::kRegister, waits_, true);
  queue.parked = true;
  queue.retry = queue.latched;
  queue.latched = false;
  simulation_.emit(event::GpuWaitPark{fences_.of(packet.fence_slot), packet.value, queue.object});
  set_state(queue, QueueStateKind::kParked);
  if (simulation_.ordering.gpu.park_check && satisfied(engine, queue, packet)) {
    simulation_.steps.touch(Place::kRegister, waits_, true);
    queue.parked = queue.retry = false;
    set_state(queue, QueueStateKind::kRunning);
    return false;
  }
  return true;
}

bool CommandProcessor::log_wait(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor) {
  EngineCommand log;
  log.queue_slot = queue.slot;
  log.queue = queue.object;
  log.address_space = queue.space;
  log.observed = queue.observed;
  log.log = &queue.waits;
  log.fence = fences_.of(queue.fence_slot);
  std::memcpy(log.packet.data(), cursor.data() + sizeof(abi::FencePacket), sizeof(abi::LogPacket));
  return execute(engine, queue, log);
}

/// Runs in the process of the signalling agent. A GPU signal wakes parked queues only. The CPU's
/// kick also reaches queues that are about to park.
void CommandProcessor::rescan(int /*id*/, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& /*delay*/) {
  const auto slot = static_cast<std::uint32_t>(payload.get_address());
  std::uint64_t request = 0;
  std::memcpy(&request, payload.get_data_ptr(), sizeof request);
  const bool from_cpu = (request & abi::kKickFromCpu) != 0;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const bool marks = (request & (abi::kKickAlwaysSignaled | abi::kKickRetired)) != 0;
  simulation_.steps.touch(Place::kRegister, waits_, marks);
  if ((request & abi::kKickAlwaysSignaled) != 0) always_signaled_[slot] = true;
  if ((request & abi::kKickRetired) != 0) return retire(slot);
  if ((request & abi::kKickNamed) != 0) {
    simulation_.steps.touch(Place::kRegister, tags_place_, true);
    tags_[slot] = static_cast<std::uint32_t>(request >> abi::kKickTagShift);
    return;
  }
  const Rescan rule = simulation_.ordering.gpu.rescan;
  if (from_cpu && rule == Rescan::kIgnore) return;
  for (const auto& slots : by_engine_)
    for (const std::uint32_t queue_slot : slots) {
      HardwareQueue& queue = *queues_[queue_slot];
      if (queue.fence_slot == slot) look_again(queue, from_cpu && rule == Rescan::kLatched);
    }
}

/// Makes a waiting queue read its fence again; with `latches` also a queue that is about to park.
/// False if the queue does not wait.
bool CommandProcessor::look_again(HardwareQueue& queue, bool latches) {
  if (!queue.waiting) return false;
  simulation_.steps.touch(Place::kRegister, waits_, true);
  if (queue.parked) {
    queue.retry = true;
    become_ready(queue);
  } else if (latches) {
    queue.latched = true;
  }
  return true;
}

/// Takes a doorbell of another GPU. The payload selects the queues that look again.
void CommandProcessor::take_peer_doorbell(std::uint64_t payload) {
  using event::PeerScan;
  const PeerScan what = (payload & abi::kPeerNamesFence) != 0    ? PeerScan::kFence
                        : (payload & abi::kPeerNamesQueues) != 0 ? PeerScan::kQueues
                                                                 : PeerScan::kAll;
  const auto named = static_cast<std::uint32_t>(payload);
  simulation_.steps.touch(Place::kRegister, waits_, false);
  const Rescan rule = simulation_.ordering.gpu.rescan;
  std::uint64_t scanned = 0;
  for (const auto& slots : by_engine_)
    for (const std::uint32_t slot : slots) {
      HardwareQueue& queue = *queues_[slot];
      const bool concerned = what == PeerScan::kAll ||
                             (what == PeerScan::kFence && queue.fence_slot == named) ||
                             (what == PeerScan::kQueues && (named >> slot % 32 & 1U) != 0);
      if (concerned && rule != Rescan::kIgnore && look_again(queue, rule == Rescan::kLatched))
        ++scanned;
    }
  simulation_.emit(event::PeerDoorbell{adapter_, what,
                                       what == PeerScan::kFence ? fences_.of(named) : 0, scanned});
}

void CommandProcessor::access_register(tlm::tlm_generic_payload& payload,
                                       sc_core::sc_time& /*delay*/) {
  if (payload.get_address() < abi::kQueueTable || payload.get_address() >= abi::kContextTable) {
    std::uint64_t value = 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!payload.is_write()) {
      const std::uint64_t offset = payload.get_address();
      const bool polls = common::attributes_of(payload).at_least == abi::kEngineResetDone;
      if (polls && offset >= abi::kEngineReset && offset < abi::kSubmission) await_reset(offset);
      if (offset < abi::kDoorbellTable) value = read_node_register(offset);
      std::memcpy(payload.get_data_ptr(), &value, sizeof value);
      return;
    }
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    if (payload.get_address() >= abi::kDoorbellTable)
      return write_doorbell_register(payload.get_address(), value);
    return write_node_register(payload.get_address(), value);
  }
  const std::uint64_t offset = payload.get_address() - abi::kQueueTable;
  const std::uint64_t slot = offset / abi::kQueueEntryBytes;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (slot >= queues_.size()) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (!queues_[slot]) {
    queues_[slot] = std::make_unique<HardwareQueue>();
    queues_[slot]->slot = static_cast<std::uint32_t>(slot);
    queues_[slot]->place = simulation_.steps.new_place();
    for (common::LogCursor* log : {&queues_[slot]->waits, &queues_[slot]->signals}) {
      log->place = simulation_.steps.new_place();
      log->written = &log_written_;
    }
  }
  HardwareQueue& queue = *queues_[slot];
  const std::uint64_t field = offset % abi::kQueueEntryBytes;
  std::uint64_t& word = queue.table[field / 8];
  if (!payload.is_write()) {
    std::memcpy(payload.get_data_ptr(), &word, sizeof word);
    return;
  }
  simulation_.steps.touch(Place::kRegister, queue.place, true);
  std::memcpy(&word, payload.get_data_ptr(), sizeof word);
  const std::uint64_t entries = queue.field(abi::kQueueLogEntries);
  if (field == abi::kQueueWaitLog)
    set_log(queue, queue.waits, word, queue.field(abi::kQueueSystemWaitLog), entries & 0xFFFFFFFF);
  if (field == abi::kQueueSignalLog)
    set_log(queue, queue.signals, word, queue.field(abi::kQueueSystemSignalLog), entries >> 32);
  if (field == abi::kQueueControl) enable(queue);
}

/// Waits for the end of an entry: the whole entry goes to the old buffer before the register
/// changes.
void CommandProcessor::set_log(const HardwareQueue& queue, common::LogCursor& log,
                               std::uint64_t address, std::uint64_t system_address,
                               std::uint64_t entries) {
  simulation_.steps.touch(common::Place::kRegister, log.place, true);
  simulation_.steps.wait_until(log_written_, [&] { return !log.writing; });
  simulation_.steps.touch(common::Place::kRegister, log.place, true);
  const bool by_cmp = simulation_.ordering.cmp.log_writer == common::LogWriter::kCmp;
  log.address = by_cmp && system_address != 0 ? system_address : address;
  log.space = by_cmp && system_address != 0 ? abi::kSystemVmid : queue.address_space();
  log.entries = static_cast<std::uint32_t>(entries);
  log.index = log.wraparounds = 0;
  log.object = object_at(queue.engine, queue.address_space(), address);
}

void CommandProcessor::enable(HardwareQueue& queue) {
  const bool on = (queue.field(abi::kQueueControl) & abi::kQueueEnabled) != 0;
  const bool in = (queue.field(abi::kQueueControl) & abi::kQueueRemoved) == 0;
  if (on == queue.enabled) {
    if (on) put_in_run_list(queue, in);
    return;
  }
  queue.enabled = on;
  queue.engine = static_cast<std::uint32_t>(queue.field(abi::kQueueEngine));
  if (queue.engine >= by_engine_.size()) {
    queue.enabled = false;
    return;
  }
  auto& slots = by_engine_[queue.engine];
  if (!on) {
    slots.erase(std::remove(slots.begin(), slots.end(), queue.slot), slots.end());
    if (ends_queues()) drop_work(queue);
    return;
  }
  slots.push_back(queue.slot);
  queue.removed = config_.schedules && !in;
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
std::uint32_t CommandProcessor::name_of(const HardwareQueue& queue) {
  if (queue.ring.space != common::kPhysical)
    return object_at(queue.engine, queue.ring.space, queue.ring.base);
  return simulation_.events.add_object(common::ObjectKind::kQueue,
                                       front_ends_[queue.engine] + ".kernel");
}

std::uint32_t CommandProcessor::object_at(std::uint32_t engine, std::uint32_t space,
                                          std::uint64_t address) {
  auto look = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, nullptr, 0);
  look->attributes.address_space = space;
  if (memory[static_cast<int>(engine)]->transport_dbg(look->payload) == 0) return 0;
  const std::uint64_t physical = look->payload.get_address();
  const common::Watches& watches =
      (physical & abi::kSystemMemoryBit) != 0 ? *watches_.system : *watches_.vram;
  const common::Watch* watch = watches.find(physical);
  return watch != nullptr ? watch->object : 0;
}

}  // namespace fenceline::command_processor
