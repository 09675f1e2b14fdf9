// Preemption, hardware scheduling and shared doorbells in generated scenarios.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"
#include "tb/generate/negotiation.h"
#include "tb/generate/sharing.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_sharing {

namespace {

using scenario::Scenario;

constexpr std::uint64_t kSeeds = 60;

Scenario loaded(const std::string& constraints, std::uint64_t seed) {
  const auto document = generate(constraints_of(constraints, "c.json"), seed);
  return scenario::load_text(scenario::brief_text(document), "seed " + std::to_string(seed));
}

/// Suspensions of a program, each of which must be resumed before a step that waits.
std::uint64_t suspensions_of(const scenario::Program& program) {
  std::uint64_t count = 0;
  std::string suspended;
  for (const scenario::Step& step : program.steps) {
    if (const auto* suspend = std::get_if<scenario::SuspendContextStep>(&step.what)) {
      CHECK((suspended.empty() || suspended == suspend->context));
      suspended = suspend->context;
      ++count;
    } else if (const auto* resume = std::get_if<scenario::ResumeContextStep>(&step.what)) {
      CHECK(suspended == resume->context);
      suspended.clear();
    } else if (!suspended.empty()) {
      CHECK((std::holds_alternative<scenario::DelayStep>(step.what) ||
             std::holds_alternative<scenario::SetSchedulingStep>(step.what)));
    } else {
      // The device must have the properties before the context runs again.
      CHECK_FALSE(std::holds_alternative<scenario::SetSchedulingStep>(step.what));
    }
  }
  CHECK(suspended.empty());
  return count;
}

}  // namespace

TEST_CASE(
    "Preempted work has quanta longer than a switch and all levels that stop it and few timeouts",
    "[generate]") {
  std::uint64_t detect = 0;
  std::set<abi::ComputeGranularity> levels;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = loaded(R"({"features": {"preemption": 100}})", seed);
    const os::PreemptionOptions& rules = scenario.platform.system.preemption;
    CHECK(rules.enabled);
    detect += rules.detects_timeouts ? 1 : 0;
    CHECK(rules.quantum >= 100 * common::kMicrosecond);
    for (const top::GpuConfig& gpu : scenario.platform.gpus)
      levels.insert(gpu.preemption.granularity.compute);
  }
  CHECK(detect > 0);
  CHECK(detect < kSeeds / 3);
  CHECK(levels.size() == 5);
  CHECK(levels.count(abi::ComputeGranularity::kNone) == 0);
}

TEST_CASE("Each suspension of a hardware context is resumed before its thread waits",
          "[generate]") {
  std::uint64_t suspensions = 0;
  std::uint64_t shared = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = loaded(R"({"features": {"context_scheduling": 100}})", seed);
    for (const scenario::Program& program : scenario.programs)
      suspensions += suspensions_of(program);
    for (const scenario::Process& process : scenario.processes)
      for (const scenario::Queue& queue : process.queues) shared += queue.context ? 1 : 0;
  }
  CHECK(suspensions > kSeeds / 4);
  CHECK(shared > kSeeds / 2);
}

TEST_CASE("Without their features nothing is preempted or suspended", "[generate]") {
  const std::string none = R"({"features": {"preemption": 0, "context_scheduling": 0}})";
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = loaded(none, seed);
    CHECK_FALSE(scenario.platform.system.preemption.enabled);
    CHECK_FALSE(scenario.platform.system.context_scheduling.enabled);
    for (const scenario::Program& program : scenario.programs) CHECK(suspensions_of(program) == 0);
  }
}

TEST_CASE("Hardware queues take doorbells from each other", "[generate]") {
  std::uint64_t connections = 0;
  std::uint64_t scarce = 0;
  std::uint64_t notified = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = loaded(R"({"features": {"doorbells": 100, "drivers": 100}})", seed);
    const top::GpuConfig& gpu = scenario.platform.gpus.front();
    std::uint64_t queues = 0;
    for (const scenario::Process& process : scenario.processes)
      if (process.adapter.empty() || process.adapter == gpu.name) queues += process.queues.size();
    CHECK(shares_doorbells(gpu) == has_native_fences(scenario.platform, gpu));
    scarce += shares_doorbells(gpu) && queues > gpu.command_processor.doorbells ? 1 : 0;
    notified += scenario.platform.drivers.front().caps.notify_kmd ? 1 : 0;
    for (const scenario::Program& program : scenario.programs)
      for (const scenario::Step& step : program.steps)
        connections += std::holds_alternative<scenario::ConnectDoorbellStep>(step.what) ? 1 : 0;
  }
  CHECK(connections > kSeeds / 3);
  CHECK(scarce > kSeeds / 4);
  CHECK(notified > kSeeds / 8);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    CHECK_FALSE(
        shares_doorbells(loaded(R"({"features": {"doorbells": 0}})", seed).platform.gpus.front()));
}

}  // namespace fenceline::generate::test_sharing
