#include "tb/run/machine/queue_head.h"

#include <cstring>

#include "models/top/gpu.h"

namespace fenceline::run {

using command_processor::CommandProcessor;
using command_processor::HardwareQueue;
using State = QueueHead::State;

namespace {

const HardwareQueue* find_queue(const CommandProcessor& processor, std::uint32_t object) {
  for (const auto& queue : processor.queues())
    if (queue && queue->object == object) return queue.get();
  return nullptr;
}

/// Bytes of the ring at its head, as memory has them: what was fetched may be old.
abi::FencePacket read_packet(ScenarioMachine& machine, std::size_t gpu, const os::Backing& ring,
                             std::uint64_t position) {
  const memory::SparseMemory& memory = ring.vram
                                           ? machine.platform().gpu(gpu).vram().memory().bytes()
                                           : machine.platform().system_memory().memory().bytes();
  const std::uint64_t offset = position & (ring.bytes - 1);
  abi::FencePacket packet{};
  memory.read(ring.address + offset, &packet.header, sizeof packet.header);
  const bool fence =
      packet.header.opcode == abi::Opcode::kSignal || packet.header.opcode == abi::Opcode::kWait;
  if (fence && offset + sizeof packet <= ring.bytes)
    memory.read(ring.address + offset, &packet, sizeof packet);
  return packet;
}

State state_of(const HardwareQueue& queue, const abi::PacketHeader& header) {
  if (queue.parked) return queue.retry ? State::kRetries : State::kParked;
  if (queue.waiting) return State::kLooks;
  if (queue.state != event::QueueStateKind::kRunning) return State::kNotFetched;
  // While a fetch is under way its bytes are not there yet.
  const bool fetched =
      queue.ring.has(sizeof header) && std::memcmp(queue.ring.data(), &header, sizeof header) == 0;
  return fetched ? State::kRuns : State::kFetching;
}

const os::NativeFence* find_fence(ScenarioMachine& machine, std::uint32_t object) {
  for (const auto& fence : machine.kernel().system.fences)
    if (object != 0 && fence->object == object) return fence.get();
  return nullptr;
}

void look(ScenarioMachine& machine, std::size_t gpu, const user::QueueWriter& writer,
          const HardwareQueue& queue, bool lost, QueueHead& head) {
  const CommandProcessor& processor = machine.platform().gpu(gpu).command_processor();
  if (queue.ring.position >= queue.ring.end) {
    const bool announced = !lost && writer.announced() > queue.ring.end;
    head.state = announced ? State::kAnnounced : State::kEmpty;
    return;
  }
  const abi::FencePacket packet = read_packet(machine, gpu, writer.ring(), queue.ring.position);
  head.opcode = packet.header.opcode;
  head.state = state_of(queue, packet.header);
  head.waits = queue.waiting;
  head.fence_slot = packet.fence_slot;
  head.value = packet.value;
  if (head.opcode == abi::Opcode::kSignal || head.opcode == abi::Opcode::kWait)
    head.fence = find_fence(machine, processor.fence_of(packet.fence_slot));
}

const char* state_text(State state) {
  switch (state) {
    case State::kEmpty:
      return "empty";
    case State::kAnnounced:
      return "empty, and a doorbell is on its way";
    case State::kNotFetched:
      return " is at its head, not yet fetched";
    case State::kFetching:
      return " is at its head, being fetched";
    case State::kRuns:
      return " is at its head and runs";
    case State::kHangs:
      return " is at its head, and its engine has hung";
    case State::kLooks:
      return " is at its head and waits, not yet parked";
    case State::kParked:
      return " is at its head and waits, parked";
    case State::kRetries:
      return " is at its head and waits, told to look again";
  }
  return "";
}

}  // namespace

std::vector<QueueHead> queue_heads(ScenarioMachine& machine) {
  std::vector<QueueHead> heads;
  for (const auto& [process_name, process] : machine.objects.processes())
    for (const auto& [name, writer] : process.queues) {
      if (writer->handle() == 0) continue;  // the run ended before it was created
      const os::HwQueue& created = process.process->queue(writer->handle());
      const std::size_t number = process.process->adapter;
      const top::Gpu& gpu = machine.platform().gpu(number);
      const HardwareQueue* queue = find_queue(gpu.command_processor(), created.object);
      if (queue == nullptr) continue;
      QueueHead& head = heads.emplace_back();
      head.name = created.name;
      head.engine = gpu.config().name + "." + gpu.config().engines[queue->engine].name;
      const bool lost = created.user_doorbell != nullptr && created.user_doorbell->aborted;
      look(machine, number, *writer, *queue, lost, head);
      const bool hung = gpu.engine(queue->engine).hung();
      if (hung && head.state == State::kRuns) head.state = State::kHangs;
      head.given_up = process.process->in_error && (hung || queue->removed);
    }
  return heads;
}

std::string text_of(const QueueHead& head) {
  if (head.state == State::kEmpty || head.state == State::kAnnounced) return state_text(head.state);
  std::string packet = abi::opcode_name(head.opcode);
  const bool signal = head.opcode == abi::Opcode::kSignal;
  if (signal || head.opcode == abi::Opcode::kWait)
    packet += " " +
              (head.fence != nullptr ? head.fence->name
                                     : "fence slot " + std::to_string(head.fence_slot)) +
              (signal ? " = " : " >= ") + std::to_string(head.value);
  return packet + state_text(head.state);
}

}  // namespace fenceline::run
