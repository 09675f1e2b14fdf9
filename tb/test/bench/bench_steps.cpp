// A step of Steps in timing mode beside its floor: a bare SystemC wait.
#include <benchmark/benchmark.h>

#include "models/common/simulation.h"
#include "tb/run/simulation_scope.h"

namespace {

namespace common = fenceline::common;

void count_waits(benchmark::State& state) {
  state.counters["per_second"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

/// A thread that waits: the floor of everything that takes simulated time.
void floor_thread_wait(benchmark::State& state) {
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    const sc_core::sc_time step(10, sc_core::SC_NS);
    sc_core::sc_spawn([&] {
      for (std::int64_t i = 0; i < state.range(0); ++i) sc_core::wait(step);
    });
    sc_core::sc_start();
  }
  count_waits(state);
}

/// The same wait through Steps.
void steps_step(benchmark::State& state) {
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    common::Simulation simulation{common::Ordering{}};
    simulation.steps.add_agent("a", [&] {
      for (std::int64_t i = 0; i < state.range(0); ++i)
        simulation.steps.step(common::Operation::kWork, {}, 10 * common::kNanosecond);
    });
    sc_core::sc_start();
  }
  count_waits(state);
}

BENCHMARK(floor_thread_wait)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK(steps_step)->Arg(200'000)->Unit(benchmark::kMillisecond);
// Run once each and under callgrind, the difference of two lengths is what the waits alone cost.
BENCHMARK(floor_thread_wait)->Arg(1'000)->Arg(11'000)->Iterations(1);
BENCHMARK(steps_step)->Arg(1'000)->Arg(11'000)->Iterations(1);

}  // namespace
