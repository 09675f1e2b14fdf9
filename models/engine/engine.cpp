#include "models/engine/engine.h"

#include <algorithm>

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/engine/work.h"

namespace fenceline::engine {

using common::Barrier;
using common::BarrierReach;
using common::EngineCommand;
using common::Operation;
using common::SignalBarrier;
using common::SignalNotice;

Engine::Engine(const sc_core::sc_module_name& name, common::Simulation& simulation,
               const EngineConfig& config, std::uint32_t number, const Shared& shared)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      number_(number),
      fences_(shared.fences),
      signal_count_(shared.signal_count),
      stores_(simulation, {memory, log_writes, config.issue, config.whole_stores}),
      cmp_notices_(simulation, notices, stores_, number),
      log_writer_(simulation, {logs, stores_, cmp_notices_, shared.clock, number}),
      stop_changed_(simulation.steps),
      hangs_(config.hangs.begin(), config.hangs.end()),
      faults_(config.faults.begin(), config.faults.end()),
      overlap_(simulation.steps) {
  packets.register_b_transport(this, &Engine::transport);
  registers.register_b_transport(this, &Engine::access_register);
  add_registers();
  simulation_.steps.add_state(*this);
}

void Engine::add_registers() {
  register_file_.add_write_only(abi::kShadowBase,
                                [this](std::uint64_t, std::uint64_t base) { shadow_base_ = base; });
  register_file_.add_write_only({abi::kPeerDoorbell, abi::kPeers},
                                [this](std::uint64_t peer, std::uint64_t address) {
                                  peers_.set_page(static_cast<std::uint32_t>(peer), address);
                                });
  register_file_.add_write_only({abi::kPeerTable, abi::kFenceSlots * abi::kPeers},
                                [this](std::uint64_t word, std::uint64_t value) {
                                  peers_.set_word(static_cast<std::uint32_t>(word / abi::kPeers),
                                                  word % abi::kPeers, value);
                                });
  // The CMP has retired the slot.
  register_file_.add_write_only(abi::kFenceRetire, [this](std::uint64_t, std::uint64_t slot) {
    peers_.clear(static_cast<std::uint32_t>(slot));
  });
}

void Engine::access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  register_file_.access(payload);
}

std::uint64_t Engine::state_hash() const {
  if (hangs_.empty() && faults_.empty()) return stores_.wrote() ? 1 : 0;
  common::Hasher hasher;
  for (const common::Occurrence& hang : hangs_) hasher.add(hang.hash());
  for (const common::Occurrence& fault : faults_) hasher.add(fault.hash());
  return hasher.add(stores_.wrote() ? 1 : 0).value();
}

void Engine::reach(const std::string& mark) {
  for (common::Occurrence& hang : hangs_) hang.reach(mark);
  for (common::Occurrence& fault : faults_) fault.reach(mark);
}

/// Hangs if the scenario asks for it. False if a reset ended the hang.
bool Engine::hang_if_due(const EngineCommand& command) {
  if (!simulation_.steps.counting()) return true;
  const common::Occurrence* due = nullptr;
  for (common::Occurrence& hang : hangs_)
    if (hang.next(simulation_.steps.simulated()) && due == nullptr) due = &hang;
  if (due == nullptr) return true;
  simulation_.emit(event::EngineFault{command.queue, number_, config_.adapter, due->fault()});
  hung_ = true;
  simulation_.steps.wait_until(stop_changed_, [this] { return stop_.reset; });
  hung_ = false;
  return false;
}

void Engine::set_stop(tlm::tlm_generic_payload& payload) {
  std::memcpy(&stop_, payload.get_data_ptr(), sizeof stop_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  stop_changed_.open();
}

void Engine::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_address() == common::kEngineStop) return set_stop(payload);
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  auto& command = *reinterpret_cast<EngineCommand*>(payload.get_data_ptr());
  // These two are reported in parallel to other packets, even when the engine hangs.
  const abi::Opcode opcode = common::packet_of<abi::PacketHeader>(command).opcode;
  const bool in_parallel = opcode == abi::Opcode::kSuspended || opcode == abi::Opcode::kTimedOut;
  const bool goes_on = in_parallel || hang_if_due(command);
  command.stopped = !goes_on;
  stores_.begin();
  const bool ok = !goes_on || (!faults_if_due(command) && execute(command));
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (ok) return;
  const bool known = stores_.fault() != abi::FaultCode::kNone;
  command.fault = known ? stores_.fault() : abi::FaultCode::kIllegal;
  command.fault_address = stores_.fault_address();
}

