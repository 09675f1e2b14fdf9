#include "models/command_processor/front_end.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"

namespace fenceline::command_processor {

using common::EngineCommand;
using event::QueueStateKind;

namespace {

/// True for a verbose LOG packet in a queue without verbose logging.
bool skips_log(const HardwareQueue& queue, const abi::LogPacket& packet) {
  return (packet.header.flags & abi::kVerboseLog) != 0 &&
         !abi::mutant(abi::Mutant::kVerboseLogged) &&
         (queue.field(abi::kQueueControl) & abi::kQueueVerboseLogs) == 0;
}

}  // namespace

void FrontEnd::run() {
  HardwareQueue* last = nullptr;
  common::Steps& steps = shared_.steps();
  for (;;) {
    steps.forget();
    steps.wait_until(node_.ready, [&] {
      return uses_.buffers.has_request(node_) || uses_.doorbells.next_scan(node_) != nullptr ||
             uses_.scheduler.next(node_) != nullptr;
    });
    if (uses_.buffers.attend(node_)) continue;
    if (HardwareQueue* queue = uses_.doorbells.next_scan(node_)) {
      uses_.doorbells.scan(node_, *queue);
      continue;
    }
    HardwareQueue& queue = *uses_.scheduler.next(node_);
    steps.observe(queue.slot);
    uses_.scheduler.begin_turn(node_, queue);
    if (&queue != last) steps.elapse(shared_.config.queue_switch);
    uses_.scheduler.begin_quantum(node_, queue);
    last = &queue;
    shared_.set_state(queue, QueueStateKind::kRunning);
    run_queue(queue);
    uses_.scheduler.end_turn(node_, queue);
    const std::size_t queues = shared_.queues.of_node(node_.number).size();
    if (queues != 0) node_.next = (node_.next + 1) % queues;
  }
}

void FrontEnd::run_queue(HardwareQueue& queue) {
  while (queue.has_work()) {
    uses_.resets.wait_while_held(node_, queue);
    if (queue.of_driver() ? uses_.buffers.has_request(node_) : uses_.turns.must_leave(node_, queue))
      return;
    if (!run_packet(queue, queue.ring)) return;
    if (queue.ring.position - queue.written_back >= queue.field(abi::kQueueRingBytes) / 4)
      write_back(queue);
  }
  shared_.touch(queue.place, false);
  if (queue.ring.end != 0) shared_.steps().observe(queue.ring.end);
  if (shared_.config.write_back == WriteBack::kIdle) write_back(queue);
  shared_.set_state(queue, QueueStateKind::kIdle);
}

/// Reads the next bytes at `cursor`, at most fetch_bytes. An access does not cross a page.
bool FrontEnd::fetch(const HardwareQueue& queue, Cursor& cursor) {
  std::uint64_t bytes =
      std::min<std::uint64_t>(cursor.end - cursor.position, shared_.config.fetch_bytes);
  if (cursor.wrap != ~0ULL && !abi::mutant(abi::Mutant::kFetchesPastRing))
    bytes = std::min(bytes, cursor.wrap + 1 - (cursor.position & cursor.wrap));
  cursor.fetched.resize(bytes);
  cursor.fetched_at = cursor.position;
  if (shared_.config.schedules && !queue.of_driver())
    shared_.simulation.emit(event::RingFetched{queue.object, cursor.address(), bytes});
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t address = cursor.address() + done;
    const std::uint64_t piece = std::min(bytes - done, abi::kPageBytes - address % abi::kPageBytes);
    if (!uses_.memory.read(node_, {cursor.space, address}, cursor.fetched.data() + done, piece))
      return false;
    done += piece;
  }
  return true;
}

