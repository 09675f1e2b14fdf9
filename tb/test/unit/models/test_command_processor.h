#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/command_processor/command_processor.h"

/// The command processor with a memory and an engine that only take notes.
namespace fenceline::test_command_processor {

using command_processor::CommandProcessor;

constexpr std::uint64_t kRing = 0x1000, kRingBytes = 0x1000;
constexpr std::uint64_t kOuter = 0x3000, kInner = 0x4000;  ///< indirect buffers
constexpr std::uint64_t kFence = 0x8000;                   ///< CurrentValue of fence slot 3
constexpr std::uint32_t kFenceSlot = 3;

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> SC_NAMED(socket);
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Answers at once, from its bytes.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> SC_NAMED(socket);
  std::vector<unsigned char> bytes = std::vector<unsigned char>(0x10000);
  bool mapped = true;             ///< false: no address has a translation
  std::uint32_t space = ~0U;      ///< address space of the last access
  std::uint64_t last_read = 0;    ///< address of the last read
  std::function<void()> on_read;  ///< runs after each read

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::transport);
    socket.register_transport_dbg(this, &Memory::translate);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    space = common::attributes_of(payload).address_space;
    if (!mapped) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned char* place = bytes.data() + payload.get_address();
    if (payload.is_write())
      std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    else
      std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!payload.is_read()) return;
    last_read = payload.get_address();
    if (on_read) on_read();
  }
  /// The physical address is the virtual one.
  unsigned translate(tlm::tlm_generic_payload& payload) {
    space = common::attributes_of(payload).address_space;
    return 1;
  }
};

/// Notes the values of the writes that it is to execute, and what else it is given.
struct Engine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Engine> SC_NAMED(socket);
  std::vector<std::uint64_t> values;
  std::vector<abi::Opcode> others;
  abi::FaultedPacket faulted{};
  std::function<void(common::EngineCommand&)> on_command;  ///< runs it

  explicit Engine(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Engine::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.get_address() != common::kEngineCommand) return;
    common::EngineCommand command;
    std::memcpy(&command, payload.get_data_ptr(), sizeof command);
    if (on_command) on_command(command);
    std::memcpy(payload.get_data_ptr(), &command, sizeof command);
    abi::WritePacket packet{};
    std::memcpy(&packet, command.packet.data(), sizeof packet);
    if (packet.header.opcode == abi::Opcode::kWrite)
      values.push_back(packet.value);
    else
      others.push_back(packet.header.opcode);
    if (packet.header.opcode == abi::Opcode::kFaulted)
      std::memcpy(&faulted, command.packet.data(), sizeof faulted);
  }
};

/// Packets one after the other from `base` on.
class Stream {
 public:
  Stream(Memory& memory, std::uint64_t base) : memory_(memory), base_(base) {}

  Stream& write(std::uint64_t value) {
    return add(abi::WritePacket{{abi::Opcode::kWrite, 0, sizeof(abi::WritePacket)}, 0, value});
  }
  Stream& wait(std::uint64_t value) {
    return add(abi::FencePacket{
        {abi::Opcode::kWait, 0, sizeof(abi::FencePacket)}, kFenceSlot, 0, kFence, value});
  }
  Stream& call(std::uint64_t address, const Stream& buffer) {
    return add(abi::IndirectPacket{
        {abi::Opcode::kIndirect, 0, sizeof(abi::IndirectPacket)}, address, buffer.bytes()});
  }
  Stream& run(std::uint64_t address, const Stream& buffer, std::uint16_t flags = 0) {
    return add(abi::RunBufferPacket{{abi::Opcode::kRunBuffer, flags, sizeof(abi::RunBufferPacket)},
                                    address,
                                    buffer.bytes(),
                                    1,
                                    0,
                                    ++submission_});
  }
  std::uint64_t bytes() const { return bytes_; }

  template <typename Packet>
  Stream& add(const Packet& packet) {
    std::memcpy(memory_.bytes.data() + base_ + bytes_, &packet, sizeof packet);
    bytes_ += sizeof packet;
    return *this;
  }

 private:
  Memory& memory_;
  std::uint64_t base_;
  std::uint32_t submission_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Of a device that schedules contexts. @param between_packets a queue can leave between packets
inline command_processor::CommandProcessorConfig scheduling(bool between_packets) {
  command_processor::CommandProcessorConfig config;
  config.schedules = true;
  config.stops = {{true, between_packets}};
  return config;
}

struct Bench {
  common::Simulation simulation{common::Ordering{}};
  common::GpuClock clock{simulation.steps, {}};
  common::FenceNames fences{abi::kFenceSlots};
  common::Watches watches;
  CommandProcessor processor;
  Initiator registers{"registers"}, doorbells{"doorbells"}, rescans{"rescans"};
  Memory memory{"memory"};
  Engine engine{"engine"};
  Stream ring{memory, kRing}, outer{memory, kOuter}, inner{memory, kInner};

  explicit Bench(const command_processor::CommandProcessorConfig& config = {})
      : processor("processor", simulation, {"engine0"}, config, clock, fences,
                  {&watches, &watches}) {
    registers.socket.bind(processor.registers);
    doorbells.socket.bind(processor.doorbells);
    rescans.socket.bind(processor.rescans);
    processor.memory.bind(memory.socket);
    processor.engines.bind(engine.socket);
  }

  void store(Initiator& by, std::uint64_t address, std::uint64_t value) {
    auto store = simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, address, &value, 8);
    sc_core::sc_time delay;
    by.socket->b_transport(store->payload, delay);
    REQUIRE(store->payload.is_response_ok());
  }
  std::uint64_t load(Initiator& by, std::uint64_t address) {
    std::uint64_t value = 0;
    auto load = simulation.transactions.lend(tlm::TLM_READ_COMMAND, address, &value, 8);
    sc_core::sc_time delay;
    by.socket->b_transport(load->payload, delay);
    REQUIRE(load->payload.is_response_ok());
    return value;
  }
  std::ptrdiff_t parked_queues() const {
    const auto& queues = processor.queues();
    return std::count_if(queues.begin(), queues.end(),
                         [](const auto& queue) { return queue && queue->parked; });
  }
  /// Writes to the entry of a queue slot.
  void set(abi::QueueField field, std::uint64_t value, std::uint64_t slot = 0) {
    store(registers, abi::kQueueTable + abi::kQueueEntryBytes * slot + field, value);
  }
  /// Runs what is in the ring, until the queue is empty or parked.
  void run(std::uint64_t control = abi::kQueueEnabled) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets are bound from here on
    set(abi::kQueueRingBase, kRing);
    set(abi::kQueueRingBytes, kRingBytes);
    set(abi::kQueueControl, control);
    store(doorbells, 0, ring.bytes());
    sc_core::sc_start();
  }
  static void settle() {
    if (sc_core::sc_pending_activity()) sc_core::sc_start();
  }
  /// The fence gets a value; parked queues look again.
  void signal(std::uint64_t value) {
    write_fence(value);
    sc_core::sc_start();
  }
  /// The same, and time stands still.
  void write_fence(std::uint64_t value) {
    std::memcpy(memory.bytes.data() + kFence, &value, sizeof value);
    store(rescans, kFenceSlot, 0);
  }
  const command_processor::HardwareQueue& queue() const { return *processor.queues()[0]; }
};

}  // namespace fenceline::test_command_processor
