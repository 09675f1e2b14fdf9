// Buffers of contexts: state between buffers, preemption, resume.
#include <algorithm>
#include <cstring>

#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using common::EngineCommand;

namespace {

constexpr std::uint64_t kLine = 64;  // [bytes] the largest posted write

std::uint64_t hash_of(const abi::SavedContext& saved) {
  return common::Hasher().add_words(&saved, sizeof saved).value();
}

}  // namespace

void CommandProcessor::write_node_register(std::uint64_t offset, std::uint64_t value) {
  if (offset >= abi::kHwContextTable) return write_context(offset - abi::kHwContextTable, value);
  if (offset >= abi::kContextTable) {
    if (std::uint64_t* const word = context_word(offset)) *word = value;
    return;
  }
  if (offset >= abi::kSubmission) return write_schedule_register(offset, value);
  const bool resets = offset >= abi::kEngineReset;
  const std::uint64_t engine = (offset - (resets ? abi::kEngineReset : abi::kPreempt)) / 8;
  if (engine >= nodes_.size()) return;
  Node& node = *nodes_[engine];
  const HardwareQueue* ring = own_ring(static_cast<std::uint32_t>(engine));
  if (ring == nullptr && !(resets && ends_queues())) return;
  if (resets) return write_reset(static_cast<std::uint32_t>(engine), value);
  simulation_.steps.touch(common::Place::kRegister, ring->place, true);
  node.preemption = static_cast<std::uint32_t>(value);
  node.preempted = ring->ring.end;
  node.stop.wanted = true;
  node.stop.gate.open();
  ready_[engine]->open();
}

/// A word of the context tables; null beyond their ends.
std::uint64_t* CommandProcessor::context_word(std::uint64_t offset) {
  const bool device = offset >= abi::kDeviceTable;
  const std::uint64_t slot = (offset - (device ? abi::kDeviceTable : abi::kContextTable)) / 8;
  if (slot >= abi::kContextSlots) return nullptr;
  return device ? &devices_[slot] : &contexts_[slot];
}

std::uint64_t CommandProcessor::read_node_register(std::uint64_t offset) const {
  if (offset >= abi::kHwContextTable) return 0;
  if (offset >= abi::kContextTable) {
    const std::uint64_t* const word = const_cast<CommandProcessor*>(this)->context_word(offset);
    return word != nullptr ? *word : 0;
  }
  const std::uint64_t base = offset >= abi::kEngineQueue  ? abi::kEngineQueue
                             : offset >= abi::kSubmission ? abi::kSubmission
                                                          : abi::kEngineReset;
  const std::uint64_t engine = (offset - base) / 8;
  if (offset < base || engine >= nodes_.size()) return 0;
  if (base == abi::kEngineQueue) return nodes_[engine]->turn.ended;
  if (base == abi::kSubmission) return nodes_[engine]->ended;
  return has_reset(static_cast<std::uint32_t>(engine)) ? abi::kEngineResetDone : 1;
}

/// The driver's own ring that feeds the node; null if there is none.
HardwareQueue* CommandProcessor::own_ring(std::uint32_t engine) const {
  for (const std::uint32_t slot : by_engine_[engine])
    if (queues_[slot]->of_driver()) return queues_[slot].get();
  return nullptr;
}

/// Footprint place of requests to the node.
std::uint64_t CommandProcessor::place_of_node(std::uint32_t engine) const {
  const HardwareQueue* const ring = own_ring(engine);
  return ring != nullptr ? ring->place : schedule_;
}

bool CommandProcessor::stops_between_buffers(std::uint32_t engine) const {
  return config_.stops[engine].between_buffers;
}

bool CommandProcessor::stops_between_packets(std::uint32_t engine) const {
  return config_.stops[engine].between_packets;
}

/// True if the queue must stop between two packets of a buffer.
bool CommandProcessor::stops_here(std::uint32_t engine, const HardwareQueue& queue) const {
  const Node& node = *nodes_[engine];
  if (node.stop.reset && queue.of_driver()) return true;
  if (must_leave(engine, queue) &&
      (queue.in_packet || node.stop.reset || stops_between_packets(engine)))
    return true;
  return node.preemption != 0 && queue.in_buffer && queue.context != 0 &&
         (queue.in_packet || stops_between_packets(engine));
}

/// True if the front end must handle a reset or a preemption before it runs queues.
bool CommandProcessor::can_report(std::uint32_t engine) {
  const Node& node = *nodes_[engine];
  if (node.stop.reset) return true;
  if (node.preemption == 0) return false;
  const HardwareQueue* ring = own_ring(engine);
  simulation_.steps.touch(common::Place::kRegister, ring->place, false);
  if (ring->ring.position >= node.preempted) return true;
  // A unit may run graphics and compute work and support stops in only one of them.
  if (ring->in_buffer && ring->in_packet && ring->context != 0) return true;
  if (!stops_between_buffers(engine)) return false;
  if (!ring->in_buffer) return true;
  if (ring->context == 0) return false;
  return ring->parked ? simulation_.ordering.gpu.preempt_waits : stops_here(engine, *ring);
}

