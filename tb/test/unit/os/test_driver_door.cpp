// The door of a driver: threads inside, and the one that resets the adapter.
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "tb/os/driver/driver_door.h"

namespace fenceline::os_tests::test_driver_door {

using fenceline::common::kMillisecond;
using fenceline::common::kNanosecond;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::host::Core;
using fenceline::host::HostConfig;
using fenceline::os::Cpu;
using fenceline::os::DriverDoor;
using fenceline::os::SystemOptions;

namespace {

SystemOptions options_with_resets() {
  SystemOptions options;
  options.preemption.enabled = options.preemption.detects_timeouts = true;
  return options;
}

/// Two cores with a thread each, and a list of what was done.
struct Machine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Machine> SC_NAMED(first_memory);
  tlm_utils::simple_target_socket<Machine> SC_NAMED(second_memory);
  Simulation simulation{Ordering{}};
  Core first{"first", simulation, 0, "core0", HostConfig()};
  Core second{"second", simulation, 1, "core1", HostConfig()};
  Cpu cpu{simulation, {&first, &second}};
  const SystemOptions options;
  DriverDoor door{cpu, options};
  std::vector<std::string> done;

  Machine(const sc_core::sc_module_name& name, const SystemOptions& chosen)
      : sc_module(name), options(chosen) {
    first_memory.register_b_transport(this, &Machine::transport);
    second_memory.register_b_transport(this, &Machine::transport);
    first.memory.bind(first_memory);
    second.memory.bind(second_memory);
  }

  void add_thread(const std::string& name, std::uint32_t core, std::function<void()> body) {
    cpu.place(simulation.steps.add_agent(name,
                                         [this, body = std::move(body)] {
                                           cpu.run_thread(Operation::kBegin, 0);
                                           body();
                                           cpu.stop_thread();
                                         }),
              core);
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

using Deeds = std::vector<std::string>;

}  // namespace

TEST_CASE("a reset waits for threads in the driver and keeps others out until it is over",
          "[driver_door]") {
  Machine machine("machine", options_with_resets());
  machine.add_thread("worker", 0, [&] {
    {
      const DriverDoor::Stay stay(machine.door);
      machine.simulation.steps.elapse(100 * kNanosecond);
      machine.done.emplace_back("has left");
    }
    machine.simulation.steps.elapse(kMillisecond);
    const DriverDoor::Stay stay(machine.door);
    machine.done.emplace_back("is back");
  });
  machine.add_thread("resetter", 1, [&] {
    machine.simulation.steps.elapse(10 * kNanosecond);
    CHECK(machine.door.close() == 0);
    machine.done.emplace_back("closed");
    CHECK(machine.door.closed());
    machine.simulation.steps.elapse(2 * kMillisecond);
    machine.done.emplace_back("opened");
    machine.door.open();
  });
  sc_core::sc_start();
  CHECK(machine.done == Deeds{"has left", "closed", "opened", "is back"});
}

TEST_CASE("a thread at a closed door leaves its core to the thread that resets", "[driver_door]") {
  Machine machine("machine", options_with_resets());
  machine.add_thread("resetter", 0, [&] {
    CHECK(machine.door.close() == 0);
    machine.cpu.sleep(kMillisecond);  // the other thread has the core
    machine.door.open();
    machine.done.emplace_back("opened");
  });
  machine.add_thread("worker", 0, [&] {
    const DriverDoor::Stay stay(machine.door);
    machine.done.emplace_back("is in");
  });
  sc_core::sc_start();
  CHECK(machine.done == Deeds{"opened", "is in"});
}

TEST_CASE("the thread that resets and interrupts may be in a driver that is closed",
          "[driver_door]") {
  Machine machine("machine", options_with_resets());
  machine.add_thread("resetter", 1, [&] {
    CHECK(machine.door.close() == 0);
    const DriverDoor::Stay own(machine.door);
    const DriverDoor::Stay not_counted(machine.door, false);
    machine.done.emplace_back("inside");
  });
  sc_core::sc_start();
  CHECK(machine.done == Deeds{"inside"});
}

TEST_CASE("a driver that a thread does not leave in time is not closed", "[driver_door]") {
  Machine machine("machine", options_with_resets());
  machine.add_thread("worker", 0, [&] {
    const DriverDoor::Stay stay(machine.door);
    machine.simulation.steps.elapse(2 * machine.options.preemption.tdr_ddi_delay);
  });
  machine.add_thread("resetter", 1, [&] {
    machine.simulation.steps.elapse(10 * kNanosecond);
    CHECK(machine.door.close() == 1);
    CHECK_FALSE(machine.door.closed());
  });
  sc_core::sc_start();
}

TEST_CASE("threads are counted where somebody asks for resets", "[driver_door]") {
  SystemOptions options;
  options.resets_asked = true;
  Machine machine("machine", options);
  CHECK(machine.door.counts_threads());
}

TEST_CASE("threads are not counted where no reset may come", "[driver_door]") {
  Machine machine("machine", SystemOptions());
  REQUIRE_FALSE(machine.door.counts_threads());
  machine.add_thread("worker", 0, [&] {
    const DriverDoor::Stay stay(machine.door);
    machine.simulation.steps.elapse(kMillisecond);
    machine.done.emplace_back("has left");
  });
  machine.add_thread("resetter", 1, [&] {
    machine.simulation.steps.elapse(10 * kNanosecond);
    CHECK(machine.door.close() == 0);
    machine.done.emplace_back("reset");
  });
  sc_core::sc_start();
  CHECK(machine.done == Deeds{"reset", "has left"});
}

}  // namespace fenceline::os_tests::test_driver_door
