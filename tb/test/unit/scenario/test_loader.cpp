#include <catch2/catch.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>

#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_loader {

namespace {

Scenario full() { return load_text(kFullScenario, "full"); }

template <class T>
const T& step(const Scenario& scenario, std::size_t index) {
  return std::get<T>(scenario.programs.front().steps.at(index).what);
}
template <class T>
const T& command(const Scenario& scenario, std::size_t index) {
  return std::get<T>(step<SubmitStep>(scenario, 0).commands.at(index).what);
}

}  // namespace

TEST_CASE("a small scenario gets every default", "[scenario][loader]") {
  const Scenario scenario = load_text(kSmallScenario, "small.json");
  CHECK(scenario.path == "small.json");
  CHECK(scenario.seed == 1);
  CHECK(scenario.policy == PolicyKind::kTiming);
  CHECK_FALSE(scenario.end_time);
  CHECK(scenario.platform.host_profile == "desktop");
  CHECK(scenario.platform.host.c_states.size() == 4);
  REQUIRE(scenario.platform.gpus.size() == 1);
  CHECK(scenario.platform.gpus[0].name == "gpu0");
  CHECK(scenario.platform.gpus[0].profile == "discrete");
  CHECK(scenario.processes[0].adapter == "gpu0");
  CHECK(scenario.programs[0].process == "app");
  CHECK_FALSE(scenario.programs[0].core);
  CHECK(scenario.expect.outcome == Outcome::kCompletes);
  CHECK(scenario.expect.violations.empty());
}

