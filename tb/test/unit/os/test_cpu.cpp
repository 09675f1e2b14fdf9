// Cores as the OS shares them out, in any order of steps.
#include <algorithm>
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "tb/os/core/cpu.h"

namespace fenceline::os_tests::test_cpu {

using fenceline::common::AgentId;
using fenceline::common::Candidate;
using fenceline::common::Footprint;
using fenceline::common::Gate;
using fenceline::common::Grain;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Place;
using fenceline::common::Policy;
using fenceline::common::Simulation;
using fenceline::host::Core;
using fenceline::host::HostConfig;
using fenceline::os::Cpu;
using fenceline::os::LockScope;
using fenceline::os::SpinLock;

namespace {

/// Takes agents in the order of a list of their names, and the first candidate when it is used up.
class Scripted : public Policy {
 public:
  Scripted(Simulation& simulation, std::vector<std::string> order)
      : simulation_(simulation), order_(std::move(order)) {}
  std::size_t pick(const std::vector<Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    if (next_ == order_.size()) return 0;
    const AgentId wanted = simulation_.steps.find_agent(order_[next_]);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].agent == wanted) {
        ++next_;
        return i;
      }
    return 0;
  }
  bool followed() const { return next_ == order_.size(); }

 private:
  Simulation& simulation_;
  std::vector<std::string> order_;
  std::size_t next_ = 0;
};

/// One core, threads on it, and a list of what was done.
struct Machine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Machine> SC_NAMED(memory);
  Simulation simulation{Ordering{}};
  Core core{"core", simulation, 0, "core0", HostConfig()};
  Cpu cpu{simulation, {&core}};
  SpinLock lock{simulation.steps};
  Gate start{simulation.steps};
  bool started = false;
  std::vector<std::string> done;

  explicit Machine(const sc_core::sc_module_name& name) : sc_module(name) {
    simulation.steps.take_steps_of(Grain::kAll);
    memory.register_b_transport(this, &Machine::transport);
    core.memory.bind(memory);
    core.on_interrupt(0, DISPATCH_LEVEL + 1, [this] { done.emplace_back("interrupt"); });
    cpu.place(simulation.steps.find_agent("core0.isr"), 0);
  }

  void add_thread(const std::string& name, std::function<void()> body,
                  KIRQL level = PASSIVE_LEVEL) {
    cpu.place(simulation.steps.add_agent(name,
                                         [this, level, body = std::move(body)] {
                                           simulation.steps.wait_until(start,
                                                                       [this] { return started; });
                                           core.enter(level, Operation::kBegin, 0);
                                           body();
                                           core.leave();
                                         }),
              0);
  }
  void deed(const std::string& what) {
    cpu.step(Operation::kWrite, Footprint().writes(Place::kMemory, 1));
    done.push_back(what);
  }
  /// Runs all threads; false if not in that order.
  bool run(std::vector<std::string> order) {
    Scripted policy(simulation, std::move(order));
    simulation.steps.add_agent("controller", [&] {
      started = true;
      simulation.steps.explore(policy, 100);
      sc_core::sc_stop();
    });
    sc_core::sc_start();
    return policy.followed();
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

using Deeds = std::vector<std::string>;

}  // namespace

TEST_CASE("an agent is on the core where it was placed last", "[cpu]") {
  Simulation simulation{Ordering{}};
  Core core0("core0", simulation, 0, "core0", HostConfig());
  Core core1("core1", simulation, 1, "core1", HostConfig());
  Cpu first(simulation, {&core0, &core1});
  first.place(0, 1);  // the agent that runs now: nobody
  CHECK(first.core().number() == 1);
  first.place(2, 1);
  first.place(1, 1);
  first.place(0, 0);
  CHECK(first.core().number() == 0);
  Cpu second(simulation, {&core0, &core1});
  second.place(1, 1);
  CHECK(second.core().number() == 0);
}