/// Handles the request that can_report found. False if there was none.
bool CommandProcessor::attend(std::uint32_t engine) {
  if (!can_report(engine)) return false;
  if (nodes_[engine]->stop.reset)
    reset(engine);
  else
    report_preemption(engine);
  return true;
}

void CommandProcessor::report_preemption(std::uint32_t engine) {
  Node& node = *nodes_[engine];
  HardwareQueue& ring = *own_ring(engine);
  if (ring.in_buffer) {
    simulation_.emit(
        event::BufferStopped{adapter_, ring.submission, ring.buffer_place(), engine + 1});
    save(engine, ring, contexts_[ring.context], node.space);
  }
  ring.in_buffer = ring.in_packet = false;
  ring.waiting = ring.parked = ring.latched = ring.retry = false;
  ring.open_buffers.clear();
  ring.ring.position = std::max(ring.ring.position, node.preempted);
  set_state(ring, event::QueueStateKind::kIdle);
  EngineCommand command;
  command.queue_slot = ring.slot;
  command.queue = ring.object;
  const abi::PreemptedPacket packet{
      {abi::Opcode::kPreempted, 0, sizeof packet}, node.preemption, node.completed};
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  node.preemption = 0;
  node.stop.wanted = false;
  execute(engine, ring, command);
}

/// Counts a packet that cannot be executed. A buffer of the driver is given up because of it.
/// User-mode queues skip the packet.
void CommandProcessor::fault(HardwareQueue& queue, abi::FaultCode code, std::uint64_t address) {
  ++faults_;
  if (!queue.of_driver() || !queue.in_buffer || queue.fault != abi::FaultCode::kNone) return;
  queue.fault = code;
  queue.fault_address = address;
}

/// Drops the rest of the buffer, and the CMP reports it. The buffers after it run.
bool CommandProcessor::give_up(std::uint32_t engine, HardwareQueue& queue) {
  Node& node = *nodes_[engine];
  const auto code = static_cast<std::uint32_t>(queue.fault);
  simulation_.emit(
      event::BufferFaulted{adapter_, queue.submission, queue.fault_address, engine + 1, code});
  EngineCommand command;
  command.queue_slot = queue.slot;
  command.queue = queue.object;
  const abi::FaultedPacket packet{
      {abi::Opcode::kFaulted, 0, sizeof packet}, queue.submission, code, queue.fault_address};
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  node.completed = queue.submission;
  queue.in_buffer = queue.in_packet = false;
  queue.fault = abi::FaultCode::kNone;
  return execute(engine, queue, command);
}

void CommandProcessor::begin_buffer(std::uint32_t engine, HardwareQueue& queue,
                                    const abi::RunBufferPacket& packet) {
  queue.in_buffer = true;
  queue.in_packet = queue.resumed = false;
  queue.driver_wrote = (packet.header.flags & abi::kDriverBuffer) != 0;
  queue.fault = abi::FaultCode::kNone;
  queue.submission = packet.submission_id;
  nodes_[engine]->ended = 0;
  queue.context = packet.context;
  if (packet.context != 0 || (packet.header.flags & abi::kNullContext) != 0)
    switch_context(engine, packet.context, packet.address_space);
  if ((packet.header.flags & abi::kResume) != 0)
    restore(engine, queue, {contexts_[packet.context], packet.address_space, packet.address});
  simulation_.emit(
      event::BufferBegin{adapter_, packet.submission_id, queue.buffer_place(), engine + 1});
  const std::uint64_t shared = packet.context != 0 ? devices_[packet.context] : 0;
  std::uint64_t word = 0;
  if (shared != 0 && !load_state(engine, packet.address_space, shared, &word, sizeof word))
    fault(queue, abi::FaultCode::kPageRead, shared);
}

void CommandProcessor::end_buffer(std::uint32_t engine, HardwareQueue& queue) {
  Node& node = *nodes_[engine];
  simulation_.emit(event::BufferEnd{adapter_, queue.submission, engine + 1});
  node.completed = queue.submission;
  if (queue.context != 0) ++node.state;
  queue.in_buffer = queue.in_packet = false;
}

/// Saves the state of the old context to its save area and loads the state of the new one.
void CommandProcessor::switch_context(std::uint32_t engine, std::uint32_t context,
                                      std::uint32_t space) {
  Node& node = *nodes_[engine];
  if (node.context == context) return;
  simulation_.steps.elapse(config_.context_switch);
  const common::AgentId agent = simulation_.steps.current();
  if (node.context != 0) {
    const std::uint64_t address = contexts_[node.context] + abi::kIdleStateOffset;
    store_state(engine, node.space, address, &node.state, sizeof node.state);
    simulation_.events.emit(
        agent, event::ContextSaved{adapter_, address, node.space, node.state, engine + 1, 0});
  }
  node.context = context;
  node.space = space;
  node.state = 0;
  if (context == 0) return wait_for_state(engine, simulation_.ordering.gpu.preempt_barrier);
  const std::uint64_t address = contexts_[context] + abi::kIdleStateOffset;
  load_state(engine, space, address, &node.state, sizeof node.state);
  simulation_.events.emit(
      agent, event::ContextRestored{adapter_, address, space, node.state, engine + 1, 0});
}