TEST_CASE("the head of a scenario is read", "[scenario][loader]") {
  const Scenario scenario = full();
  CHECK(scenario.name == "full");
  CHECK(scenario.title == "Everything at once");
  CHECK(scenario.description == "Uses every verb.");
  CHECK(scenario.covers == std::vector<std::string>{"NF3", "LB1"});
  CHECK(scenario.negatives == std::vector<std::string>{"NF4"});
  CHECK(scenario.policy == PolicyKind::kRandom);
  CHECK(scenario.seed == ~std::uint64_t{0});
  CHECK(scenario.end_time == 1'500 * common::kMicrosecond);
}

TEST_CASE("overrides of the platform stand over its profiles", "[scenario][loader]") {
  const auto platform = full().platform;
  CHECK(platform.host_profile == "server");
  CHECK(platform.host.cores == 8);
  CHECK(platform.host.c_states.size() == 3);
  CHECK(platform.system_memory.latency == 90 * common::kNanosecond);
  CHECK(platform.system_memory.bandwidth_mbps == 307'200);
  REQUIRE(platform.gpus.size() == 2);
  CHECK(platform.gpus[0].fabric.drain_latency == 2 * common::kMicrosecond);
  CHECK(platform.gpus[0].fabric.fifo_depth == 32);
  CHECK(platform.gpus[0].vram.size_bytes == 512ULL << 20U);
  CHECK(platform.gpus[0].vram.channel_mbps == 2'500);
  CHECK(platform.gpus[0].clock.hertz == 19'200'000);
  CHECK(platform.gpus[1].profile == "litmus");
  CHECK(platform.gpus[1].fabric.fifo_depth == 4);
  REQUIRE(platform.gpus[1].engines.size() == 1);
  CHECK(platform.gpus[1].engines[0].kind == engine::EngineKind::kGraphics);
  CHECK(platform.gpus[1].engines[0].issue == 7 * common::kNanosecond);
}

TEST_CASE("each ordering switch sets its own mechanism", "[scenario][loader]") {
  const user::Ordering ordering = full().platform.ordering;
  CHECK(ordering.gpu.signal_barrier == common::SignalBarrier::kBeforeRaise);
  CHECK(ordering.gpu.barrier_reach == common::BarrierReach::kGpu);
  CHECK(ordering.cmp.mv_barrier == common::MonitoredBarrier::kNone);
  CHECK(ordering.cmp.log_writer == common::LogWriter::kEngine);
  CHECK(ordering.kmd.destroy_drain == 1);
  CHECK(ordering.kmd.ack_first == kmd_host::Acknowledge::kLast);
  CHECK(ordering.os.update_logs == os::UpdateLogs::kBeforeIndex);
  CHECK_FALSE(ordering.os.on_change);
  CHECK(ordering.mem.mv_home == common::Home::kSysmem);
  CHECK(ordering.mem.log_hdr64 == common::Stores::kHighFirst);
  CHECK(ordering.gpu.park_check);  // not named: the default
}

TEST_CASE("every switch has one default and a meaning for each weaker value",
          "[scenario][loader]") {
  std::set<std::string> names;
  for (const SwitchInfo& info : switch_infos()) {
    CAPTURE(info.name);
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.doc.empty());
    REQUIRE(info.values.size() >= 2);
    CHECK(info.initial < info.values.size());
    std::set<std::string> values;
    for (const SwitchInfo::Value& value : info.values) CHECK(values.insert(value.json).second);
    // The doc says what one of two is like; everything else needs words of its own.
    std::size_t silent = 0;
    for (const SwitchInfo::Value& value : info.values) silent += value.meaning.empty() ? 1 : 0;
    CHECK(silent <= (info.values.size() == 2 ? 1U : 0U));
  }
  CHECK(names.size() == ordering_names().size());
}

TEST_CASE("a scenario can give each switch each of its values", "[scenario][loader]") {
  for (const SwitchInfo& info : switch_infos())
    for (const SwitchInfo::Value& value : info.values) {
      CAPTURE(info.name, value.json);
      LoadOptions options;
      options.set = {"/platform/ordering/" + info.name + "=" + value.json};
      const Scenario scenario = load_text(kSmallScenario, "small", options);
      const Json effective = Json::parse(scenario.effective_json);
      CHECK(effective["platform"]["ordering"][info.name].dump() == value.json);
    }
}

TEST_CASE("a switch with truth values and words names them all where it gets another",
          "[scenario][loader]") {
  const auto refusal = [](const std::string& value) {
    LoadOptions options;
    options.set = {"/platform/ordering/cmp.recheck=" + value};
    try {
      load_text(kSmallScenario, "small", options);
    } catch (const ScenarioError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal("at_least") == "accepted");
  CHECK(refusal("true") == "accepted");
  const std::string all = "expected one of false, \"below\", \"at_least\", true";
  for (const char* wrong : {"1", "\"true\"", "null", "above", "[]"}) {
    CAPTURE(wrong);
    CHECK(refusal(wrong).find(all) != std::string::npos);
  }
}

TEST_CASE("processes and what they own are read", "[scenario][loader]") {
  const Scenario scenario = full();
  const Process& app = scenario.processes.at(0);
  CHECK(app.fences[0].initial_value == 0x1FFFFFFFFULL);
  CHECK(app.fences[0].shared);
  CHECK(app.fences[0].current_value_home == common::Home::kSysmem);
  CHECK(app.fences[0].monitored_value_home == common::Home::kVram);
  CHECK_FALSE(app.queues[0].logs);
  CHECK(app.queues[0].log_entries == 3);
  CHECK(app.queues[0].ring_bytes == 4'096);
  CHECK(app.queues[1].logs);
  CHECK(app.allocations[0].bytes == 65'536);
  CHECK(app.allocations[0].home == common::Home::kSysmem);
  const Process& other = scenario.processes.at(1);
  CHECK(other.adapter == "gpu1");
  CHECK(other.fences[0].open == "app/F");
  CHECK_FALSE(other.fences[1].current_value_home);
}

TEST_CASE("steps of threads are read", "[scenario][loader]") {
  const Scenario scenario = full();
  const Program& program = scenario.programs.at(0);
  CHECK(program.name == "t0");
  CHECK_FALSE(program.queue);
  CHECK(program.core == 7U);
  CHECK(step<WaitStep>(scenario, 1).timeout == common::kMillisecond);
  CHECK(step<WaitStep>(scenario, 1).points.at(0).value.constant() == 42);
  CHECK(step<WaitStep>(scenario, 2).any);
  CHECK(step<WaitStep>(scenario, 2).points.size() == 2);
  CHECK(step<WaitStep>(scenario, 2).event == "E");
  CHECK(step<WaitEventStep>(scenario, 3).timeout == 3 * common::kMicrosecond);
  CHECK(step<SignalStep>(scenario, 4).points.at(1).fence == "N");
  CHECK(step<PollStep>(scenario, 5).timeout == 2 * common::kMicrosecond);
  CHECK(step<DelayStep>(scenario, 6).duration == 10 * common::kMicrosecond);
  CHECK(step<ComputeStep>(scenario, 7).duration == 500 * common::kNanosecond);
  CHECK(step<PaceStep>(scenario, 8).period == 16'667 * common::kMicrosecond);
  CHECK(step<MarkStep>(scenario, 9).label == "done");
  CHECK(step<CreateFenceStep>(scenario, 10).fence.initial_value == 5);
  CHECK(step<DestroyFenceStep>(scenario, 11).fence == "N");
  CHECK(step<SetLogBuffersStep>(scenario, 12).entries == 10);
  const auto& inner = std::get<RepeatStep>(step<RepeatStep>(scenario, 13).body.at(0).what);
  CHECK(inner.count.evaluate({{"i", 2}}) == 3);
  CHECK(inner.counter.empty());
}

TEST_CASE("commands of queues are read", "[scenario][loader]") {
  const Scenario scenario = full();
  CHECK(command<WaitCommand>(scenario, 0).point.value.constant() == ~std::uint64_t{0});
  CHECK(command<WriteCommand>(scenario, 1).offset == 4'088);
  CHECK(command<WriteCommand>(scenario, 1).value.constant() == 0xFFFFFFFF00000000ULL);
  CHECK(command<CopyCommand>(scenario, 2).destination == "B");
  CHECK(command<CopyCommand>(scenario, 2).bytes == 4'096);
  CHECK(command<DispatchCommand>(scenario, 3).groups == 64);
  CHECK(command<DispatchCommand>(scenario, 3).read_bytes == 1U << 20U);
  CHECK(command<DispatchCommand>(scenario, 3).write_bytes == 64);
  CHECK(std::holds_alternative<BarrierCommand>(step<SubmitStep>(scenario, 0).commands.at(5).what));
  CHECK(std::holds_alternative<FlushCommand>(step<SubmitStep>(scenario, 0).commands.at(6).what));
  CHECK(command<RepeatCommands>(scenario, 7).counter == "k");
  const Program& program = scenario.programs.at(1);
  CHECK(program.queue == "g");
  CHECK(program.name == "g");
  CHECK(std::get<DrawCommand>(program.commands.at(0).what).primitives == 3);
  CHECK(std::get<DrawCommand>(program.commands.at(0).what).triangles == 0);
}

TEST_CASE("shapes of dispatches and draws are read", "[scenario][loader]") {
  const Scenario scenario = full();
  const auto& grid = command<DispatchCommand>(scenario, 4);
  CHECK(grid.threads == 128);
  CHECK(grid.duration == 3 * common::kMicrosecond);
  CHECK(grid.groups == 9);
  CHECK(grid.registers == 48);
  CHECK(grid.shared_bytes == 2'048);
  CHECK(grid.variation == 20);
  CHECK(grid.distribution == abi::GroupTimes::kUniform);
  CHECK(grid.write_through);
  CHECK_FALSE(command<DispatchCommand>(scenario, 3).write_through);
  const auto& mesh = std::get<DrawCommand>(scenario.programs.at(1).commands.at(1).what);
  CHECK(mesh.triangles == 70);
  CHECK(mesh.primitives == 7);
  CHECK(mesh.pixels == 8'000);
  CHECK(mesh.registers == 24);
}

TEST_CASE("an adapter has the chip of its profile or of its own", "[scenario][loader]") {
  const Scenario small = load_text(kSmallScenario, "small");
  const top::GpuConfig& gpu = small.platform.gpus.front();
  CHECK(gpu.chip_profile == "gv100");
  CHECK(gpu.chip.compute_units == 80);
  const Scenario other = load_text(R"({"schema_version": 1, "name": "n",
      "platform": {"adapters": [{"name": "g",
        "chip": {"profile": "a100", "registers_per_unit": 1000}}]},
      "processes": [{"name": "p"}], "programs": [{"thread": "t", "steps": [{"delay": "1us"}]}], "expect": {}})",
                                   "other");
  CHECK(other.platform.gpus.front().chip.compute_units == 108);
  CHECK(other.platform.gpus.front().chip.registers_per_unit == 1'000);
}

TEST_CASE("holds and expectations are read", "[scenario][loader]") {
  const Scenario scenario = full();
  CHECK(scenario.holds.at(0).operation.agent == "gpu0.compute0.vram1");
  CHECK(scenario.holds.at(0).operation.nth == 2);
  CHECK(scenario.holds.at(0).until.nth == 1);
  const Expectations& expect = scenario.expect;
  CHECK(expect.outcome == Outcome::kHang);
  CHECK(expect.violations == std::vector<std::string>{"I1"});
  CHECK(expect.may_violate == std::vector<std::string>{"I7", "I28"});
  CHECK(expect.fences.at(0).current_value == 42U);
  CHECK(expect.fences.at(0).monitored_value == ~std::uint64_t{0});
  CHECK(expect.counters.at(0).range.min == 1U);
  CHECK(expect.counters.at(0).range.max == 1U);
  CHECK_FALSE(expect.counters.at(1).range.min);
  CHECK(expect.counters.at(1).range.max == 3U);
  CHECK(expect.latencies.at(0).latency == "wait_release");
  CHECK(expect.latencies.at(0).statistic == "p99");
  CHECK(expect.latencies.at(0).range.max == 20 * common::kMicrosecond);
  CHECK(expect.latencies.at(1).range.min == common::kNanosecond);
  CHECK(expect.marks.at(0).value.min == 1U);
}

TEST_CASE("each value read knows its place in the file", "[scenario][loader]") {
  const Scenario scenario = load_text(kSmallScenario, "small");
  const Location& at = scenario.programs[0].steps[0].at;
  CHECK(at.pointer == "/programs/0/steps/0");
  CHECK(at.line == 5);
  CHECK(at.column == 43);
  CHECK(scenario.processes[0].fences[0].at.pointer == "/processes/0/fences/0");
  CHECK(full().expect.latencies[0].at.pointer == "/expect/latencies/wait_release/p99");
}

TEST_CASE("a scenario keeps the text that was read without changes by options",
          "[scenario][loader]") {
  CHECK(load_text(kSmallScenario, "small", {{"/seed=7"}, 9}).text == kSmallScenario);
}

TEST_CASE("a fence name may be used again once a step destroys it", "[scenario][loader]") {
  LoadOptions options;
  options.set = {R"(/programs/0/steps=[{"destroy_fence": "F"}, {"create_fence": {"name": "F"}}])"};
  CHECK_NOTHROW(load_text(kSmallScenario, "small", options));
}

}  // namespace fenceline::scenario::test_loader