/// Between packets of the ring a front end knows only its position and the bytes it has fetched.
void FrontEnd::forget_packets(const HardwareQueue& queue) const {
  common::Steps& steps = shared_.steps();
  steps.forget();
  if (!steps.exploring()) return;
  common::Hasher hasher;
  hasher.add(queue.slot).add(queue.ring.fetched_at + queue.ring.fetched.size());
  for (std::uint64_t at = queue.ring.position; queue.ring.has(at + 1 - queue.ring.position); ++at)
    hasher.add(queue.ring.fetched[at - queue.ring.fetched_at]);
  steps.observe(hasher.value());
}

/// Fetches the packet at `cursor`. False after a fault: the stream has ended.
bool FrontEnd::decode(HardwareQueue& queue, Cursor& cursor, Decoded& packet) {
  abi::PacketHeader& header = packet.header;
  if (!cursor.has(sizeof header) && !fetch(queue, cursor))
    return fail_packet(queue, cursor, abi::FaultCode::kPageRead, cursor.address());
  if (cursor.has(sizeof header)) std::memcpy(&header, cursor.data(), sizeof header);
  packet.logged = (header.flags & abi::kLogFollows) != 0;
  packet.bytes = header.bytes + (packet.logged ? sizeof(abi::LogPacket) : 0);
  packet.skip = header.opcode == abi::Opcode::kNop && header.bytes >= sizeof header;
  if (header.bytes < sizeof header || (!packet.skip && header.bytes > abi::kLargestPacket) ||
      cursor.position + packet.bytes > cursor.end)
    return fail_packet(queue, cursor, abi::FaultCode::kIllegal, 0);
  if (packet.skip || cursor.has(packet.bytes)) return true;
  if (fetch(queue, cursor) && cursor.has(packet.bytes)) return true;
  return fail_packet(queue, cursor, abi::FaultCode::kPageRead, cursor.address());
}

EngineCommand FrontEnd::command_of(HardwareQueue& queue, const Cursor& cursor,
                                   const Decoded& packet) const {
  EngineCommand command;
  command.queue_slot = queue.slot;
  command.queue = queue.object;
  command.address_space = queue.space;
  if (packet.skip) return command;
  std::memcpy(command.packet.data(), cursor.data(), packet.header.bytes);
  if (!packet.logged) return command;
  std::memcpy(&command.log_packet, cursor.data() + packet.header.bytes, sizeof(abi::LogPacket));
  if (!skips_log(queue, command.log_packet)) return command;
  abi::PacketHeader header = packet.header;
  header.flags = static_cast<std::uint16_t>(header.flags & ~abi::kLogFollows);
  std::memcpy(command.packet.data(), &header, sizeof header);
  return command;
}

/// Runs the packet at `cursor`. False when the queue must leave the engine.
bool FrontEnd::run_packet(HardwareQueue& queue, Cursor& cursor) {
  if (&cursor == &queue.ring) forget_packets(queue);
  shared_.touch(queue.place, false);
  if (cursor.address() != 0) shared_.steps().observe(cursor.address());
  queue.space = cursor.space;
  Decoded packet;
  if (!decode(queue, cursor, packet)) return true;
  EngineCommand command = command_of(queue, cursor, packet);
  shared_.steps().elapse(shared_.config.decode);

  if (!packet.skip && !run_command(queue, cursor, command)) return false;
  uses_.hang_watch.note_progress(queue);
  if (&cursor != &queue.ring && packet.header.opcode != abi::Opcode::kIndirect)
    queue.resumed = false;
  if (!packet.skip) report_done(queue, cursor, packet.bytes);
  cursor.position += packet.bytes;
  return true;
}

/// An invalid packet ends the stream: the bytes after it cannot be trusted. Returns false.
bool FrontEnd::fail_packet(HardwareQueue& queue, Cursor& cursor, abi::FaultCode code,
                           std::uint64_t address) {
  shared_.fault(queue, code, address);
  cursor.position = cursor.end;
  if (&cursor == &queue.ring) shared_.report_commands_dropped(queue);
  return false;
}

