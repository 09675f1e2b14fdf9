#include "models/command_processor/command_processor.h"

#include <algorithm>
#include <utility>

#include "models/abi/page_table.h"

namespace fenceline::command_processor {

using common::EngineCommand;
using event::QueueStateKind;

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name,
                                   common::Simulation& simulation,
                                   const std::vector<std::string>& front_ends,
                                   const CommandProcessorConfig& config,
                                   const common::GpuClock& clock, const common::FenceNames& fences,
                                   const RingWatches& watches, std::uint32_t adapter)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      clock_(clock),
      fences_(fences),
      watches_(watches),
      adapter_(adapter),
      front_ends_(front_ends),
      queues_(abi::kQueueSlots),
      by_engine_(front_ends.size()),
      turn_(front_ends.size()),
      always_signaled_(abi::kFenceSlots),
      tags_place_(simulation.steps.new_place()),
      signal_ended_(simulation.steps),
      waits_(simulation.steps.new_place()),
      scheduler_(simulation.steps),
      watch_(simulation.steps),
      log_written_(simulation.steps) {
  registers.register_b_transport(this, &CommandProcessor::access_register);
  doorbells.register_b_transport(this, &CommandProcessor::ring_doorbell);
  rescans.register_b_transport(this, &CommandProcessor::rescan);
  simulation_.steps.add_state(*this);
  for (std::uint32_t engine = 0; engine < front_ends.size(); ++engine) {
    ready_.push_back(std::make_unique<common::Gate>(simulation.steps));
    nodes_.push_back(std::make_unique<Node>(simulation.steps));
    nodes_.back()->signal_place = simulation.steps.new_place();
    simulation_.steps.add_agent(front_ends[engine], [this, engine] { run_front_end(engine); });
  }
  if (!ends_queues()) return;
  schedule_ = simulation.steps.new_place();
  const std::string gpu = simulation.events.name(common::ObjectKind::kAdapter, adapter);
  if (config.schedules)
    simulation_.steps.add_agent(gpu + ".scheduler", [this] { run_scheduler(); });
  if (config.engine_timeout != 0)
    simulation_.steps.add_agent(gpu + ".hang_watch", [this] { run_hang_watch(); });
}

std::uint64_t CommandProcessor::state_hash() const {
  common::Hasher hasher;
  for (const auto& slots : by_engine_)
    for (const std::uint32_t slot : slots) hasher.add(queues_[slot]->hash());
  for (const std::size_t turn : turn_) hasher.add(turn);
  for (const auto& node : nodes_) hasher.add(node->hash());
  if (ends_queues()) hasher.add(schedule_hash());
  for (std::uint32_t page = 0; page < config_.doorbells; ++page) hasher.add(doorbells_[page]);
  for (const auto& [slot, tag] : tags_) hasher.add(std::uint64_t{slot} << 32 | tag);
  return hasher.add(std::hash<std::vector<bool>>()(always_signaled_)).value();
}

std::vector<CommandProcessor::ParkedQueue> CommandProcessor::parked() const {
  std::vector<ParkedQueue> result;
  for (const auto& queue : queues_)
    if (queue && queue->parked)
      result.push_back({queue->object, fences_.of(queue->fence_slot), queue->value});
  return result;
}

/// The current agent at `place` reads how far the ring is filled.
void CommandProcessor::touch(const HardwareQueue& queue, std::uint64_t place) const {
  simulation_.steps.touch(common::Place::kRegister, queue.place, false);
  if (place != 0) simulation_.steps.observe(place);
}

void CommandProcessor::set_state(HardwareQueue& queue, QueueStateKind state) {
  if (queue.state == state) return;
  queue.state = state;
  simulation_.emit(event::QueueState{queue.object, state});
}

HardwareQueue* CommandProcessor::next_queue(std::uint32_t engine) {
  if (nodes_[engine]->turn.held) {
    touch_schedule(false);
    return nullptr;
  }
  if (config_.schedules) return next_scheduled(engine);
  const auto& slots = by_engine_[engine];
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t at = (turn_[engine] + i) % slots.size();
    touch(*queues_[slots[at]], 0);
    if (!queues_[slots[at]]->ready()) continue;
    turn_[engine] = at;
    return queues_[slots[at]].get();
  }
  return nullptr;
}

