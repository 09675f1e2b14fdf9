#include "models/engine/engine.h"

#include <algorithm>

#include "models/abi/fence_log.h"
#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/common/stores.h"
#include "models/engine/work.h"

namespace fenceline::engine {

using common::Barrier;
using common::BarrierReach;
using common::EngineCommand;
using common::Operation;
using common::SignalBarrier;
using common::SignalNotice;

namespace {
constexpr std::uint64_t kLine = 64;  ///< [bytes] largest posted write
}  // namespace

Engine::Engine(const sc_core::sc_module_name& name, common::Simulation& simulation,
               const EngineConfig& config, std::uint32_t number, const common::GpuClock& clock,
               const common::FenceNames& fences, const common::PeerTable& peers,
               const std::uint64_t& shadow_base, std::uint64_t& signal_count)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      number_(number),
      clock_(clock),
      fences_(fences),
      peers_(peers),
      shadow_base_(shadow_base),
      signal_count_(signal_count),
      hangs_(config.hangs.begin(), config.hangs.end()),
      faults_(config.faults.begin(), config.faults.end()),
      overlap_(simulation.steps),
      never_(simulation.steps) {
  packets.register_b_transport(this, &Engine::transport);
  simulation_.steps.add_state(*this);
}

std::uint64_t Engine::state_hash() const {
  if (hangs_.empty() && faults_.empty()) return wrote_ ? 1 : 0;
  common::Hasher hasher;
  for (const common::Occurrence& hang : hangs_) hasher.add(hang.hash());
  for (const common::Occurrence& fault : faults_) hasher.add(fault.hash());
  return hasher.add(wrote_ ? 1 : 0).value();
}

void Engine::reach(const std::string& mark) {
  for (common::Occurrence& hang : hangs_) hang.reach(mark);
  for (common::Occurrence& fault : faults_) fault.reach(mark);
}

/// Hangs if the scenario asks for it. False if a reset ended the hang.
bool Engine::hang_if_due(const EngineCommand& command) {
  if (!simulation_.steps.counting()) return true;
  bool due = false;
  for (common::Occurrence& hang : hangs_) due = hang.next(simulation_.steps.simulated()) || due;
  if (!due) return true;
  simulation_.emit(event::EngineFault{command.queue, number_, config_.adapter});
  hung_ = true;
  const common::StopRequest* stop = command.stop;
  simulation_.steps.wait_until(stop != nullptr ? command.stop->gate : never_,
                               [stop] { return stop != nullptr && stop->reset; });
  hung_ = false;
  return false;
}

void Engine::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  auto& command = *reinterpret_cast<EngineCommand*>(payload.get_data_ptr());
  // These two are reported in parallel to other packets, even when the engine hangs.
  const abi::Opcode opcode = common::packet_of<abi::PacketHeader>(command).opcode;
  const bool in_parallel = opcode == abi::Opcode::kSuspended || opcode == abi::Opcode::kTimedOut;
  const bool goes_on = in_parallel || hang_if_due(command);
  command.stopped = !goes_on;
  fault_ = abi::FaultCode::kNone;
  fault_address_ = 0;
  const bool ok = !goes_on || (!faults_if_due(command) && execute(command));
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (ok) return;
  command.fault = fault_ == abi::FaultCode::kNone ? abi::FaultCode::kIllegal : fault_;
  command.fault_address = fault_address_;
}

/// True if the scenario asks for a hardware error now. Packets made by the device itself are not
/// counted. The log entry of a wait is not counted either: it belongs to the wait.
bool Engine::faults_if_due(const EngineCommand& command) {
  if (faults_.empty() || !simulation_.steps.counting()) return false;
  const abi::Opcode opcode = common::packet_of<abi::PacketHeader>(command).opcode;
  if (opcode == abi::Opcode::kLog || opcode == abi::Opcode::kRunBuffer ||
      opcode == abi::Opcode::kPreempted || opcode == abi::Opcode::kFaulted ||
      opcode == abi::Opcode::kSuspended || opcode == abi::Opcode::kTimedOut)
    return false;
  bool due = false;
  for (common::Occurrence& fault : faults_) due = fault.next(simulation_.steps.simulated()) || due;
  return due;
}