/// Runs the packet of `command`, which starts at `cursor`. False when the queue must leave the
/// engine.
bool FrontEnd::run_command(HardwareQueue& queue, const Cursor& cursor, EngineCommand& command) {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  const bool in_ring = &cursor == &queue.ring;
  if (queue.in_buffer && !in_ring && cursor.space == common::kPhysical)
    report_read(queue, cursor, command);
  if ((header.flags & abi::kBound) != 0 && !uses_.binder.resolve(node_, queue, cursor, command))
    return true;
  if (abi::has_trait(header.opcode, abi::kDeviceOnly)) {
    shared_.fault(queue, abi::FaultCode::kPrivileged);
    return true;
  }
  switch (header.opcode) {
    case abi::Opcode::kBind:
    case abi::Opcode::kBindTable:
      if (!uses_.binder.bind(node_, queue, command))
        shared_.fault(queue, queue.space == common::kPhysical ? abi::FaultCode::kIllegal
                                                              : abi::FaultCode::kPrivileged);
      return true;
    case abi::Opcode::kWait:
      return run_wait(queue, cursor, command);
    case abi::Opcode::kSignal:
      return uses_.fences.run_signal(node_, queue, command);
    case abi::Opcode::kIndirect: {
      const auto indirect = common::packet_of<abi::IndirectPacket>(command);
      return run_indirect(queue, {indirect.address, indirect.bytes, cursor.space});
    }
    case abi::Opcode::kRunBuffer:
      return run_buffer(queue, command);
    case abi::Opcode::kWaitBlank:
    case abi::Opcode::kFlip:
      run_display(queue, command);
      return true;
    case abi::Opcode::kFenceWrite:
      command.fence = written_fence(queue, command);
      return uses_.engines.execute(node_, queue, command);
    default:
      return uses_.engines.execute(node_, queue, command);
  }
}

bool FrontEnd::run_wait(HardwareQueue& queue, const Cursor& cursor, const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  if (!uses_.fences.run_wait(node_, queue, packet)) return false;
  if (queue.fault != abi::FaultCode::kNone) return true;
  if ((packet.header.flags & abi::kLogFollows) == 0 || uses_.fences.is_stale(packet.fence_slot))
    return true;
  if (!log_wait(queue, cursor)) return false;
  // Without gpu.wait_once a parked wait is also logged when it is found satisfied.
  if (!shared_.simulation.ordering.gpu.wait_once && queue.observed != 0)
    return log_wait(queue, cursor);
  return true;
}

bool FrontEnd::log_wait(HardwareQueue& queue, const Cursor& cursor) {
  EngineCommand log;
  log.queue_slot = queue.slot;
  log.queue = queue.object;
  log.address_space = queue.space;
  log.observed = queue.observed;
  log.log = common::LogKind::kWaits;
  log.fence = shared_.fences.of(queue.fence_slot);
  std::memcpy(log.packet.data(), cursor.data() + sizeof(abi::FencePacket), sizeof(abi::LogPacket));
  return uses_.engines.execute(node_, queue, log);
}

/// Runs a DMA buffer of a context and reports its completion.
bool FrontEnd::run_buffer(HardwareQueue& queue, EngineCommand& command) {
  const auto buffer = common::packet_of<abi::RunBufferPacket>(command);
  if (!queue.in_buffer) uses_.buffers.begin(node_, queue, buffer);
  const bool physical = (buffer.header.flags & abi::kPhysicalBuffer) != 0;
  const std::uint32_t space = physical ? common::kPhysical : buffer.address_space;
  if (!run_indirect(queue, {buffer.address, buffer.bytes, space})) return false;
  uses_.resets.wait_while_held(node_, queue);
  if (queue.fault != abi::FaultCode::kNone) return uses_.buffers.give_up(node_, queue);
  uses_.buffers.end(node_, queue);
  return uses_.engines.execute(node_, queue, command);
}