TEST_CASE("threads of one core go on in turn at any step while exploring", "[cpu]") {
  Machine machine("machine");
  for (const char* name : {"a", "b"})
    machine.add_thread(name, [&machine, name] {
      for (const char* turn : {"1", "2"}) machine.deed(std::string(name) + turn);
    });
  CHECK(machine.run({"b", "b", "a", "a", "b"}));
  CHECK(machine.done == Deeds{"b1", "a1", "b2", "a2"});
}

TEST_CASE("a thread that has raised its level stops no other thread while exploring", "[cpu]") {
  Machine machine("machine");
  machine.add_thread("a", [&] {
    const KIRQL old = machine.cpu.raise(DISPATCH_LEVEL);
    CHECK(machine.cpu.irql() == DISPATCH_LEVEL);
    for (const char* turn : {"a1", "a2"}) machine.deed(turn);
    machine.cpu.lower(old);
    CHECK(machine.cpu.irql() == PASSIVE_LEVEL);
  });
  machine.add_thread("b", [&] { machine.deed("b1"); });
  // On another core it might go on.
  CHECK(machine.run({"a", "a", "b", "b", "a"}));
  CHECK(machine.done == Deeds{"a1", "b1", "a2"});
}

TEST_CASE("a lock keeps threads of one core apart while exploring", "[cpu]") {
  Machine machine("machine");
  for (const char* name : {"a", "b"})
    machine.add_thread(name, [&machine, name] {
      const LockScope scope(machine.cpu, machine.lock, DISPATCH_LEVEL);
      for (const char* turn : {"1", "2"}) machine.deed(std::string(name) + turn);
    });
  CHECK_FALSE(machine.run({"a", "b", "a", "b", "b", "a"}));  // b has to wait for the lock
  CHECK(machine.done == Deeds{"a1", "a2", "b1", "b2"});
}

TEST_CASE("an interrupt may come before a lock is taken that masks it", "[cpu]") {
  Machine machine("machine");
  machine.add_thread(
      "dpc",
      [&] {
        machine.deed("a1");
        machine.core.post_interrupt(0);
        const LockScope scope(machine.cpu, machine.lock, DISPATCH_LEVEL + 1);
        machine.done.emplace_back("locked");
      },
      DISPATCH_LEVEL);
  CHECK(machine.run({"dpc", "dpc", "core0.isr", "dpc"}));
  CHECK(machine.done == Deeds{"a1", "interrupt", "locked"});
}

TEST_CASE("an interrupt may come before a level is raised that masks it", "[cpu]") {
  Machine machine("machine");
  machine.add_thread(
      "dpc",
      [&] {
        machine.core.post_interrupt(0);
        const KIRQL old = machine.cpu.raise(DISPATCH_LEVEL + 1);
        machine.done.emplace_back("raised");
        machine.cpu.lower(old);
      },
      DISPATCH_LEVEL);
  CHECK(machine.run({"dpc", "core0.isr", "dpc"}));
  CHECK(machine.done == Deeds{"interrupt", "raised"});
}

TEST_CASE("an interrupt affects only the core that takes it", "[cpu]") {
  Machine machine("machine");
  machine.add_thread(
      "dpc",
      [&] {
        machine.deed("a1");
        machine.core.post_interrupt(0);
        const auto runs = Footprint::access(Place::kInterrupt, 0, true);
        const auto& touched = machine.simulation.steps.touched();
        const auto is = [](Place place) {
          return [place](const auto& touch) {
            return Footprint::place_of(touch.access.location) == place;
          };
        };
        CHECK(std::any_of(touched.begin(), touched.end(), is(Place::kInterrupt)));
        CHECK(std::none_of(touched.begin(), touched.end(), [&](const auto& touch) {
          return touch.access.location == runs.location;
        }));
      },
      DISPATCH_LEVEL);
  CHECK(machine.run({"dpc", "dpc", "core0.isr"}));
  CHECK(machine.done == Deeds{"a1", "interrupt"});
}

}  // namespace fenceline::os_tests::test_cpu
