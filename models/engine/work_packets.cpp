// Dispatches and draws: they take time and can be stopped.
#include <algorithm>

#include "models/engine/engine.h"

namespace fenceline::engine {

using common::EngineCommand;
using common::Time;

bool Engine::work(EngineCommand& command) {
  const auto packet = common::packet_of<abi::WorkPacket>(command);
  Progress from;
  static_assert(sizeof from <= sizeof command.progress);
  std::memcpy(static_cast<void*>(&from), command.progress.data(), sizeof from);
  const Work work(packet, from, config_.chip, config_.seed);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  // The traffic of the whole packet comes at its beginning.
  const bool begins = from.units == 0 && from.into == 0;
  if (begins && !bring_traffic(command, delay)) return false;
  const Time started = simulation_.steps.simulated();
  const Time whole = std::max<Time>(work.duration(), delay.value());
  if (pass(command, whole)) return true;
  const Time elapsed = simulation_.steps.simulated() - started;
  // While exploring, time stands still: the work is then stopped in its middle.
  stop_work(
      command, work,
      simulation_.steps.exploring() ? work.duration() / 2 : std::min(elapsed, work.duration() - 1));
  return true;
}

bool Engine::bring_traffic(const EngineCommand& command, sc_core::sc_time& delay) {
  const auto packet = common::packet_of<abi::WorkPacket>(command);
  const bool is_virtual = command.address_space != common::kPhysical;
  if (simulation_.tracks_memory && is_virtual && packet.read_bytes + packet.write_bytes != 0)
    simulation_.emit(event::GpuTraffic{config_.adapter, packet.address,
                                       std::max(packet.read_bytes, packet.write_bytes),
                                       packet.write_bytes != 0, command.address_space});
  for (const bool writes : {false, true}) {
    const std::uint64_t bytes = writes ? packet.write_bytes : packet.read_bytes;
    if (bytes == 0) continue;
    auto traffic = simulation_.transactions.lend_traffic(
        writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, packet.address, bytes,
        command.address_space);
    memory->b_transport(traffic->payload, delay);
    if (!stores_.note_fault(traffic->payload.is_response_ok(), packet.address, writes))
      return false;
  }
  return true;
}

/// Elapses `duration`. False if a stop request came first.
bool Engine::pass(const EngineCommand& command, Time duration) {
  const bool stoppable = command.stoppable;
  if (duration == 0 || (simulation_.steps.exploring() && !stoppable)) {
    simulation_.steps.elapse(duration);
    return true;
  }
  return !simulation_.steps.wait_until_for(
      stop_changed_, [this, stoppable] { return stop_.reset || (stoppable && stop_.wanted); },
      duration);
}

/// Runs to the next stop point, unless a reset comes first.
void Engine::stop_work(EngineCommand& command, const Work& work, Time elapsed) {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  const Stop stop = header.opcode == abi::Opcode::kDraw
                        ? work.stop(config_.granularity.graphics, elapsed)
                        : work.stop(config_.granularity.compute, elapsed);
  command.stopped = stop_.reset;
  if (stop_.reset) return;
  if (simulation_.steps.wait_until_for(
          stop_changed_, [this] { return stop_.reset; },
          stop.finished ? stop.after : stop.after + stop.overhead, common::Fires::kAnyTime)) {
    command.stopped = true;
    return;
  }
  if (stop.finished) return;
  command.stopped = true;
  command.state_bytes = stop.state_bytes;
  std::memcpy(command.progress.data(), &stop.progress, sizeof stop.progress);
}

}  // namespace fenceline::engine
