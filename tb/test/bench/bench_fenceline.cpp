// Rates of whole simulations. Figures are for reading, not for passing: scripts/stress/load bench
// prints medians.
#include <benchmark/benchmark.h>
#include <string>
#include <systemc>

#include "tb/report/record.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace {

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

BENCHMARK(signals_without_trace)->Unit(benchmark::kMillisecond);
BENCHMARK(signals_recorded)->Unit(benchmark::kMillisecond);
BENCHMARK(one_wait_a_signal)->Unit(benchmark::kMillisecond);
BENCHMARK(one_event_scenario)->Unit(benchmark::kMillisecond);

}  // namespace

int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

BENCHMARK_MAIN();