/// Records the first address without a translation; returns `ok`.
bool Engine::note_fault(bool ok, std::uint64_t address, bool written) {
  if (!ok && fault_ == abi::FaultCode::kNone) {
    fault_ = written ? abi::FaultCode::kPageWrite : abi::FaultCode::kPageRead;
    fault_address_ = address;
  }
  return ok;
}

/// Records why the command is not executed; returns false.
bool Engine::refuse(abi::FaultCode code) {
  fault_ = code;
  return false;
}

bool Engine::execute(EngineCommand& command) {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  switch (header.opcode) {
    case abi::Opcode::kSignal:
      return signal(command);
    case abi::Opcode::kLog:
      return write_log(command, common::packet_of<abi::LogPacket>(command));
    case abi::Opcode::kWrite: {
      const auto write = common::packet_of<abi::WritePacket>(command);
      wrote_ = true;
      if (simulation_.tracks_memory && command.address_space != common::kPhysical)
        simulation_.emit(
            event::GpuStore{config_.adapter, write.address, write.value, command.address_space});
      return post(command, write.address, &write.value, sizeof write.value, Purpose::kWork);
    }
    case abi::Opcode::kCopy:
      return copy(command);
    case abi::Opcode::kFill:
      return fill(command);
    case abi::Opcode::kDispatch:
    case abi::Opcode::kDraw:
      return work(command);
    case abi::Opcode::kBarrier:
      barrier(Barrier::kSelf, BarrierReach::kGpu);
      return true;
    case abi::Opcode::kFlush:
      barrier(Barrier::kSelf, BarrierReach::kHost);
      return true;
    case abi::Opcode::kFenceWrite:
      return write_fence(command);
    case abi::Opcode::kRunBuffer:
      complete_buffer(command);
      return true;
    case abi::Opcode::kPreempted:
      notify_preempted(command);
      return true;
    case abi::Opcode::kSuspended:
      notify_suspended(command);
      return true;
    case abi::Opcode::kFaulted:
      notify_faulted(command);
      return true;
    case abi::Opcode::kTimedOut:
      notify_cmp({number_, 0, command.queue_slot, command.queue, 0, SignalNotice::Kind::kTimedOut});
      return true;
    default:
      return false;
  }
}

/// False if CurrentValue or the log could not be written.
bool Engine::signal(EngineCommand& command) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  const common::GpuOrdering& ordering = simulation_.ordering.gpu;
  const common::AgentId agent = simulation_.steps.current();
  const std::uint32_t fence = fences_.of(packet.fence_slot);
  const std::uint64_t number = ++signal_count_;
  command.fence = fence;
  simulation_.events.emit(agent, event::SignalBegin{fence, packet.value, number, command.queue});
  if (wrote_ && ordering.release_before_cv) barrier(Barrier::kSelf, BarrierReach::kGpu);

  // Without hoisting, CurrentValue is in a FIFO before MonitoredValue is read. With hoisting it is
  // not: the command opens a window that a synchronising barrier waits for.
  const bool early_barrier = ordering.signal_barrier == SignalBarrier::kBeforeCheck;
  const bool hoist = ordering.load_hoist && !early_barrier;
  std::uint64_t monitored = 0;
  if (hoist) {
    barrier(Barrier::kOpenWindow, BarrierReach::kGpu);
    monitored = read_shadow(packet.fence_slot);
  }
  simulation_.events.emit(agent, event::CurrentValueIssued{fence, packet.value, number});
  bool ok = post_value(command, packet.current_value, packet.value, simulation_.ordering.mem.cv64);
  if (hoist) barrier(Barrier::kCloseWindow, BarrierReach::kGpu);
  const bool logs = (packet.header.flags & abi::kLogFollows) != 0;
  const bool log_last = abi::mutant(abi::Mutant::kLogAfterBarrier);
  if (logs && !log_last && !abi::mutant(abi::Mutant::kLogsNothing))
    ok = write_log(command, command.log_packet) && ok;
  if (logs && abi::mutant(abi::Mutant::kLogsTwice)) write_log(command, command.log_packet);
  if (early_barrier) signal_barrier(command);
  if (logs && log_last) ok = write_log(command, command.log_packet) && ok;
  if (!hoist) monitored = read_shadow(packet.fence_slot);
  decide(command, monitored, number);
  rescan_waiting_queues(command);
  ring_peers(packet.fence_slot);
  simulation_.events.emit(agent, event::SignalEnd{fence, packet.value, number, command.queue});
  return ok;
}