void CommandProcessor::run_front_end(std::uint32_t engine) {
  HardwareQueue* last = nullptr;
  for (;;) {
    simulation_.steps.forget();
    simulation_.steps.wait_until(*ready_[engine], [&] {
      return can_report(engine) || next_scan(engine) != nullptr || next_queue(engine) != nullptr;
    });
    if (attend(engine)) continue;
    if (HardwareQueue* queue = next_scan(engine)) {
      scan_ring(engine, *queue);
      continue;
    }
    HardwareQueue& queue = *next_queue(engine);
    simulation_.steps.observe(queue.slot);
    begin_turn(engine, queue);
    if (&queue != last) simulation_.steps.elapse(config_.queue_switch);
    begin_quantum(engine, queue);
    last = &queue;
    set_state(queue, QueueStateKind::kRunning);
    run_queue(engine, queue);
    end_turn(engine, queue);
    if (!by_engine_[engine].empty())
      turn_[engine] = (turn_[engine] + 1) % by_engine_[engine].size();
  }
}

void CommandProcessor::run_queue(std::uint32_t engine, HardwareQueue& queue) {
  while (queue.ring.position < queue.ring.end) {
    wait_while_held(engine, queue);
    if (queue.of_driver() ? can_report(engine) : must_leave(engine, queue)) return;
    if (!run_packet(engine, queue, queue.ring)) return;
    if (queue.ring.position - queue.written_back >= queue.field(abi::kQueueRingBytes) / 4)
      write_back(engine, queue);
  }
  touch(queue, queue.ring.end);
  if (config_.write_back == WriteBack::kIdle) write_back(engine, queue);
  set_state(queue, QueueStateKind::kIdle);
}

/// Reads the next bytes at `cursor`, at most fetch_bytes. An access does not cross a page.
bool CommandProcessor::fetch(std::uint32_t engine, const HardwareQueue& queue, Cursor& cursor) {
  std::uint64_t bytes = std::min<std::uint64_t>(cursor.end - cursor.position, config_.fetch_bytes);
  if (cursor.wrap != ~0ULL)
    bytes = std::min(bytes, cursor.wrap + 1 - (cursor.position & cursor.wrap));
  cursor.fetched.resize(bytes);
  cursor.fetched_at = cursor.position;
  if (config_.schedules && !queue.of_driver())
    simulation_.emit(event::RingFetched{queue.object, cursor.address(), bytes});
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t address = cursor.address() + done;
    const std::uint64_t piece = std::min(bytes - done, abi::kPageBytes - address % abi::kPageBytes);
    auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, address,
                                              cursor.fetched.data() + done, piece);
    read->attributes.address_space = cursor.space;
    if (common::send(simulation_.steps, memory[static_cast<int>(engine)], read) !=
        tlm::TLM_OK_RESPONSE)
      return false;
    done += piece;
  }
  return true;
}

/// Between packets of the ring a front end knows only its position and the bytes it has fetched.
void CommandProcessor::forget_packets(const HardwareQueue& queue) const {
  simulation_.steps.forget();
  if (!simulation_.steps.exploring()) return;
  common::Hasher hasher;
  hasher.add(queue.slot).add(queue.ring.fetched_at + queue.ring.fetched.size());
  for (std::uint64_t at = queue.ring.position; queue.ring.has(at + 1 - queue.ring.position); ++at)
    hasher.add(queue.ring.fetched[at - queue.ring.fetched_at]);
  simulation_.steps.observe(hasher.value());
}

/// True for a verbose LOG packet in a queue without verbose logging.
bool CommandProcessor::skips_log(const HardwareQueue& queue, const abi::LogPacket& packet) {
  return (packet.header.flags & abi::kVerboseLog) != 0 &&
         (queue.field(abi::kQueueControl) & abi::kQueueVerboseLogs) == 0;
}

