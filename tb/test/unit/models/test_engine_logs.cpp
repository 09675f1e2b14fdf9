// How an engine executes LOG packets: what it refuses, and where the writes go.
#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/abi/fence_log.h"
#include "models/engine/engine.h"

namespace fenceline::test_engine_logs {

namespace {

constexpr std::uint64_t kLog = 0x7000;
constexpr std::uint32_t kSpace = 3;  ///< of the queue

/// Notes what arrives, and answers at once.
struct Sink : sc_core::sc_module {
  struct Write {
    std::uint64_t address;
    std::uint32_t space;
  };
  tlm_utils::simple_target_socket<Sink> SC_NAMED(socket);
  std::vector<Write> writes;
  std::vector<common::SignalNotice> notices;
  bool mapped = true;
  int barriers = 0;

  explicit Sink(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Sink::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    barriers += common::attributes_of(payload).barrier != common::Barrier::kNone ? 1 : 0;
    payload.set_response_status(mapped ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.get_data_length() == sizeof(common::SignalNotice)) {
      notices.emplace_back();
      std::memcpy(&notices.back(), payload.get_data_ptr(), sizeof(common::SignalNotice));
    } else if (payload.is_write()) {
      writes.push_back({payload.get_address(), common::attributes_of(payload).address_space});
    }
  }
};

/// Keeps the position of a log for the engine.
struct LogKeeper : sc_core::sc_module {
  tlm_utils::simple_target_socket<LogKeeper> SC_NAMED(socket);
  common::LogCursor log;

  explicit LogKeeper(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &LogKeeper::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    if (payload.is_write())
      std::memcpy(&log, payload.get_data_ptr(), sizeof log);
    else
      std::memcpy(payload.get_data_ptr(), &log, sizeof log);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> SC_NAMED(socket);
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
};

common::Ordering ordering_of(common::LogWriter writer) {
  common::Ordering result;
  result.cmp.log_writer = writer;
  return result;
}

struct Bench {
  common::Simulation simulation;
  common::GpuClock clock{simulation.steps, {}};
  common::FenceNames fences{abi::kFenceSlots};
  std::uint64_t signals = 0;
  engine::Engine engine;
  Initiator packets{"packets"}, registers{"registers"};
  Sink memory{"memory"}, notices{"notices"}, log_writes{"log_writes"}, rescans{"rescans"};
  LogKeeper logs{"logs"};
  common::LogCursor& log = logs.log;
  common::EngineCommand command;

  explicit Bench(common::LogWriter writer = common::LogWriter::kEngine)
      : simulation(ordering_of(writer)),
        engine("engine", simulation, engine::EngineConfig{}, 0, {clock, fences, signals}) {
    packets.socket.bind(engine.packets);
    registers.socket.bind(engine.registers);
    engine.logs.bind(logs.socket);
    engine.memory.bind(memory.socket);
    engine.notices.bind(notices.socket);
    engine.log_writes.bind(log_writes.socket);
    engine.rescans.bind(rescans.socket);
    log.address = kLog;
    log.space = kSpace;
    log.entries = 84;
  }

  /// The engine executes one LOG packet. @param index what stands in the field that has to be 0
  tlm::tlm_response_status execute(std::uint32_t index = 0) {
    abi::LogPacket packet{};
    packet.header = {abi::Opcode::kLog, 0, sizeof packet};
    packet.reserved0 = index;
    return execute_packet(packet);
  }
  /// The engine executes a signal with its LOG packet.
  tlm::tlm_response_status signal() {
    command.log_packet.header = {abi::Opcode::kLog, 0, sizeof command.log_packet};
    const abi::FencePacket packet{
        {abi::Opcode::kSignal, abi::kLogFollows, sizeof packet}, 0, 0, 0x8000, 1};
    return execute_packet(packet);
  }
  template <typename Packet>
  tlm::tlm_response_status execute_packet(const Packet& packet) {
    std::memcpy(command.packet.data(), &packet, sizeof packet);
    command.address_space = kSpace;
    command.queue_slot = 5;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    simulation.steps.add_agent("queue", [&] {
      auto sent = simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, 0, &command, sizeof command);
      status = common::send(simulation.steps, packets.socket, sent);
    });
    sc_core::sc_start();
    return status;
  }
};

}  // namespace

TEST_CASE("a LOG packet with an index is refused and writes nothing", "[engine][log]") {
  Bench bench;
  CHECK(bench.execute(1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.command.fault == abi::FaultCode::kIllegal);
  CHECK(bench.memory.writes.empty());
  CHECK(bench.log.index == 0);
}

TEST_CASE("an entry leaves by the port of the engine with the address of the queue",
          "[engine][log]") {
  Bench bench;
  CHECK(bench.execute() == tlm::TLM_OK_RESPONSE);
  CHECK(bench.log.index == 1);
  CHECK(bench.log_writes.writes.empty());
  REQUIRE(bench.memory.writes.size() >= 2);
  CHECK(bench.memory.writes.front().address == kLog + sizeof(abi::FenceLogHeader));
  CHECK(bench.memory.writes.back().address == kLog);  // the index comes last
  for (const Sink::Write& write : bench.memory.writes) CHECK(write.space == kSpace);
}

TEST_CASE("an entry leaves by the port of the CMP with the address of the CMP", "[engine][log]") {
  Bench bench(common::LogWriter::kCmp);
  bench.log.space = abi::kSystemVmid;
  CHECK(bench.execute() == tlm::TLM_OK_RESPONSE);
  CHECK(bench.memory.writes.empty());
  REQUIRE(bench.log_writes.writes.size() >= 2);
  for (const Sink::Write& write : bench.log_writes.writes) CHECK(write.space == abi::kSystemVmid);
  CHECK(bench.notices.notices.empty());
}

TEST_CASE("a signal waits for its log where the CMP writes that", "[engine][log]") {
  Bench bench(common::LogWriter::kCmp);
  CHECK(bench.signal() == tlm::TLM_OK_RESPONSE);
  CHECK(bench.memory.barriers == 1);
  CHECK(bench.log_writes.barriers == 1);
  CHECK_FALSE(bench.log_writes.writes.empty());
}

TEST_CASE("a signal waits for its own port alone where the engine writes the log",
          "[engine][log]") {
  Bench bench;
  CHECK(bench.signal() == tlm::TLM_OK_RESPONSE);
  CHECK(bench.memory.barriers == 1);
  CHECK(bench.log_writes.barriers == 0);
}

TEST_CASE("the CMP is told of a log that the system process does not map", "[engine][log]") {
  Bench bench(common::LogWriter::kCmp);
  bench.log.space = abi::kSystemVmid;
  bench.log_writes.mapped = false;
  CHECK(bench.execute() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(bench.notices.notices.size() == 1);
  const common::SignalNotice& notice = bench.notices.notices.front();
  CHECK(notice.kind == common::SignalNotice::Kind::kLogUnmapped);
  CHECK(notice.value == kLog);
  CHECK(notice.queue_slot == 5);
}

}  // namespace fenceline::test_engine_logs
