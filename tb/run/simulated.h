#pragma once

#include <string>

#include "tb/check/checkers.h"
#include "tb/run/driver_library.h"
#include "tb/run/machine/scenario_machine.h"
#include "tb/run/rest.h"
#include "tb/run/simulation_scope.h"
#include "tb/run/waiting.h"

namespace fenceline::run {

/// A scenario's machine with its checkers in a simulation of its own, built and not yet run.
struct Simulated {
  /// @param kmd shared library with the driver; empty: the built-in one. Throws
  /// std::invalid_argument when it cannot be loaded.
  Simulated(const scenario::Scenario& scenario, const std::string& kmd)
      : driver(kmd),
        simulation(scenario.platform.ordering),
        checkers(simulation.events, check_options(scenario.platform)),
        machine(simulation, scenario, driver.entry()) {
    history.attach(simulation.events);
  }

  /// Values that are stored as a whole are read as they are at home.
  static check::CheckOptions check_options(const scenario::Platform& platform) {
    check::CheckOptions options;
    const common::MemoryOrdering& mem = platform.ordering.mem;
    options.stale_reads = platform.host.memory_model == host::MemoryModel::kWeak ||
                          mem.cv64 != common::Stores::kWhole ||
                          mem.log_hdr64 != common::Stores::kWhole;
    for (const top::GpuConfig& gpu : platform.gpus)
      options.stale_reads = options.stale_reads || !gpu.atomics64;
    return options;
  }

  /// Who is left, when nobody can go on.
  Rest rest() { return rest_of(machine); }

  SimulationScope scope;
  DriverLibrary driver;
  common::Simulation simulation;
  check::Checkers checkers;
  RunHistory history;
  ScenarioMachine machine;
};

}  // namespace fenceline::run
