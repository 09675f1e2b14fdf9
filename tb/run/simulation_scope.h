#pragma once

#include <systemc>

#include "tb/run/thread_stacks.h"

namespace fenceline::run {

/// A SystemC context of its own for one simulation, so that several can run one after another in a
/// process. The library's first context stays alive: static events inside it refer to it.
/// Works on SystemC 2.3; modules must be destroyed first.
class SimulationScope {
 public:
  SimulationScope() : previous_(sc_core::sc_get_curr_simcontext()) {
    static_assert(SC_VERSION_MAJOR == 2, "contexts are replaced by means that only 2.3 has");
    keep_thread_stacks();
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  }
  ~SimulationScope() {
    delete sc_core::sc_curr_simcontext;
    sc_core::sc_curr_simcontext = previous_;
  }
  SimulationScope(const SimulationScope&) = delete;
  SimulationScope& operator=(const SimulationScope&) = delete;

 private:
  sc_core::sc_simcontext* previous_;
};

}  // namespace fenceline::run
