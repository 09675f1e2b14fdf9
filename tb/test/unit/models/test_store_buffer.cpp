// What two cores may see of each other's stores, by memory model: every order is taken.
#include <catch2/catch.hpp>
#include <systemc>

#include "models/host/caches.h"
#include "models/host/core.h"
#include "models/memory/system_memory.h"
#include "tb/test/support/all_orders.h"

namespace fenceline::models_tests::test_store_buffer {

using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::host::Caches;
using fenceline::host::Core;
using fenceline::host::HostConfig;
using fenceline::host::MemoryModel;
using fenceline::host::StoreBuffer;
using fenceline::memory::SystemMemory;
using fenceline::memory::SystemMemoryConfig;
using fenceline::support::AllOrders;
using Outcomes = AllOrders::Outcomes;

namespace {

constexpr std::uint64_t kX = 0x000, kY = 0x040;

HostConfig config_of(MemoryModel model) {
  HostConfig config;
  config.memory_model = model;
  return config;
}

/// Two cores over one memory.
struct Machine {
  explicit Machine(MemoryModel model)
      : simulation(Ordering()),
        orders(simulation),
        memory("memory", simulation, SystemMemoryConfig()),
        caches("caches", simulation, config_of(model), false) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::string name = "core" + std::to_string(i);
      cores.push_back(std::make_unique<Core>(name.c_str(), simulation, i, name, config_of(model)));
      cores.back()->memory.bind(caches.in);
    }
    caches.memory.bind(memory.socket);
  }

  void program(std::size_t core, const std::function<void(Core&)>& body) {
    orders.program("thread" + std::to_string(core), [this, core, body] {
      cores[core]->enter(0, Operation::kIdle, 0);
      body(*cores[core]);
      cores[core]->leave();
    });
  }
  void store(Core& core, std::uint64_t address, std::uint64_t value, bool device = false) {
    access(core, tlm::TLM_WRITE_COMMAND, address, value, device);
  }
  std::uint64_t load(Core& core, std::uint64_t address) {
    std::uint64_t value = 0;
    access(core, tlm::TLM_READ_COMMAND, address, value, false);
    return value;
  }
  Outcomes outcomes() {
    return orders.run([this] {
      const std::uint64_t zero = 0;
      for (const std::uint64_t address : {kX, kY}) memory.memory().bytes().write(address, &zero, 8);
    });
  }
  /// Store, then load of what the other one stores: Dekker's pattern.
  void store_then_load(bool barrier) {
    for (const std::size_t i : {0U, 1U})
      program(i, [this, i, barrier](Core& core) {
        store(core, i == 0 ? kX : kY, 1);
        if (barrier) core.drain_stores();
        orders.note(i == 0 ? "y" : "x", load(core, i == 0 ? kY : kX));
      });
  }
  /// X, then Y, seen in the opposite order. @param between what stands between the two loads
  void message(bool barrier, bool device_x, bool device_y,
               const std::function<void(Core&)>& between = &Core::drain_stores) {
    program(0, [this, barrier, device_x, device_y](Core& core) {
      store(core, kX, 1, device_x);
      if (barrier) core.drain_stores();
      store(core, kY, 1, device_y);
    });
    program(1, [this, between](Core& core) {
      const std::uint64_t y = load(core, kY);
      between(core);
      if (y == 1) orders.note("x", load(core, kX));
    });
  }

  Simulation simulation;
  AllOrders orders;
  SystemMemory memory;
  Caches caches;
  std::vector<std::unique_ptr<Core>> cores;

 private:
  void access(Core& core, tlm::tlm_command command, std::uint64_t address, std::uint64_t& value,
              bool device) {
    auto transaction = simulation.transactions.lend(command, address, &value, sizeof value);
    transaction->attributes.posted = device;
    core.access(transaction,
                command == tlm::TLM_WRITE_COMMAND ? Operation::kWrite : Operation::kRead);
  }
};

const auto kNothing = [](Core&) {};
const Outcomes kOneSees{"x=0 y=1", "x=1 y=0", "x=1 y=1"};
const Outcomes kNeitherSees{"x=0 y=0", "x=0 y=1", "x=1 y=0", "x=1 y=1"};
const Outcomes kBehind{"", "x=1"};
const Outcomes kAnyhow{"", "x=0", "x=1"};

}  // namespace

TEST_CASE("a strong host lets no load pass an older store", "[host]") {
  Machine machine(MemoryModel::kStrong);
  machine.store_then_load(false);
  CHECK(machine.outcomes() == kOneSees);
}

TEST_CASE("on a TSO host a load may pass an older store to another address", "[host]") {
  Machine machine(MemoryModel::kTso);
  machine.store_then_load(false);
  CHECK(machine.outcomes() == kNeitherSees);
}