void Engine::decide(EngineCommand& command, std::uint64_t monitored, std::uint64_t number) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  const bool above = packet.value > monitored;
  simulation_.emit(event::Decision{fences_.of(packet.fence_slot), packet.value, number, above});
  if (!above) return;
  if (simulation_.ordering.gpu.signal_barrier == SignalBarrier::kBeforeRaise)
    signal_barrier(command);
  notify_cmp({number_, packet.fence_slot, command.queue_slot, command.queue, packet.value});
}

void Engine::notify_cmp(common::SignalNotice notice) {
  simulation_.steps.step(Operation::kNotice, common::Footprint());
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, number_, &notice, sizeof notice);
  common::send(simulation_.steps, notices, transaction);
}

void Engine::rescan_waiting_queues(const EngineCommand& command) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  std::uint64_t none = 0;
  if (simulation_.ordering.gpu.signal_barrier == SignalBarrier::kBeforeRaise) {
    // Without a barrier the message follows CurrentValue in the same FIFO.
    auto behind = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, packet.current_value, &none,
                                                sizeof none);
    behind->attributes.address_space = command.address_space;
    behind->attributes.posted = true;
    behind->attributes.arrival = packet.fence_slot + 1;
    common::send(simulation_.steps, memory, behind);
    return;
  }
  auto rescan =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, packet.fence_slot, &none, sizeof none);
  common::send(simulation_.steps, rescans, rescan);
}

/// Writes 8 bytes to the doorbell page of each peer.
void Engine::ring_peers(std::uint32_t slot) {
  const common::PeerTable::Words* words = peers_.words(slot);
  if (words == nullptr) return;
  // Without an earlier barrier the doorbell could overtake the value.
  if (simulation_.ordering.gpu.signal_barrier == SignalBarrier::kBeforeRaise)
    barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
  for (std::uint32_t peer = 0; peer < words->size(); ++peer) {
    if (((*words)[peer] & abi::kPeerValid) == 0) continue;
    std::uint64_t payload = (*words)[peer] & ~abi::kPeerValid;
    auto ring = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND,
                                              peers_.page(peer) | abi::kSystemMemoryBit, &payload,
                                              sizeof payload);
    ring->attributes.operation = Operation::kIssue;
    ring->attributes.posted = true;
    ring->attributes.relaxed = !simulation_.ordering.pcie.doorbell_ordered;
    common::send(simulation_.steps, memory, ring, config_.issue);
  }
}

bool Engine::write_log(EngineCommand& command, const abi::LogPacket& packet) {
  if (packet.reserved0 != 0) return refuse(abi::FaultCode::kIllegal);
  simulation_.steps.touch(common::Place::kRegister, command.log->place, true);
  if (command.log->address == 0) return true;
  // The command processor changes the log buffer only between two entries.
  command.log->writing = true;
  const common::LogCursor log = *command.log;
  common::LogCursor next = log;
  if (++next.index == next.entries) {
    next.index = 0;
    if (!abi::mutant(abi::Mutant::kNoWrapCount)) ++next.wraparounds;
  }
  const bool index_first = abi::mutant(abi::Mutant::kIndexBeforeEntry);
  bool ok = !index_first || post_index(command, next);
  ok = post_entry(command, packet, log) && ok;
  if (simulation_.ordering.gpu.log_barrier)
    barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach, Purpose::kLog);
  if (!index_first) ok = post_index(command, next) && ok;
  simulation_.steps.touch(common::Place::kRegister, log.place, true);
  *command.log = next;
  command.log->writing = false;
  command.log->written->open();
  if (!ok && log.space == abi::kSystemVmid)
    notify_cmp({number_, 0, command.queue_slot, command.queue, log.address,
                SignalNotice::Kind::kLogUnmapped});
  return ok;
}

