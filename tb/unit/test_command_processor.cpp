// The command processor with a memory and an engine that only take notes.
#include <catch2/catch.hpp>
#include <cstring>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/command_processor/command_processor.h"

namespace {

namespace abi = fenceline::abi;
namespace common = fenceline::common;
using fenceline::command_processor::CommandProcessor;

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

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    unsigned char* place = bytes.data() + payload.get_address();
    if (payload.is_write())
      std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    else
      std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Notes the values of the writes that it is to execute, and what else it is given.
struct Engine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Engine> SC_NAMED(socket);
  std::vector<std::uint64_t> values;
  std::vector<abi::Opcode> others;
  abi::FaultedPacket faulted{};

  explicit Engine(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Engine::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    common::EngineCommand command;
    std::memcpy(&command, payload.get_data_ptr(), sizeof command);
    abi::WritePacket packet{};
    std::memcpy(&packet, command.packet.data(), sizeof packet);
    if (packet.header.opcode == abi::Opcode::kWrite)
      values.push_back(packet.value);
    else
      others.push_back(packet.header.opcode);
    if (packet.header.opcode == abi::Opcode::kFaulted)
      std::memcpy(&faulted, command.packet.data(), sizeof faulted);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
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

struct Bench {
  common::Simulation simulation{common::Ordering{}};
  common::GpuClock clock{simulation.steps, {}};
  common::FenceNames fences{abi::kFenceSlots};
  common::Watches watches;
  CommandProcessor processor{"processor", simulation, {"engine0"},         {},
                             clock,       fences,     {&watches, &watches}};
  Initiator registers{"registers"}, doorbells{"doorbells"}, rescans{"rescans"};
  Memory memory{"memory"};
  Engine engine{"engine"};
  Stream ring{memory, kRing}, outer{memory, kOuter}, inner{memory, kInner};

  Bench() {
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
  /// Writes to the entry of queue slot 0.
  void set(abi::QueueField field, std::uint64_t value) {
    store(registers, std::uint64_t{abi::kQueueTable} + field, value);
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
  /// The fence gets a value; parked queues look again.
  void signal(std::uint64_t value) {
    std::memcpy(memory.bytes.data() + kFence, &value, sizeof value);
    store(rescans, kFenceSlot, 0);
    sc_core::sc_start();
  }
  const fenceline::command_processor::HardwareQueue& queue() const {
    return *processor.queues()[0];
  }
};

using Values = std::vector<std::uint64_t>;
using Opcodes = std::vector<abi::Opcode>;

constexpr abi::FlipPacket kFlip{{abi::Opcode::kFlip, 0, sizeof(abi::FlipPacket)}, 0};
constexpr abi::BindPacket kBind{{abi::Opcode::kBind, 0, sizeof(abi::BindPacket)}, 0, 0, 4096, 64};
constexpr std::uint64_t kDriversRing = abi::kQueueEnabled | abi::kQueuePhysical;

}  // namespace

TEST_CASE("a wait in an indirect buffer holds back what is behind it in buffer and ring",
          "[command_processor]") {
  Bench bench;
  bench.outer.write(1).wait(7).write(2).wait(8).write(3);
  bench.ring.call(kOuter, bench.outer).write(4);
  bench.run();
  CHECK(bench.engine.values == Values{1});
  CHECK(bench.processor.parked().size() == 1);
  CHECK(bench.queue().ring.position == 0);
  bench.signal(7);
  CHECK(bench.engine.values == Values{1, 2});
  CHECK(bench.processor.parked().size() == 1);
  bench.signal(8);
  CHECK(bench.engine.values == Values{1, 2, 3, 4});
  CHECK(bench.processor.parked().empty());
  CHECK(bench.queue().ring.position == bench.ring.bytes());
  CHECK(bench.processor.faults() == 0);
}

TEST_CASE("a wait in a buffer that a buffer calls goes on where it stopped",
          "[command_processor]") {
  Bench bench;
  bench.inner.wait(1).write(2).wait(2).write(3);
  bench.outer.write(1).call(kInner, bench.inner).write(4);
  bench.ring.call(kOuter, bench.outer).call(kInner, bench.inner).write(5);
  bench.run();
  CHECK(bench.engine.values == Values{1});
  bench.signal(1);
  CHECK(bench.engine.values == Values{1, 2});
  bench.signal(2);
  CHECK(bench.engine.values == Values{1, 2, 3, 4, 2, 3, 5});
  CHECK(bench.queue().left.empty());
  CHECK(bench.processor.faults() == 0);
}

TEST_CASE("a rescan that comes too early leaves a queue inside its buffer", "[command_processor]") {
  Bench bench;
  bench.outer.wait(7).write(1);
  bench.ring.call(kOuter, bench.outer).write(2);
  bench.run();
  bench.signal(6);
  CHECK(bench.engine.values.empty());
  CHECK(bench.processor.parked().size() == 1);
  bench.signal(7);
  CHECK(bench.engine.values == Values{1, 2});
}

namespace {

/// One of the driver's packets in the middle of a buffer.
template <typename Packet>
void check_given_up(const Packet& packet) {
  Bench bench;
  bench.outer.write(1).add(packet).write(2);
  bench.inner.write(3);
  bench.ring.run(kOuter, bench.outer).run(kInner, bench.inner);
  bench.run(kDriversRing);
  // The rest of it is dropped, what stands behind it is done.
  CHECK(bench.engine.values == Values{1, 3});
  CHECK(bench.engine.others == Opcodes{abi::Opcode::kFaulted, abi::Opcode::kRunBuffer});
  CHECK(bench.engine.faulted.submission_id == 1);
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kPrivileged));
  CHECK(bench.processor.faults() == 1);
}

}  // namespace

TEST_CASE("a buffer of user mode is given up over a FLIP", "[command_processor]") {
  check_given_up(kFlip);
}

TEST_CASE("a buffer of user mode is given up over a BIND", "[command_processor]") {
  check_given_up(kBind);
}

TEST_CASE("a queue of user mode passes over packets of the drivers", "[command_processor]") {
  Bench bench;
  bench.ring.write(1).add(kFlip).add(kBind).write(2);
  bench.run();
  CHECK(bench.engine.values == Values{1, 2});
  CHECK(bench.processor.faults() == 2);
}

TEST_CASE("a buffer that the driver wrote may flip where there is a display",
          "[command_processor]") {
  Bench bench;
  bench.outer.add(kFlip);
  bench.ring.run(kOuter, bench.outer, abi::kDriverBuffer);
  bench.run(kDriversRing);
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kIllegal));
}

TEST_CASE("a buffer is given up over a packet that makes no sense", "[command_processor]") {
  Bench bench;
  bench.inner.write(1).add(abi::PacketHeader{abi::Opcode::kBarrier, 0, 4}).write(2);
  bench.outer.call(kInner, bench.inner).write(3);
  bench.ring.run(kOuter, bench.outer);
  bench.run(kDriversRing);
  CHECK(bench.engine.values == Values{1});
  CHECK(bench.engine.others == Opcodes{abi::Opcode::kFaulted});
  CHECK(bench.engine.faulted.code == static_cast<std::uint32_t>(abi::FaultCode::kIllegal));
}