/// True if the scenario asks for a hardware error now. Reports are not counted: the log entry of a
/// wait belongs to the wait.
bool Engine::faults_if_due(const EngineCommand& command) {
  if (faults_.empty() || !simulation_.steps.counting()) return false;
  if (abi::has_trait(common::packet_of<abi::PacketHeader>(command).opcode, abi::kReport))
    return false;
  const common::Occurrence* due = nullptr;
  for (common::Occurrence& fault : faults_)
    if (fault.next(simulation_.steps.simulated()) && due == nullptr) due = &fault;
  if (due != nullptr)
    simulation_.emit(event::PacketFault{command.queue, number_, config_.adapter, due->fault()});
  return due != nullptr;
}

bool Engine::execute(EngineCommand& command) {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  switch (header.opcode) {
    case abi::Opcode::kSignal:
      return signal(command);
    case abi::Opcode::kLog:
      return log_writer_.write(command, common::packet_of<abi::LogPacket>(command));
    case abi::Opcode::kWrite: {
      const auto write = common::packet_of<abi::WritePacket>(command);
      if (!abi::mutant(abi::Mutant::kWorkNotNoted)) stores_.note_work();
      if (simulation_.tracks_memory && command.address_space != common::kPhysical)
        simulation_.emit(
            event::GpuStore{config_.adapter, write.address, write.value, command.address_space});
      return stores_.post(command, {Purpose::kWork, command.address_space, write.address},
                          &write.value, sizeof write.value);
    }
    case abi::Opcode::kCopy:
      return copy(command);
    case abi::Opcode::kFill:
      return fill(command);
    case abi::Opcode::kDispatch:
    case abi::Opcode::kDraw:
      return work(command);
    case abi::Opcode::kBarrier:
      stores_.barrier(Barrier::kSelf, BarrierReach::kGpu);
      return true;
    case abi::Opcode::kFlush:
      stores_.barrier(Barrier::kSelf, BarrierReach::kHost);
      return true;
    case abi::Opcode::kFenceWrite:
      return write_fence(command);
    case abi::Opcode::kRunBuffer:
      cmp_notices_.complete_buffer(command);
      return true;
    case abi::Opcode::kPreempted:
      cmp_notices_.report_preemption(command);
      return true;
    case abi::Opcode::kSuspended:
      cmp_notices_.report_suspension(command);
      return true;
    case abi::Opcode::kFaulted:
      cmp_notices_.report_fault(command);
      return true;
    case abi::Opcode::kTimedOut:
      cmp_notices_.report_timeout(command);
      return true;
    default:
      return false;
  }
}

/// False if CurrentValue or the log could not be written.
bool Engine::signal(EngineCommand& command) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  const common::GpuOrdering& ordering = simulation_.ordering.gpu;
  const std::uint32_t fence = fences_.of(packet.fence_slot);
  const std::uint64_t number = ++signal_count_;
  command.fence = fence;
  simulation_.emit(event::SignalBegin{fence, packet.value, number, command.queue});
  if (stores_.wrote() && ordering.release_before_cv)
    stores_.barrier(Barrier::kSelf, BarrierReach::kGpu);

  // Without hoisting, CurrentValue is in a FIFO before MonitoredValue is read. With hoisting it is
  // not: the command opens a window that a synchronising barrier waits for.
  const bool early_barrier = ordering.signal_barrier == SignalBarrier::kBeforeCheck;
  const bool hoist = ordering.load_hoist && !early_barrier;
  std::uint64_t monitored = 0;
  if (hoist) {
    stores_.barrier(Barrier::kOpenWindow, BarrierReach::kGpu);
    monitored = read_shadow(packet.fence_slot);
  }
  simulation_.emit(event::CurrentValueIssued{fence, packet.value, number});
  bool ok = stores_.post_value(
      command, {Purpose::kValue, command.address_space, packet.current_value, number}, packet.value,
      simulation_.ordering.mem.cv64);
  if (hoist) stores_.barrier(Barrier::kCloseWindow, BarrierReach::kGpu);
  const bool logged = (packet.header.flags & abi::kLogFollows) != 0;
  const bool log_last = abi::mutant(abi::Mutant::kLogAfterBarrier);
  if (logged && !log_last && !abi::mutant(abi::Mutant::kLogsNothing))
    ok = log_writer_.write(command, command.log_packet) && ok;
  if (logged && abi::mutant(abi::Mutant::kLogsTwice))
    log_writer_.write(command, command.log_packet);
  if (early_barrier) stores_.signal_barrier(command);
  if (logged && log_last) ok = log_writer_.write(command, command.log_packet) && ok;
  if (!hoist) monitored = read_shadow(packet.fence_slot);
  decide(command, monitored, number);
  rescan_waiting_queues(command);
  ring_peers(packet.fence_slot);
  simulation_.emit(event::SignalEnd{fence, packet.value, number, command.queue});
  return ok;
}

