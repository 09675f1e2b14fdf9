// Rates of the simulator beside floors measured in the same run. Figures are for reading, not for
// passing: scripts/bench prints ratios of medians.
#include <benchmark/benchmark.h>
#include <memory>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/simulation.h"
#include "tb/report/record.h"
#include "tb/run/run_scenario.h"
#include "tb/run/simulation_scope.h"
#include "tb/scenario/loader.h"

namespace {

namespace common = fenceline::common;

std::string suppressed(const std::string& count) {
  return R"({"schema_version":1,"name":"signals","title":"t",
    "processes":[{"name":"app","fences":[{"name":"F"}],"queues":[{"name":"q","engine":"compute0","logs":false}]}],
    "programs":[{"queue":"q","commands":[{"repeat":{"count":)" +
         count +
         R"(,"counter":"i","commands":[{"signal":{"fence":"F","value":"${i}+1"}}]}}]}],"expect":{}})";
}

std::string waits(const std::string& count) {
  return R"({"schema_version":1,"name":"waits","title":"t",
    "processes":[{"name":"app","fences":[{"name":"F"}],"queues":[{"name":"q","engine":"compute0","logs":false}]}],
    "programs":[{"thread":"t","steps":[{"repeat":{"count":)" +
         count +
         R"(,"counter":"i","steps":[{"submit":{"queue":"q","commands":[{"signal":{"fence":"F","value":"${i}+1"}}]}},
       {"wait":{"fence":"F","value":"${i}+1"}}]}}]}],"expect":{}})";
}

void run_text(benchmark::State& state, const std::string& text, std::uint64_t recorded,
              double items) {
  const auto scenario = fenceline::scenario::load_text(text, "bench");
  for (auto _ : state) {
    fenceline::report::Record record(recorded);
    benchmark::DoNotOptimize(fenceline::run::run_scenario(scenario, {}, record).end_time);
  }
  state.counters["per_second"] =
      benchmark::Counter(items, benchmark::Counter::kIsIterationInvariantRate);
}

void signals_without_trace(benchmark::State& state) {
  run_text(state, suppressed("50000"), 0, 50000);
}
void signals_recorded(benchmark::State& state) {
  run_text(state, suppressed("50000"), fenceline::report::Recorder::kUnlimited, 50000);
}
void one_wait_a_signal(benchmark::State& state) { run_text(state, waits("2000"), 0, 2000); }
void one_event_scenario(benchmark::State& state) { run_text(state, suppressed("1"), 0, 1); }

/// A bare SystemC thread that waits: the floor of everything that takes simulated time.
void floor_thread_wait(benchmark::State& state) {
  constexpr int kWaits = 200'000;
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    const sc_core::sc_time step(10, sc_core::SC_NS);
    sc_core::sc_spawn([&] {
      for (int i = 0; i < kWaits; ++i) sc_core::wait(step);
    });
    sc_core::sc_start();
  }
  state.counters["per_second"] =
      benchmark::Counter(kWaits, benchmark::Counter::kIsIterationInvariantRate);
}

/// The same wait through Steps.
void steps_elapse(benchmark::State& state) {
  constexpr int kWaits = 200'000;
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    common::Simulation simulation{common::Ordering{}};
    simulation.steps.add_agent("a", [&] {
      for (int i = 0; i < kWaits; ++i)
        simulation.steps.step(common::Operation::kWork, {}, 10 * common::kNanosecond);
    });
    sc_core::sc_start();
  }
  state.counters["per_second"] =
      benchmark::Counter(kWaits, benchmark::Counter::kIsIterationInvariantRate);
}

struct BareInitiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<BareInitiator> SC_NAMED(socket);
  explicit BareInitiator(const sc_core::sc_module_name& name) : sc_module(name) {}
};
struct BareTarget : sc_core::sc_module {
  tlm_utils::simple_target_socket<BareTarget> SC_NAMED(socket);
  explicit BareTarget(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &BareTarget::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// One blocking transport and one timed wait: the floor of a hop.
void floor_transport_hop(benchmark::State& state) {
  constexpr int kHops = 100'000;
  for (auto _ : state) {
    const fenceline::run::SimulationScope scope;
    BareInitiator initiator("initiator");
    BareTarget target("target");
    initiator.socket.bind(target.socket);
    sc_core::sc_spawn([&] {
      tlm::tlm_generic_payload payload;
      std::uint64_t data = 0;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
      payload.set_data_length(8);
      for (int i = 0; i < kHops; ++i) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        initiator.socket->b_transport(payload, delay);
        sc_core::wait(delay);
      }
    });
    sc_core::sc_start();
  }
  state.counters["per_second"] =
      benchmark::Counter(kHops, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(signals_without_trace)->Unit(benchmark::kMillisecond);
BENCHMARK(signals_recorded)->Unit(benchmark::kMillisecond);
BENCHMARK(one_wait_a_signal)->Unit(benchmark::kMillisecond);
BENCHMARK(one_event_scenario)->Unit(benchmark::kMillisecond);
BENCHMARK(floor_thread_wait)->Unit(benchmark::kMillisecond);
BENCHMARK(steps_elapse)->Unit(benchmark::kMillisecond);
BENCHMARK(floor_transport_hop)->Unit(benchmark::kMillisecond);

}  // namespace

int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

BENCHMARK_MAIN();