/// A queue that left the engine inside a buffer resumes at the packet where it left. Until then,
/// the packet that called the buffer stays the next packet of its stream.
bool FrontEnd::run_indirect(HardwareQueue& queue, const Buffer& buffer) {
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
    uses_.resets.wait_while_held(node_, queue);
    if (!uses_.buffers.stops_here(node_, queue) && run_packet(queue, inner)) continue;
    queue.open_buffers.push_back(std::move(inner));
    return false;
  }
  return true;
}

/// Only the driver may use display packets. In a buffer written by user mode they are refused.
void FrontEnd::run_display(HardwareQueue& queue, const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FlipPacket>(command);
  if (!queue.of_driver() || (queue.in_buffer && !queue.driver_wrote))
    return shared_.fault(queue, abi::FaultCode::kPrivileged);
  if (uses_.display.size() == 0) return shared_.fault(queue, abi::FaultCode::kIllegal);
  common::Simulation& simulation = shared_.simulation;
  const auto opcode = static_cast<std::uint64_t>(packet.header.opcode);
  const bool flips = packet.header.opcode == abi::Opcode::kFlip;
  simulation.emit(event::PacketBegin{queue.object, opcode, 0, node_.number + 1});
  std::uint64_t primary = packet.address | abi::kFlipImmediate;
  auto access = simulation.transactions.lend(
      flips ? tlm::TLM_WRITE_COMMAND : tlm::TLM_IGNORE_COMMAND,
      flips ? abi::kDisplayPrimary : abi::kDisplayBlank, &primary, sizeof primary);
  common::send(simulation.steps, uses_.display[0], access);
  simulation.emit(event::PacketEnd{queue.object, opcode, 0, node_.number + 1});
}

/// ObjectKind::kFence at the address of a FENCE_WRITE, for events only.
std::uint32_t FrontEnd::written_fence(const HardwareQueue& queue, const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FenceWritePacket>(command);
  return uses_.memory.object_at(queue.engine, {queue.space, packet.address});
}

/// Writes the read pointer of the ring to memory.
void FrontEnd::write_back(HardwareQueue& queue) {
  queue.written_back =
      abi::mutant(abi::Mutant::kReadPointerAhead) ? queue.ring.end : queue.ring.position;
  const std::uint64_t address = queue.field(abi::kQueueReadPointer);
  if (address == 0) return;
  uses_.memory.post(node_, {queue.address_space(), address}, &queue.written_back,
                    sizeof queue.written_back);
}

void FrontEnd::report_read(const HardwareQueue& queue, const Cursor& cursor,
                           const EngineCommand& command) const {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  const auto words = common::Hasher().add_words(command.packet.data(), header.bytes / 8U * 8U);
  shared_.simulation.emit(event::PacketRead{shared_.adapter, queue.submission, node_.number + 1,
                                            words.value(), cursor.address()});
}

/// Reports commands of user mode: those in user-mode rings and those in buffers of contexts.
void FrontEnd::report_done(const HardwareQueue& queue, const Cursor& cursor,
                           std::uint64_t bytes) const {
  if (!shared_.simulation.events.wants<event::CommandDone>()) return;
  const bool in_ring = &cursor == &queue.ring;
  if (in_ring == queue.of_driver() || queue.fault != abi::FaultCode::kNone) return;
  abi::PacketHeader header{};
  std::memcpy(&header, cursor.data(), sizeof header);
  if (header.opcode == abi::Opcode::kBind || header.opcode == abi::Opcode::kBindTable) return;
  const auto words = common::Hasher().add_words(cursor.data(), bytes / 8U * 8U);
  shared_.simulation.emit(event::CommandDone{
      in_ring ? queue.object : 0, words.value(), in_ring ? cursor.position + bytes : 0,
      in_ring ? 0 : queue.submission, node_.number + 1, shared_.adapter});
}

}  // namespace fenceline::command_processor