/// False if the engine cannot write fences.
bool Engine::write_fence(const common::EngineCommand& command) {
  if (config_.fence_write == FenceWrite::kNone) return false;
  const auto packet = common::packet_of<abi::FenceWritePacket>(command);
  const common::GpuOrdering& ordering = simulation_.ordering.gpu;
  const std::uint64_t number = ++signal_count_;
  simulation_.emit(event::SignalBegin{command.fence, packet.value, number, command.queue});
  if (stores_.wrote() && ordering.release_before_cv)
    stores_.barrier(Barrier::kSelf, BarrierReach::kGpu);
  simulation_.emit(event::CurrentValueIssued{command.fence, packet.value, number});
  const bool narrow = (packet.header.flags & abi::kNarrow) != 0;
  const Store value{Purpose::kValue, command.address_space, packet.address, number};
  const bool written =
      narrow ? stores_.post(command, value, &packet.value, 4)
             : stores_.post_value(command, value, packet.value, simulation_.ordering.mem.cv64);
  const bool notify =
      (packet.header.flags & abi::kNotify) != 0 && !abi::mutant(abi::Mutant::kFenceWriteSilent);
  if (notify && config_.fence_write == FenceWrite::kAdvanced) {
    // A monitored fence has no compare: both places of the barrier are the same here.
    if (ordering.signal_barrier != SignalBarrier::kOff)
      stores_.barrier(Barrier::kSelf, ordering.barrier_reach);
    cmp_notices_.send({number_, 0, command.queue_slot, command.queue, packet.value,
                       SignalNotice::Kind::kFenceWritten});
  }
  simulation_.emit(event::SignalEnd{command.fence, packet.value, number, command.queue});
  return written;
}

void Engine::decide(EngineCommand& command, std::uint64_t monitored, std::uint64_t number) {
  const auto packet = common::packet_of<abi::FencePacket>(command);
  const std::uint64_t missed = abi::mutant(abi::Mutant::kTellsAboveNext) ? 1 : 0;
  const bool above = packet.value > monitored && packet.value - monitored > missed;
  simulation_.emit(event::Decision{fences_.of(packet.fence_slot), packet.value, number, above});
  if (!above) return;
  if (simulation_.ordering.gpu.signal_barrier == SignalBarrier::kBeforeRaise)
    stores_.signal_barrier(command);
  cmp_notices_.send({number_, packet.fence_slot, command.queue_slot, command.queue, packet.value});
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
  const PeerTable::Words* words = peers_.words(slot);
  if (words == nullptr) return;
  // Without an earlier barrier the doorbell could overtake the value.
  if (simulation_.ordering.gpu.signal_barrier == SignalBarrier::kBeforeRaise)
    stores_.barrier(Barrier::kSelf, simulation_.ordering.gpu.barrier_reach);
  for (std::uint32_t peer = 0; peer < words->size(); ++peer) {
    if (((*words)[peer] & abi::kPeerValid) == 0) continue;
    std::uint64_t payload = (*words)[peer] & ~abi::kPeerValid;
    simulation_.emit(event::PeerRung{fences_.of(slot), peers_.page(peer)});
    auto ring = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND,
                                              peers_.page(peer) | abi::kSystemMemoryBit, &payload,
                                              sizeof payload);
    ring->attributes.operation = Operation::kIssue;
    ring->attributes.posted = true;
    ring->attributes.relaxed = !simulation_.ordering.pcie.doorbell_ordered;
    common::send(simulation_.steps, memory, ring, config_.issue);
  }
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