TEST_CASE("on a TSO host a barrier keeps a load behind an older store", "[host]") {
  Machine machine(MemoryModel::kTso);
  machine.store_then_load(true);
  CHECK(machine.outcomes() == kOneSees);
}

TEST_CASE("on a weak host a barrier keeps a load behind an older store", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.store_then_load(true);
  CHECK(machine.outcomes() == kOneSees);
}

TEST_CASE("a TSO host keeps stores in order", "[host]") {
  Machine machine(MemoryModel::kTso);
  machine.message(false, false, false);
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host stores to different addresses may pass each other", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(false, false, false);
  CHECK(machine.outcomes() == kAnyhow);
}

TEST_CASE("on a weak host a barrier keeps stores in order", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(true, false, false);
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host a load may pass an older load", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(true, false, false, kNothing);
  CHECK(machine.outcomes() == kAnyhow);
}

TEST_CASE("a TSO host keeps loads in order", "[host]") {
  Machine machine(MemoryModel::kTso);
  machine.message(true, false, false, kNothing);
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host no load passes a lock", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(true, false, false, [](Core& core) { core.before_atomic(); });
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host no load passes the beginning of its agent", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(true, false, false, [](Core& core) {
    core.leave();
    core.enter(0, Operation::kIdle, 0);
  });
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host no load sees less than the core has stored", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.program(0, [&](Core& core) { machine.store(core, kX, 2); });
  machine.program(1, [&](Core& core) {
    machine.store(core, kX, 1);
    machine.orders.note("zero", machine.load(core, kX) == 0 ? 1 : 0);
    core.drain_stores();
    machine.orders.note("still", machine.load(core, kX) == 0 ? 1 : 0);
  });
  CHECK(machine.outcomes() == Outcomes{"still=0 zero=0"});
}

TEST_CASE("on a TSO host a store to a device stays behind older stores", "[host]") {
  Machine machine(MemoryModel::kTso);
  machine.message(false, false, true);
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("on a weak host a store to a device may pass older stores to memory", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(false, false, true);
  CHECK(machine.outcomes() == kAnyhow);
}

TEST_CASE("a weak host keeps stores to devices in order", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.message(false, true, true);
  CHECK(machine.outcomes() == kBehind);
}

TEST_CASE("a core sees its own stores at once", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.program(0, [&](Core& core) {
    machine.store(core, kX, 1);
    machine.store(core, kX, 2);
    machine.orders.note("x", machine.load(core, kX));
  });
  CHECK(machine.outcomes() == Outcomes{"x=2"});
}

TEST_CASE("a weak host keeps the order of stores to one address", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.program(0, [&](Core& core) {
    machine.store(core, kX, 1);
    machine.store(core, kX, 2);
    core.drain_stores();
    machine.orders.note("last", machine.load(core, kX));
  });
  machine.program(1, [&](Core& core) {
    const std::uint64_t first = machine.load(core, kX);
    machine.orders.note("fell", machine.load(core, kX) < first ? 1 : 0);
  });
  CHECK(machine.outcomes() == Outcomes{"fell=0 last=2"});
}

TEST_CASE("the release of a lock stays behind the stores before it", "[host]") {
  Machine machine(MemoryModel::kWeak);
  machine.program(0, [&](Core& core) {
    machine.store(core, kX, 1);
    core.after_stores(1, [&] { machine.orders.set("released"); });
    machine.orders.note("waited", machine.orders.is_set("released") ? 1 : 0);
  });
  machine.program(1, [&](Core& core) {
    machine.orders.wait_for("released");
    core.before_atomic();
    machine.orders.note("x", machine.load(core, kX));
  });
  CHECK(machine.outcomes() == Outcomes{"waited=0 x=1"});
}

TEST_CASE("a full store buffer holds up the core and loses nothing", "[host]") {
  Machine machine(MemoryModel::kTso);
  constexpr std::uint64_t kStores = 3 * StoreBuffer::kPlaces;
  bool pending = false;
  machine.simulation.steps.add_agent("thread", [&] {
    Core& core = *machine.cores[0];
    core.enter(0, Operation::kIdle, 0);
    for (std::uint64_t i = 0; i < kStores; ++i) machine.store(core, 8 * i, i + 1);
    pending = core.stores_pending();
    core.drain_stores();
    core.leave();
  });
  sc_core::sc_start();
  CHECK(pending);
  for (std::uint64_t i = 0; i < kStores; ++i)
    CHECK(machine.memory.memory().bytes().word(8 * i) == i + 1);
}

}  // namespace fenceline::models_tests::test_store_buffer
