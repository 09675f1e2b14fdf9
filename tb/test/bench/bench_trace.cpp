// What recording and writing traces add to a run: the flagship scenario, from power-on to its
// folder.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tb/report/record.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/writers/write_run.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/temp_folder.h"

namespace {

namespace fs = std::filesystem;
namespace report = fenceline::report;

constexpr const char* kScenario =
    FENCELINE_SOURCE_DIR "/scenarios/native_fence/frame_pipeline.json";

/// Keeps `recorded` events, and writes `traces` beside the files that every run writes. Removing
/// what was written counts for nobody.
void run_flagship(benchmark::State& state, std::uint64_t recorded, const report::TraceSet& traces) {
  const fenceline::support::TempFolder temporary;
  const auto scenario = fenceline::scenario::load(kScenario);
  for (auto _ : state) {
    {
      report::RunFolder folder(temporary.path() / "run");
      report::Record record(recorded);
      const auto result = fenceline::run::run_scenario(scenario, {}, record);
      report::write_run(result, record, traces, {}, folder);
      folder.commit();
    }
    state.PauseTiming();
    fs::remove_all(temporary.path() / "run");
    state.ResumeTiming();
  }
}

void flagship_without_trace(benchmark::State& state) { run_flagship(state, 0, {}); }
void flagship_recorded(benchmark::State& state) {
  run_flagship(state, report::Recorder::kUnlimited, {});
}
void flagship_traced(benchmark::State& state) {
  run_flagship(state, report::Recorder::kUnlimited, report::TraceSet::all());
}

BENCHMARK(flagship_without_trace)->Unit(benchmark::kMillisecond);
BENCHMARK(flagship_recorded)->Unit(benchmark::kMillisecond);
BENCHMARK(flagship_traced)->Unit(benchmark::kMillisecond);

}  // namespace
