#include "models/command_processor/fence_unit.h"

#include <algorithm>
#include <cstring>

#include "models/abi/mutant.h"

namespace fenceline::command_processor {

using common::EngineCommand;
using common::Footprint;
using common::Operation;
using common::Place;
using common::Rescan;
using event::QueueStateKind;

FenceUnit::FenceUnit(Shared& shared, const Uses& uses)
    : shared_(shared), uses_(uses), signal_ended_(shared.steps()) {}

bool FenceUnit::is_stale(std::uint32_t name) const {
  shared_.touch(shared_.tags_place, false);
  return !tags_.current(name) && shared_.simulation.ordering.gpu.fence_tag;
}

/// True if the packet must be skipped because its fence was destroyed.
bool FenceUnit::skips_stale(HardwareQueue& queue, const abi::FencePacket& packet, bool waits) {
  shared_.touch(shared_.tags_place, false);
  if (tags_.current(packet.fence_slot)) return false;
  const bool passes = shared_.simulation.ordering.gpu.fence_tag;
  shared_.simulation.emit(event::StalePacket{queue.object, packet.value, !passes, waits,
                                             shared_.fences.of(packet.fence_slot)});
  if (passes && waits) {
    shared_.touch(shared_.waits_place, true);
    queue.end_wait();
  }
  return passes;
}

bool FenceUnit::run_signal(Node& node, HardwareQueue& queue, EngineCommand& command) {
  auto packet = common::packet_of<abi::FencePacket>(command);
  if (skips_stale(queue, packet, false)) return true;
  packet.fence_slot = abi::fence_slot_of(packet.fence_slot);
  if (tags_.always_signaled(packet.fence_slot)) return true;
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  shared_.touch(node.signal_place, true);
  node.signals = packet.fence_slot + 1;
  const bool done = uses_.engines.execute(node, queue, command);
  shared_.touch(node.signal_place, true);
  node.signals = 0;
  signal_ended_.open();
  return done;
}

/// Makes packets that name the fence in the slot stale. Queues that wait for it continue, and
/// signals that engines execute finish.
void FenceUnit::retire(std::uint32_t slot) {
  shared_.touch(shared_.tags_place, true);
  tags_.retire(slot);
  if (shared_.simulation.ordering.gpu.fence_tag)
    look_again_if([slot](const HardwareQueue& queue) { return queue.fence_slot == slot; }, true);
  const auto& nodes = shared_.nodes;
  shared_.steps().wait_until(signal_ended_, [&] {
    return std::none_of(nodes.begin(), nodes.end(), [&](const auto& node) {
      shared_.touch(node->signal_place, false);
      return node->signals == slot + 1;
    });
  });
}

bool FenceUnit::run_wait(Node& node, HardwareQueue& queue, const abi::FencePacket& packet) {
  if (skips_stale(queue, packet, true)) return true;
  const std::uint32_t fence = shared_.fences.of(packet.fence_slot);
  shared_.touch(shared_.waits_place, true);
  if (!queue.waiting) {
    queue.waiting = true;
    if (!abi::mutant(abi::Mutant::kObservedKept)) queue.observed = 0;
    queue.fence_slot = abi::fence_slot_of(packet.fence_slot);
    queue.value = packet.value;
    shared_.simulation.emit(event::GpuWaitBegin{fence, packet.value, queue.object});
  }
  queue.parked = queue.retry = false;
  const bool passes = queue.resumed && abi::mutant(abi::Mutant::kPreemptedWaitPasses);
  while (!passes && !satisfied(node, queue, packet)) {
    if (queue.fault != abi::FaultCode::kNone) {
      queue.waiting = false;
      return true;  // its buffer is given up
    }
    if (park(node, queue, packet)) return false;
  }
  if (skips_stale(queue, packet, true)) return true;
  shared_.touch(shared_.waits_place, true);
  queue.waiting = queue.parked = queue.latched = false;
  shared_.simulation.emit(event::GpuWaitUnblock{fence, packet.value, 0, queue.object});
  return true;
}

bool FenceUnit::satisfied(const Node& node, HardwareQueue& queue, const abi::FencePacket& packet) {
  shared_.touch(shared_.waits_place, false);
  if (is_stale(packet.fence_slot)) return true;
  if (tags_.always_signaled(packet.fence_slot)) return true;
  std::uint64_t value = 0;
  ++wait_reads_;
  if (!uses_.memory.read(node, {queue.space, packet.current_value}, &value, sizeof value,
                         {Operation::kReadValue, event::Reader::kQueueWait})) {
    shared_.fault(queue, abi::FaultCode::kPageRead, packet.current_value);
    return false;
  }
  const std::uint64_t more = abi::mutant(abi::Mutant::kWaitsForMore) ? 1 : 0;
  return value >= packet.value + more;
}

/// Puts the queue on the parked list. False if the wait is satisfied meanwhile.
bool FenceUnit::park(const Node& node, HardwareQueue& queue, const abi::FencePacket& packet) {
  if (queue.observed == 0) queue.observed = shared_.clock.ticks();
  shared_.steps().step(Operation::kPark, Footprint().writes(Place::kRegister, shared_.waits_place));
  shared_.touch(shared_.waits_place, true);
  queue.parked = true;
  queue.retry = queue.latched;
  queue.latched = false;
  shared_.simulation.emit(
      event::GpuWaitPark{shared_.fences.of(packet.fence_slot), packet.value, queue.object});
  shared_.set_state(queue, QueueStateKind::kParked);
  if (shared_.simulation.ordering.gpu.park_check && satisfied(node, queue, packet)) {
    shared_.touch(shared_.waits_place, true);
    queue.parked = queue.retry = false;
    shared_.set_state(queue, QueueStateKind::kRunning);
    return false;
  }
  return true;
}

void FenceUnit::rescan(std::uint32_t slot, std::uint64_t request) {
  const bool from_cpu = (request & abi::kKickFromCpu) != 0;
  const bool marks = (request & (abi::kKickAlwaysSignaled | abi::kKickRetired)) != 0;
  shared_.touch(shared_.waits_place, marks);
  if ((request & abi::kKickAlwaysSignaled) != 0) tags_.make_always_signaled(slot);
  if ((request & abi::kKickRetired) != 0) return retire(slot);
  if ((request & abi::kKickNamed) != 0) {
    shared_.touch(shared_.tags_place, true);
    tags_.set(slot, static_cast<std::uint32_t>(request >> abi::kKickTagShift));
    return;
  }
  const Rescan rule = shared_.simulation.ordering.gpu.rescan;
  if (from_cpu && rule == Rescan::kIgnore) return;
  const std::uint64_t scanned =
      look_again_if([slot](const HardwareQueue& queue) { return queue.fence_slot == slot; },
                    from_cpu && rule == Rescan::kLatched);
  shared_.simulation.emit(
      event::ParkedScan{shared_.fences.of(slot), scanned, scanned != 0, shared_.adapter});
}

/// Makes the concerned queues that wait read their fence again. @return their number.
template <typename Concerned>
std::uint64_t FenceUnit::look_again_if(const Concerned& concerned, bool latches) {
  std::uint64_t scanned = 0;
  for (const auto& queues : shared_.queues.by_node())
    for (HardwareQueue* queue : queues)
      if ((scanned == 0 || !abi::mutant(abi::Mutant::kWakesOneQueue)) && concerned(*queue) &&
          look_again(*queue, latches))
        ++scanned;
  return scanned;
}

/// Makes a waiting queue read its fence again; with `latches` also a queue that is about to park.
/// False if the queue does not look again.
bool FenceUnit::look_again(HardwareQueue& queue, bool latches) {
  if (!queue.waiting) return false;
  shared_.touch(shared_.waits_place, true);
  if (queue.parked) {
    queue.retry = true;
    uses_.scheduler.become_ready(queue);
  } else if (latches) {
    queue.latched = true;
  }
  return queue.parked || latches;
}

void FenceUnit::take_peer_doorbell(std::uint64_t payload) {
  using event::PeerScan;
  const PeerScan what = (payload & abi::kPeerNamesFence) != 0    ? PeerScan::kFence
                        : (payload & abi::kPeerNamesQueues) != 0 ? PeerScan::kQueues
                                                                 : PeerScan::kAll;
  const auto named = static_cast<std::uint32_t>(payload);
  shared_.touch(shared_.waits_place, false);
  const std::uint32_t shift = abi::mutant(abi::Mutant::kPeerMaskShifted) ? 1 : 0;
  const Rescan rule = shared_.simulation.ordering.gpu.rescan;
  const auto concerned = [&](const HardwareQueue& queue) {
    return rule != Rescan::kIgnore &&
           (what == PeerScan::kAll || (what == PeerScan::kFence && queue.fence_slot == named) ||
            (what == PeerScan::kQueues &&
             (queue.of_driver() || (named >> (queue.slot + shift) % 32 & 1U) != 0)));
  };
  const std::uint64_t scanned = look_again_if(concerned, rule == Rescan::kLatched);
  shared_.simulation.emit(event::PeerDoorbell{
      shared_.adapter, what, what == PeerScan::kFence ? shared_.fences.of(named) : 0, scanned});
}

}  // namespace fenceline::command_processor
