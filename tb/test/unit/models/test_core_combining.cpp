// What another core may see of write-combined stores, by what the first does after them: every
// order is taken.
#include <catch2/catch.hpp>
#include <systemc>

#include "models/host/caches.h"
#include "models/host/core.h"
#include "models/memory/system_memory.h"
#include "tb/test/support/all_orders.h"

namespace fenceline::models_tests::test_core_combining {

using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::host::Caches;
using fenceline::host::CombiningOrder;
using fenceline::host::Core;
using fenceline::host::HostConfig;
using fenceline::memory::SystemMemory;
using fenceline::memory::SystemMemoryConfig;
using fenceline::support::AllOrders;
using Outcomes = AllOrders::Outcomes;

namespace {

constexpr std::uint64_t kX = 0x000, kY = 0x040;

HostConfig config_of(CombiningOrder order) {
  HostConfig config;
  config.write_combining.buffers = 2;
  config.write_combining.order = order;
  return config;
}

enum class How : std::uint8_t { kCached, kUncached, kCombined };

/// Two cores over one memory.
struct Machine {
  explicit Machine(CombiningOrder order)
      : simulation(Ordering()),
        orders(simulation),
        memory("memory", simulation, SystemMemoryConfig()),
        caches("caches", simulation, config_of(order), false) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::string name = "core" + std::to_string(i);
      cores.push_back(std::make_unique<Core>(name.c_str(), simulation, i, name, config_of(order)));
      cores.back()->memory.bind(caches.in);
    }
    caches.memory.bind(memory.socket);
  }

  void store(Core& core, std::uint64_t address, std::uint64_t value, How how) {
    auto transaction =
        simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
    transaction->attributes.posted = how == How::kUncached;
    transaction->attributes.write_combined = how == How::kCombined;
    core.access(transaction, Operation::kWrite);
  }
  std::uint64_t load(Core& core, std::uint64_t address, bool combined = false) {
    std::uint64_t value = 0;
    auto transaction =
        simulation.transactions.lend(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    transaction->attributes.write_combined = combined;
    core.access(transaction, Operation::kRead);
    return value;
  }
  void program(std::size_t core, const std::function<void(Core&)>& body) {
    orders.program("thread" + std::to_string(core), [this, core, body] {
      cores[core]->enter(0, Operation::kIdle, 0);
      body(*cores[core]);
      cores[core]->wait_for_combined(fenceline::event::CombiningDrain::kThread);
      cores[core]->leave();
    });
  }
  /// X through a write-combined mapping, `between`, then Y; seen in the opposite order.
  Outcomes message(const std::function<void(Core&)>& between, How y) {
    program(0, [this, between, y](Core& core) {
      store(core, kX, 1, How::kCombined);
      between(core);
      store(core, kY, 1, y);
    });
    program(1, [this](Core& core) {
      if (load(core, kY) == 1) orders.note("x", load(core, kX));
    });
    return orders.run([this] {
      const std::uint64_t zero = 0;
      for (const std::uint64_t address : {kX, kY}) memory.memory().bytes().write(address, &zero, 8);
    });
  }

  Simulation simulation;
  AllOrders orders;
  SystemMemory memory;
  Caches caches;
  std::vector<std::unique_ptr<Core>> cores;
};

const Outcomes kBehind{"", "x=1"};
const Outcomes kAnyhow{"", "x=0", "x=1"};
const auto kNothing = [](Core&) {};

}  // namespace

TEST_CASE("a write-combined store is in no order with a cached one behind it", "[host]") {
  Machine machine(CombiningOrder::kSerializing);
  CHECK(machine.message(kNothing, How::kCached) == kAnyhow);
}

TEST_CASE("two write-combined stores to different lines are in no order", "[host]") {
  Machine machine(CombiningOrder::kSerializing);
  CHECK(machine.message(kNothing, How::kCombined) == kAnyhow);
}

TEST_CASE("a store fence keeps what follows behind a write-combined store", "[host]") {
  Machine machine(CombiningOrder::kBarriers);
  CHECK(machine.message([](Core& core) { core.store_fence(); }, How::kCombined) == kBehind);
}

TEST_CASE("a full barrier keeps what follows behind a write-combined store", "[host]") {
  Machine machine(CombiningOrder::kBarriers);
  CHECK(machine.message([](Core& core) { core.drain_stores(); }, How::kCached) == kBehind);
}

TEST_CASE("an atomic operation sends write-combined stores on a serializing host", "[host]") {
  Machine machine(CombiningOrder::kSerializing);
  CHECK(machine.message([](Core& core) { core.before_atomic(); }, How::kCached) == kBehind);
}

TEST_CASE("an atomic operation sends nothing where barriers alone do", "[host]") {
  Machine machine(CombiningOrder::kBarriers);
  CHECK(machine.message([](Core& core) { core.before_atomic(); }, How::kCached) == kAnyhow);
}

TEST_CASE("an uncached store sends write-combined ones on a serializing host", "[host]") {
  Machine machine(CombiningOrder::kSerializing);
  CHECK(machine.message(kNothing, How::kUncached) == kBehind);
}

TEST_CASE("an uncached store passes write-combined ones where barriers alone send", "[host]") {
  Machine machine(CombiningOrder::kBarriers);
  CHECK(machine.message(kNothing, How::kUncached) == kAnyhow);
}

TEST_CASE("a core finds its own write-combined stores", "[host]") {
  Machine machine(CombiningOrder::kBarriers);
  machine.program(0, [&](Core& core) {
    machine.store(core, kX, 7, How::kCombined);
    machine.orders.note("x", machine.load(core, kX, true));
  });
  CHECK(machine.orders.run([] {}) == Outcomes{"x=7"});
}

}  // namespace fenceline::models_tests::test_core_combining