bool CommandProcessor::run_packet(std::uint32_t engine, HardwareQueue& queue, Cursor& cursor) {
  if (&cursor == &queue.ring) forget_packets(queue);
  touch(queue, cursor.address());
  queue.space = cursor.space;
  abi::PacketHeader header{};
  if (!cursor.has(sizeof header) && !fetch(engine, queue, cursor)) {
    return fail_packet(queue, cursor, abi::FaultCode::kPageRead, cursor.address());
  }
  if (cursor.has(sizeof header)) std::memcpy(&header, cursor.data(), sizeof header);
  const bool logged = (header.flags & abi::kLogFollows) != 0;
  const std::uint64_t whole = header.bytes + (logged ? sizeof(abi::LogPacket) : 0);
  const bool skip = header.opcode == abi::Opcode::kNop && header.bytes >= sizeof header;
  if (header.bytes < sizeof header || (!skip && header.bytes > abi::kLargestPacket) ||
      cursor.position + whole > cursor.end) {
    return fail_packet(queue, cursor, abi::FaultCode::kIllegal, 0);
  }
  if (!skip && !cursor.has(whole) && (!fetch(engine, queue, cursor) || !cursor.has(whole))) {
    return fail_packet(queue, cursor, abi::FaultCode::kPageRead, cursor.address());
  }
  EngineCommand command;
  command.queue_slot = queue.slot;
  command.queue = queue.object;
  command.address_space = queue.space;
  command.log = &queue.signals;
  if (!skip) std::memcpy(command.packet.data(), cursor.data(), header.bytes);
  if (logged) {
    std::memcpy(&command.log_packet, cursor.data() + header.bytes, sizeof(abi::LogPacket));
    if (skips_log(queue, command.log_packet)) {
      header.flags = static_cast<std::uint16_t>(header.flags & ~abi::kLogFollows);
      std::memcpy(command.packet.data(), &header, sizeof header);
    }
  }
  simulation_.steps.elapse(config_.decode);

  if (!skip && !run_command(engine, queue, cursor, command)) return false;
  note_progress(queue);
  if (&cursor != &queue.ring && header.opcode != abi::Opcode::kIndirect) queue.resumed = false;
  if (!skip) report_done(engine, queue, cursor, whole);
  cursor.position += whole;
  return true;
}

/// An invalid packet ends the stream: the bytes after it cannot be trusted.
bool CommandProcessor::fail_packet(HardwareQueue& queue, Cursor& cursor, abi::FaultCode code,
                                   std::uint64_t address) {
  fault(queue, code, address);
  cursor.position = cursor.end;
  if (&cursor == &queue.ring) report_dropped(queue);
  return true;
}

/// Reports commands of user mode: those in user-mode rings and those in buffers of contexts.
void CommandProcessor::report_done(std::uint32_t engine, const HardwareQueue& queue,
                                   const Cursor& cursor, std::uint64_t bytes) const {
  if (!simulation_.events.wants<event::CommandDone>()) return;
  const bool in_ring = &cursor == &queue.ring;
  if (in_ring == queue.of_driver() || queue.fault != abi::FaultCode::kNone) return;
  abi::PacketHeader header{};
  std::memcpy(&header, cursor.data(), sizeof header);
  if (header.opcode == abi::Opcode::kBind || header.opcode == abi::Opcode::kBindTable) return;
  const auto words = common::Hasher().add_words(cursor.data(), bytes / 8U * 8U);
  simulation_.emit(event::CommandDone{in_ring ? queue.object : 0, words.value(),
                                      in_ring ? cursor.position + bytes : 0,
                                      in_ring ? 0 : queue.submission, engine + 1, adapter_});
}

void CommandProcessor::report_dropped(const HardwareQueue& queue) const {
  simulation_.emit(event::CommandsDropped{queue.object, queue.ring.position});
}

/// Runs the packet of `command`, which starts at `cursor`. False when the queue must leave the
/// engine.
bool CommandProcessor::run_command(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
                                   EngineCommand& command) {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  abi::FencePacket fence{};
  if (header.opcode == abi::Opcode::kWait || header.opcode == abi::Opcode::kSignal)
    fence = common::packet_of<abi::FencePacket>(command);
  const bool physical =
      queue.in_buffer && &cursor != &queue.ring && cursor.space == common::kPhysical;
  if (physical) report_packet(engine, queue, cursor, command);
  if ((header.flags & abi::kBound) != 0 && !resolve(engine, queue, cursor, command)) return true;
  switch (header.opcode) {
    case abi::Opcode::kBind:
    case abi::Opcode::kBindTable:
      if (!bind(engine, queue, command))
        fault(queue, queue.space == common::kPhysical ? abi::FaultCode::kIllegal
                                                      : abi::FaultCode::kPrivileged);
      return true;
    case abi::Opcode::kWait:
      if (!run_wait(engine, queue, fence)) return false;
      if (queue.fault != abi::FaultCode::kNone) return true;
      if ((header.flags & abi::kLogFollows) == 0 || is_stale(fence.fence_slot)) return true;
      if (!log_wait(engine, queue, cursor)) return false;
      // Without gpu.wait_once a parked wait is also logged when it is found satisfied.
      if (!simulation_.ordering.gpu.wait_once && queue.observed != 0)
        return log_wait(engine, queue, cursor);
      return true;
    case abi::Opcode::kSignal:
      return run_signal(engine, queue, command);
    case abi::Opcode::kIndirect: {
      const auto indirect = common::packet_of<abi::IndirectPacket>(command);
      return run_indirect(engine, queue, {indirect.address, indirect.bytes, cursor.space});
    }
    case abi::Opcode::kRunBuffer:
      return run_buffer(engine, queue, command);
    case abi::Opcode::kWaitBlank:
    case abi::Opcode::kFlip:
      run_display(engine, queue, command);
      return true;
    case abi::Opcode::kFenceWrite:
      command.fence = written_fence(queue, command);
      return execute(engine, queue, command);
    case abi::Opcode::kPreempted:
    case abi::Opcode::kSuspended:
    case abi::Opcode::kFaulted:
    case abi::Opcode::kTimedOut:
      fault(queue, abi::FaultCode::kPrivileged);  // only the device makes these
      return true;
    default:
      return execute(engine, queue, command);
  }
}

