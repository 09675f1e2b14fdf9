// Lines with bytes of their own, where devices do not snoop: every order is taken.
#include <catch2/catch.hpp>
#include <systemc>

#include "models/host/caches.h"
#include "models/host/core.h"
#include "models/memory/system_memory.h"
#include "tb/test/support/all_orders.h"

namespace fenceline::models_tests::test_caches {

using fenceline::common::CacheMaintenance;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::host::Caches;
using fenceline::host::Core;
using fenceline::host::HostConfig;
using fenceline::memory::SystemMemory;
using fenceline::memory::SystemMemoryConfig;
using fenceline::support::AllOrders;
using Outcomes = AllOrders::Outcomes;

namespace {

constexpr std::uint64_t kX = 0x000, kBeside = 0x008, kSamePlace = 0x400;

HostConfig config_of(bool coherent, bool speculative) {
  HostConfig config;
  config.io_coherent = coherent;
  config.speculative_reads = speculative;
  config.cache_lines = 16;
  return config;
}

struct Device : sc_core::sc_module {
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<Device> SC_NAMED(memory);
};

/// A core with its caches, and a device.
struct Machine {
  explicit Machine(bool coherent, bool speculative = false)
      : simulation(Ordering()),
        orders(simulation),
        memory("memory", simulation, SystemMemoryConfig()),
        caches("caches", simulation, config_of(coherent, speculative), true),
        core("core", simulation, 0, "core0", config_of(coherent, speculative)) {
    core.memory.bind(caches.in);
    device.memory.bind(caches.in);
    caches.memory.bind(memory.socket);
  }

  /// What the core does in a round; in the end it has nothing in its caches.
  void cpu(const std::function<void()>& body) {
    orders.program("thread", [this, body] {
      core.enter(0, Operation::kIdle, 0);
      body();
      maintain(kX, CacheMaintenance::kForget);
      maintain(kSamePlace, CacheMaintenance::kForget);
      core.leave();
    });
  }
  void store(std::uint64_t address, std::uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, value);
  }
  std::uint64_t load(std::uint64_t address) {
    std::uint64_t value = 0;
    access(tlm::TLM_READ_COMMAND, address, value);
    return value;
  }
  void maintain(std::uint64_t address, CacheMaintenance what) {
    auto transaction = simulation.transactions.lend(tlm::TLM_IGNORE_COMMAND, address, nullptr, 64);
    transaction->attributes.maintenance = what;
    core.access(transaction, Operation::kWrite);
  }
  std::uint64_t in_memory(std::uint64_t address) { return memory.memory().bytes().word(address); }
  std::uint64_t by_device(tlm::tlm_command command, std::uint64_t value = 0) {
    auto transaction = simulation.transactions.lend(command, kX, &value, sizeof value);
    sc_core::sc_time delay;
    device.memory->b_transport(transaction->payload, delay);
    return value;
  }
  void dropped_before_the_device_writes() {
    cpu([this] {
      load(kX);
      maintain(kX, CacheMaintenance::kInvalidate);
      simulation.steps.step(Operation::kIssue, {});
      by_device(tlm::TLM_WRITE_COMMAND, 7);
      simulation.steps.step(Operation::kIssue, {});
      orders.note("x", load(kX));
    });
  }
  Outcomes outcomes() {
    return orders.run([this] {
      const std::uint64_t zero = 0;
      for (const std::uint64_t address : {kX, kBeside, kSamePlace})
        memory.memory().bytes().write(address, &zero, 8);
    });
  }

  Simulation simulation;
  AllOrders orders;
  SystemMemory memory;
  Caches caches;
  Core core;
  Device device{"device"};

 private:
  void access(tlm::tlm_command command, std::uint64_t address, std::uint64_t& value) {
    auto transaction = simulation.transactions.lend(command, address, &value, sizeof value);
    transaction->attributes.write_back = true;
    core.access(transaction,
                command == tlm::TLM_WRITE_COMMAND ? Operation::kWrite : Operation::kRead);
  }
};

}  // namespace

TEST_CASE("a store stays in its line until it is written back", "[host][caches]") {
  Machine machine(false);
  machine.cpu([&] {
    machine.store(kX, 1);
    machine.orders.note("a", machine.by_device(tlm::TLM_READ_COMMAND));
    machine.orders.note("b", machine.caches.unwritten(kX).value_or(0));
    machine.maintain(kX, CacheMaintenance::kClean);
    machine.orders.note("c", machine.by_device(tlm::TLM_READ_COMMAND));
    machine.orders.note("d", machine.caches.unwritten(kX).has_value() ? 1 : 0);
  });
  CHECK(machine.outcomes() == Outcomes{"a=0 b=1 c=1 d=0"});
}

TEST_CASE("a line that has been read stays until it is dropped", "[host][caches]") {
  Machine machine(false);
  machine.cpu([&] {
    machine.load(kX);
    machine.by_device(tlm::TLM_WRITE_COMMAND, 7);
    machine.orders.note("a", machine.load(kX));
    machine.maintain(kX, CacheMaintenance::kClean);
    machine.orders.note("b", machine.load(kX));
    machine.maintain(kX, CacheMaintenance::kInvalidate);
    machine.orders.note("c", machine.load(kX));
  });
  CHECK(machine.outcomes() == Outcomes{"a=0 b=0 c=7"});
}

TEST_CASE("a line goes to memory as a whole when another needs its place", "[host][caches]") {
  Machine machine(false);
  machine.cpu([&] {
    machine.store(kBeside, 1);
    machine.by_device(tlm::TLM_WRITE_COMMAND, 7);
    machine.load(kSamePlace);
    machine.orders.note("beside", machine.in_memory(kBeside));
    machine.orders.note("x", machine.in_memory(kX));
  });
  CHECK(machine.outcomes() == Outcomes{"beside=1 x=0"});
}

TEST_CASE("a device that snoops finds and ends lines", "[host][caches]") {
  Machine machine(true);
  machine.cpu([&] {
    machine.store(kX, 1);
    machine.orders.note("a", machine.by_device(tlm::TLM_READ_COMMAND));
    machine.by_device(tlm::TLM_WRITE_COMMAND, 7);
    machine.orders.note("b", machine.load(kX));
  });
  CHECK(machine.outcomes() == Outcomes{"a=1 b=7"});
}

TEST_CASE("a line that was dropped stays away without speculative reads", "[host][caches]") {
  Machine machine(false);
  machine.dropped_before_the_device_writes();
  CHECK(machine.outcomes() == Outcomes{"x=7"});
}

TEST_CASE("a line that was dropped may come back before the device writes", "[host][caches]") {
  Machine machine(false, true);
  machine.dropped_before_the_device_writes();
  CHECK(machine.outcomes() == Outcomes{"x=0", "x=7"});
}

TEST_CASE("lines of an unmapped page do not come back", "[host][caches]") {
  Machine machine(false, true);
  machine.cpu([&] {
    machine.load(kX);
    machine.maintain(kX, CacheMaintenance::kInvalidate);
    machine.maintain(kX, CacheMaintenance::kForget);
    machine.by_device(tlm::TLM_WRITE_COMMAND, 7);
    machine.simulation.steps.step(Operation::kIssue, {});
    machine.orders.note("x", machine.load(kX));
  });
  CHECK(machine.outcomes() == Outcomes{"x=7"});
}

}  // namespace fenceline::models_tests::test_caches
