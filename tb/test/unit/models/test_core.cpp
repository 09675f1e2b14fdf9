// Interrupts of a core on its own.
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/host/core.h"
#include "tb/test/support/event_list.h"

namespace fenceline::models_tests::test_core {

using fenceline::common::kMicrosecond;
using fenceline::common::LoadOrder;
using fenceline::common::MaskedEdges;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::host::Core;
using fenceline::host::HostConfig;

namespace {

constexpr fenceline::host::Level kInterrupt = 5;

/// A core whose vector 0 is counted, and something that answers its memory socket.
struct Machine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Machine> SC_NAMED(memory);
  Simulation simulation;
  Core core;
  int served = 0;

  Machine(const sc_core::sc_module_name& name, const Ordering& ordering,
          const HostConfig& config = {})
      : sc_module(name), simulation(ordering), core("core", simulation, 0, "core0", config) {
    memory.register_b_transport(this, &Machine::transport);
    core.memory.bind(memory);
    core.on_interrupt(0, kInterrupt, [this] { ++served; });
  }

  /// A thread stores a word, and an interrupt comes during the instruction. Returns the interrupts
  /// that were served when the store was over.
  int interrupt_during_store() {
    int before = 0;
    simulation.steps.add_agent("thread", [this, &before] {
      core.enter(0, Operation::kIdle, 0);
      std::uint64_t value = 1;
      auto store =
          simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, 0x1000, &value, sizeof value);
      core.post_interrupt(0);
      core.access(store, Operation::kIdle);
      before = served;
      core.leave();
    });
    sc_core::sc_start();
    return before;
  }

  /// One interrupt comes while the core is at `level`, and another after it has been left; what
  /// was served before that one is returned.
  int interrupt_at(fenceline::host::Level level) {
    int before = 0;
    simulation.steps.add_agent("thread", [this, level, &before] {
      core.enter(level, Operation::kIdle, 0);
      core.post_interrupt(0);
      simulation.steps.elapse(kMicrosecond);
      core.leave();
      simulation.steps.elapse(100 * kMicrosecond);
      before = served;
      core.post_interrupt(0);
    });
    sc_core::sc_start();
    return before;
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

Ordering loading_apart() {
  Ordering ordering;
  ordering.host.load_order = LoadOrder::kWeak;
  return ordering;
}

Ordering losing() {
  Ordering ordering;
  ordering.host.masked_edges = MaskedEdges::kLost;
  return ordering;
}

/// Events of a core that masks interrupts: a thread runs at interrupt level and leaves.
std::vector<bool> masking(const Ordering& ordering) {
  Machine machine("machine", ordering);
  fenceline::support::EventList events;
  machine.simulation.events.subscribe(events);
  machine.interrupt_at(kInterrupt);
  std::vector<bool> masked;
  for (const auto& event : events.of<fenceline::event::InterruptsMasked>())
    masked.push_back(event.masked);
  return masked;
}

}  // namespace

TEST_CASE("an interrupt that comes while the core masks it is served afterwards", "[host]") {
  Machine machine("machine", Ordering());
  CHECK(machine.interrupt_at(kInterrupt) == 1);
  CHECK(machine.served == 2);
}

TEST_CASE("an interrupt during a buffered store is served before the thread goes on", "[host]") {
  HostConfig config;
  config.memory_model = fenceline::host::MemoryModel::kTso;
  Machine machine("machine", Ordering(), config);
  CHECK(machine.interrupt_during_store() == 1);
  CHECK_FALSE(machine.core.busy());
}

TEST_CASE("without a pending bit an interrupt that comes while masked is gone", "[host]") {
  Machine machine("machine", losing());
  CHECK(machine.interrupt_at(kInterrupt) == 0);
  CHECK(machine.served == 1);
}

TEST_CASE("a core says when it masks interrupts where one can be lost", "[host]") {
  // The thread masks the first interrupt; the service routine of the second one masks others.
  CHECK(masking(losing()) == std::vector<bool>{true, false, true, false});
}

TEST_CASE("a core that loses no interrupt does not say when it masks them", "[host]") {
  CHECK(masking(Ordering()).empty());
}

TEST_CASE("without a pending bit an interrupt above the level of the core is served", "[host]") {
  Machine machine("machine", losing());
  CHECK(machine.interrupt_at(0) == 1);
  CHECK(machine.served == 2);
}

TEST_CASE("who was interrupted changes its level when the core is its again", "[host]") {
  Machine machine("machine", Ordering());
  fenceline::common::Steps& steps = machine.simulation.steps;
  fenceline::host::Level raised = 0;
  fenceline::host::Level above = 0;
  fenceline::common::Time raised_at = 0;
  const auto thread = steps.add_agent("thread", [&] {
    machine.core.enter(0, Operation::kIdle, 0);
    steps.elapse(kMicrosecond);  // not by way of the core: another one runs there now
    machine.core.raise(3);
    raised_at = steps.now();
    raised = machine.core.level_of(steps.current());
    machine.core.leave();
  });
  steps.add_agent("above", [&] {
    steps.elapse(kMicrosecond / 2);
    machine.core.enter(2, Operation::kDeferredCall, 0);
    steps.elapse(kMicrosecond);
    above = machine.core.level_of(steps.current());
    machine.core.leave();
  });
  sc_core::sc_start();
  CHECK(thread != 0);
  CHECK(raised == 3);
  CHECK(above == 2);
  CHECK(raised_at >= 3 * kMicrosecond / 2);
}

TEST_CASE("an interrupt loads apart while what it interrupted has such a load", "[host]") {
  Machine machine("machine", loading_apart());
  Core& core = machine.core;
  const auto load = [&](std::uint64_t address, fenceline::common::Time meanwhile) {
    std::uint64_t value = 0;
    auto transaction =
        machine.simulation.transactions.lend(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    core.begin_load(transaction);
    core.compute(meanwhile);
    core.end_load();
  };
  bool served = false;
  bool finished = false;
  core.on_interrupt(1, kInterrupt, [&] {
    load(64, 0);
    served = true;
  });
  machine.simulation.steps.add_agent("thread", [&] {
    core.enter(0, Operation::kIdle, 0);
    core.post_interrupt(1);
    load(0, kMicrosecond);
    core.leave();
    finished = true;
  });
  sc_core::sc_start();
  CHECK(served);
  CHECK(finished);
}

}  // namespace fenceline::models_tests::test_core