/// Runs a DMA buffer of a context and reports its completion.
bool CommandProcessor::run_buffer(std::uint32_t engine, HardwareQueue& queue,
                                  EngineCommand& command) {
  const auto buffer = common::packet_of<abi::RunBufferPacket>(command);
  if (!queue.in_buffer) begin_buffer(engine, queue, buffer);
  const bool physical = (buffer.header.flags & abi::kPhysicalBuffer) != 0;
  const std::uint32_t space = physical ? common::kPhysical : buffer.address_space;
  if (!run_indirect(engine, queue, {buffer.address, buffer.bytes, space})) return false;
  wait_while_held(engine, queue);
  if (queue.fault != abi::FaultCode::kNone) return give_up(engine, queue);
  end_buffer(engine, queue);
  return execute(engine, queue, command);
}

/// A queue that left the engine inside a buffer resumes at the packet where it left. Until then,
/// the packet that called the buffer stays the next packet of its stream.
bool CommandProcessor::run_indirect(std::uint32_t engine, HardwareQueue& queue,
                                    const Buffer& buffer) {
  Cursor inner;
  if (queue.open_buffers.empty()) {
    inner.base = buffer.address;
    inner.end = buffer.bytes;
    inner.space = buffer.space;
  } else {
    inner = std::move(queue.open_buffers.back());
    queue.open_buffers.pop_back();
  }
  while (inner.position < inner.end && queue.fault == abi::FaultCode::kNone) {
    wait_while_held(engine, queue);
    if (!stops_here(engine, queue) && run_packet(engine, queue, inner)) continue;
    queue.open_buffers.push_back(std::move(inner));
    return false;
  }
  return true;
}

/// ObjectKind::kFence at the address of a FENCE_WRITE, for events only.
std::uint32_t CommandProcessor::written_fence(const HardwareQueue& queue,
                                              const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FenceWritePacket>(command);
  return object_at(queue.engine, queue.space, packet.address);
}

bool CommandProcessor::execute(std::uint32_t engine, HardwareQueue& queue, EngineCommand& command) {
  command.stop = &nodes_[engine]->stop;
  command.stoppable = (queue.in_buffer && queue.context != 0) || stops_within_packets(queue);
  if (queue.in_packet) command.progress = queue.progress;
  queue.in_packet = false;
  const auto header = common::packet_of<abi::PacketHeader>(command);
  const common::AgentId agent = simulation_.steps.current();
  const auto opcode = static_cast<std::uint64_t>(header.opcode);
  simulation_.events.emit(agent, event::PacketBegin{queue.object, opcode, 0, engine + 1});
  auto packet = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, 0, &command, sizeof command);
  set_silent(engine, queue, takes_long(header.opcode));
  if (common::send(simulation_.steps, engines[static_cast<int>(engine)], packet) !=
      tlm::TLM_OK_RESPONSE)
    fault(queue, command.fault, command.fault_address);
  set_silent(engine, queue, false);
  simulation_.events.emit(agent, event::PacketEnd{queue.object, opcode, 0, engine + 1});
  if (!command.stopped) return true;
  queue.in_packet = true;
  queue.progress = command.progress;
  queue.state_bytes = command.state_bytes;
  return false;
}

void CommandProcessor::write_back(std::uint32_t engine, HardwareQueue& queue) {
  queue.written_back = queue.ring.position;
  const std::uint64_t address = queue.field(abi::kQueueReadPointer);
  if (address == 0) return;
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address, &queue.written_back,
                                             sizeof queue.written_back);
  write->attributes.address_space = queue.address_space();
  write->attributes.posted = true;
  common::send(simulation_.steps, memory[static_cast<int>(engine)], write);
}

}  // namespace fenceline::command_processor