bool Engine::post_entry(const EngineCommand& command, const abi::LogPacket& packet,
                        const common::LogCursor& log) {
  abi::FenceLogEntry entry{};
  entry.fence_value = packet.fence_value;
  entry.native_fence = packet.native_fence;
  entry.operation_type = packet.operation_type;
  entry.observed_timestamp = command.observed;
  entry.end_timestamp = clock_.log_timestamp(log.index);
  const std::uint64_t address =
      log.address + sizeof(abi::FenceLogHeader) + log.index * sizeof entry;
  simulation_.log_truth.issued(log.object, log.index,
                               common::Hasher().add_words(&entry, sizeof entry).value());
  simulation_.emit(event::LogEntryIssued{log.object, log.index, packet.fence_value, command.fence});
  bool ok = true;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&entry);
  for (std::size_t done = 0; done < sizeof entry;) {
    const std::size_t piece =
        std::min<std::size_t>(sizeof entry - done, kLine - (address + done) % kLine);
    ok = post(command, address + done, bytes + done, piece, Purpose::kLog) && ok;
    done += piece;
  }
  return ok;
}

bool Engine::post_index(const EngineCommand& command, const common::LogCursor& log) {
  const std::uint64_t header = std::uint64_t{log.wraparounds} << 32 | log.index;
  simulation_.emit(event::LogHeaderIssued{log.object, header});
  return post_value(command, log.address, header, simulation_.ordering.mem.log_hdr64, true);
}

bool Engine::post(const EngineCommand& command, std::uint64_t address, const void* data,
                  std::size_t bytes, Purpose purpose) {
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address,
                                             const_cast<void*>(data), bytes);
  write->attributes.address_space =
      purpose == Purpose::kLog ? command.log->space : command.address_space;
  write->attributes.operation = Operation::kIssue;
  write->attributes.posted = true;
  write->attributes.log_queue = purpose == Purpose::kLog ? command.queue_slot + 1 : 0;
  write->attributes.work = purpose == Purpose::kWork ? command.queue : 0;
  return note_fault(
      common::send(simulation_.steps, port(purpose), write, config_.issue) == tlm::TLM_OK_RESPONSE,
      address, true);
}

bool Engine::post_value(const EngineCommand& command, std::uint64_t address, std::uint64_t value,
                        common::Stores stores, bool log) {
  const Purpose purpose = log ? Purpose::kLog : Purpose::kValue;
  stores = common::stores_of(stores, config_.whole_stores);
  if (stores == common::Stores::kWhole)
    return post(command, address, &value, sizeof value, purpose);
  bool ok = true;
  for (const common::Piece piece : common::Pieces(stores)) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value) + piece.offset;
    auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, address + piece.offset,
                                               const_cast<unsigned char*>(bytes), piece.bytes);
    write->attributes.address_space = log ? command.log->space : command.address_space;
    write->attributes.operation = Operation::kIssue;
    write->attributes.posted = true;
    write->attributes.partial = piece.more;
    write->attributes.log_queue = log ? command.queue_slot + 1 : 0;
    ok = note_fault(common::send(simulation_.steps, port(purpose), write) == tlm::TLM_OK_RESPONSE,
                    address + piece.offset, true) &&
         ok;
  }
  return ok;
}

void Engine::barrier(Barrier kind, BarrierReach reach, Purpose purpose) {
  auto transaction = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  transaction->attributes.barrier = kind;
  transaction->attributes.reach = reach;
  common::send(simulation_.steps, port(purpose), transaction);
  if (kind == Barrier::kSelf && &port(purpose) == &memory) wrote_ = false;
}

/// Makes the writes of a signal visible, including its log if that uses the CMP's port.
void Engine::signal_barrier(const EngineCommand& command) {
  const BarrierReach reach = simulation_.ordering.gpu.barrier_reach;
  barrier(Barrier::kSelf, reach);
  const auto header = common::packet_of<abi::PacketHeader>(command);
  if (cmp_logs() && (header.flags & abi::kLogFollows) != 0)
    barrier(Barrier::kSelf, reach, Purpose::kLog);
}

std::uint64_t Engine::read_shadow(std::uint32_t slot) {
  std::uint64_t value = 0;
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, shadow_base_ + 8ULL * slot,
                                            &value, sizeof value);
  read->attributes.operation = Operation::kReadShadow;
  common::send(simulation_.steps, memory, read, config_.issue, config_.compare);
  return value;
}

}  // namespace fenceline::engine