void CommandProcessor::save(std::uint32_t engine, const HardwareQueue& queue, std::uint64_t address,
                            std::uint32_t space) {
  abi::SavedContext saved{};
  saved.valid = 1;
  saved.levels = static_cast<std::uint32_t>(
      std::min<std::size_t>(queue.open_buffers.size(), abi::SavedContext::kMaxLevels));
  for (std::uint32_t i = 0; i < saved.levels; ++i)
    saved.level[i] = {queue.open_buffers[i].base, queue.open_buffers[i].position,
                      queue.open_buffers[i].end, queue.open_buffers[i].space};
  saved.in_packet = queue.in_packet ? 1 : 0;
  if (queue.in_packet) saved.progress = queue.progress;
  saved.state_bytes = queue.in_packet ? queue.state_bytes : 0;
  saved.bindings = queue.of_driver() && nodes_[engine]->bindings.used ? 1 : 0;
  simulation_.steps.elapse(config_.context_switch);
  move_state(engine, space, address + abi::kSavedStateOffset, saved.state_bytes, true);
  if (saved.bindings != 0) save_bindings(engine, address);
  store_state(engine, space, address, &saved, sizeof saved);
  simulation_.emit(
      event::ContextSaved{adapter_, address, space, hash_of(saved), engine + 1, saved.state_bytes});
  const common::GpuOrdering& ordering = simulation_.ordering.gpu;
  wait_for_state(engine, queue.of_driver() ? ordering.preempt_barrier : ordering.suspend_barrier);
}

/// With `whole`, waits until the saved state is visible.
void CommandProcessor::wait_for_state(std::uint32_t engine, bool whole) {
  if (!whole) return;
  auto barrier = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  barrier->attributes.barrier = common::Barrier::kSelf;
  barrier->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, memory[static_cast<int>(engine)], barrier);
}

/// Restores the queue. False if the area holds no state of this buffer: the buffer then starts from
/// its beginning.
bool CommandProcessor::restore(std::uint32_t engine, HardwareQueue& queue, const SaveArea& from) {
  const std::uint64_t address = from.address;
  abi::SavedContext saved{};
  if (address == 0 || !load_state(engine, from.space, address, &saved, sizeof saved)) return false;
  if (saved.valid != 1 || saved.levels > abi::SavedContext::kMaxLevels) return false;
  if (from.buffer != 0 &&
      (saved.levels == 0 || saved.level[saved.levels - 1].address != from.buffer))
    return false;
  simulation_.emit(event::ContextRestored{adapter_, address, from.space, hash_of(saved), engine + 1,
                                          saved.state_bytes});
  for (std::uint32_t i = 0; i < saved.levels; ++i) {
    Cursor cursor;
    cursor.base = saved.level[i].address;
    cursor.position = saved.level[i].position;
    cursor.end = saved.level[i].bytes;
    cursor.space = static_cast<std::uint32_t>(saved.level[i].address_space);
    queue.open_buffers.push_back(std::move(cursor));
  }
  queue.in_packet = saved.in_packet != 0;
  queue.resumed = true;
  queue.progress = saved.progress;
  move_state(engine, from.space, address + abi::kSavedStateOffset, saved.state_bytes, false);
  if (saved.bindings != 0) restore_bindings(engine, from.space, address);
  const std::uint64_t used = std::uint64_t{saved.levels} << 32;  // valid = 0
  store_state(engine, from.space, address, &used, sizeof used);
  return true;
}

void CommandProcessor::store_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address,
                                   const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kLine) {
    auto* from = const_cast<unsigned char*>(static_cast<const unsigned char*>(data)) + done;
    auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address + done, from,
                                               std::min<std::size_t>(bytes - done, kLine));
    write->attributes.address_space = space;
    write->attributes.posted = true;
    common::send(simulation_.steps, memory[static_cast<int>(engine)], write);
  }
}

bool CommandProcessor::load_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address,
                                  void* data, std::size_t bytes) {
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address, data, bytes);
  read->attributes.address_space = space;
  return common::send(simulation_.steps, memory[static_cast<int>(engine)], read) ==
         tlm::TLM_OK_RESPONSE;
}

/// Moves state whose content does not matter: only time and traffic count.
void CommandProcessor::move_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address,
                                  std::uint64_t bytes, bool writes) {
  if (bytes == 0) return;
  auto traffic = simulation_.transactions.lend_traffic(
      writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes, space);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory[static_cast<int>(engine)]->b_transport(traffic->payload, delay);
  constexpr std::uint64_t kPerMegabyte = 1'000'000;  // [ps] per byte at 1 MB/s
  const common::Time at_least =
      config_.state_mbps == 0 ? 0 : bytes * kPerMegabyte / config_.state_mbps;
  simulation_.steps.elapse(std::max<common::Time>(delay.value(), at_least));
}

}  // namespace fenceline::command_processor
