// Where a device's reads of host memory are answered: the cache beside it, memory, the other
// socket.
#include <catch2/catch.hpp>
#include <functional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/host/sockets.h"
#include "models/memory/system_memory.h"

namespace fenceline::models_tests::test_sockets {

using fenceline::common::kNanosecond;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::common::Time;
using fenceline::host::Sockets;
using fenceline::host::SocketsConfig;
using fenceline::memory::SystemMemory;
using fenceline::memory::SystemMemoryConfig;

namespace {

constexpr Time kMemory = 50 * kNanosecond, kHop = 60 * kNanosecond, kPartial = 7 * kNanosecond;
constexpr std::uint64_t kMemoryBytes = 1 << 20, kFar = kMemoryBytes / 2;
constexpr std::uint64_t kLines = 16;  ///< of a cache

SocketsConfig sockets_config() {
  SocketsConfig config;
  config.memory_bytes = kMemoryBytes;
  config.cache_bytes = kLines * 64;
  config.hop = kHop;
  config.partial_read = kPartial;
  return config;
}

SystemMemoryConfig memory_config() {
  SystemMemoryConfig config;
  config.size_bytes = kMemoryBytes;
  config.bandwidth_mbps = 100'000'000;  // so fast that it does not count
  config.latency = kMemory;
  return config;
}

enum Who : std::uint32_t { kDevice, kNearCore, kFarCore };

struct Machine : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Machine> SC_NAMED(bus);
  Simulation simulation{Ordering()};
  SystemMemory memory;
  Sockets sockets;

  explicit Machine(const sc_core::sc_module_name& name)
      : sc_module(name),
        memory("memory", simulation, memory_config()),
        sockets("sockets", sockets_config()) {
    bus.bind(sockets.in);
    sockets.memory.bind(memory.socket);
  }

  void run(const std::function<void()>& program) {
    simulation.steps.add_agent("program", program);
    sc_core::sc_start();
  }
  /// Nanoseconds of an access, less what the memory's bandwidth makes of it.
  Time access(Who who, tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t word = 0;
    auto access = simulation.transactions.lend(command, address, &word, sizeof word);
    access->attributes.core = who;
    access->attributes.traffic_bytes = bytes;
    const Time before = simulation.steps.now();
    fenceline::common::send(simulation.steps, bus, access);
    return (simulation.steps.now() - before) / kNanosecond * kNanosecond;
  }
  Time read(std::uint64_t address, std::uint64_t bytes = 64) {
    return access(kDevice, tlm::TLM_READ_COMMAND, address, bytes);
  }
  void write(Who who, std::uint64_t address, std::uint64_t bytes = 64) {
    access(who, tlm::TLM_WRITE_COMMAND, address, bytes);
  }
};

}  // namespace

TEST_CASE("a device finds what a core next to it has written in the cache", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    CHECK(machine.read(0) == kMemory);
    machine.write(kNearCore, 0);
    CHECK(machine.read(0) == 0);
    CHECK(machine.read(0, 128) == kMemory);  // the second line is in no cache
  });
  CHECK(machine.sockets.hits() == 1);
  CHECK(machine.sockets.misses() == 2);
}

TEST_CASE("a device read brings no line into a cache and a device write does", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    machine.read(0);
    CHECK(machine.read(0) == kMemory);
    machine.write(kDevice, 0);
    CHECK(machine.read(0) == 0);
  });
}

TEST_CASE("memory of the other socket is a hop further", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    CHECK(machine.read(kFar) == kMemory + kHop);
    machine.write(kNearCore, kFar);
    CHECK(machine.read(kFar) == 0);
  });
}

TEST_CASE("a line in the cache of the other socket is fetched from there", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    machine.write(kNearCore, 0);
    machine.write(kFarCore, 0);
    CHECK(machine.read(0) == kMemory + kHop);
    machine.write(kFarCore, kFar);
    CHECK(machine.read(kFar) == kMemory + kHop);
    machine.write(kDevice, kFar);
    CHECK(machine.read(kFar) == 0);
  });
}

TEST_CASE("a cache holds what fits and the oldest line goes first", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    machine.write(kNearCore, 0, kLines * 64);
    CHECK(machine.read(0) == 0);
    machine.write(kNearCore, kLines * 64);
    CHECK(machine.read(0) == kMemory);
    CHECK(machine.read(64, kLines * 64) == 0);
  });
}

TEST_CASE("less than a line costs more where the line is near", "[sockets]") {
  Machine machine("machine");
  machine.run([&] {
    CHECK(machine.read(0, 8) == kMemory);
    machine.write(kNearCore, 0);
    CHECK(machine.read(0, 8) == kPartial);
  });
}

}  // namespace fenceline::models_tests::test_sockets
