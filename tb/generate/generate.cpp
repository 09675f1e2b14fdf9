#include "tb/generate/generate.h"

#include <nlohmann/json.hpp>

#include "tb/generate/faults.h"
#include "tb/generate/holds.h"
#include "tb/generate/plan.h"
#include "tb/generate/races.h"
#include "tb/generate/switches.h"
#include "tb/generate/world.h"
#include "tb/scenario/brief.h"

namespace fenceline::generate {

namespace {

/// Far more than a scenario of the default sizes takes: an endless run ends within seconds.
constexpr std::uint64_t kMaxSteps = 3'000'000;

/// Expects the value that each fence has at the end of the plan. A device in error leaves its own.
void expect_values(Plan& plan) {
  const auto& processes = plan.scenario().processes;
  for (const FencePlan& fence : plan.fences()) {
    if (fence.names.empty() || plan.may_be_given_up(fence)) continue;
    const auto& [process, handle] = *fence.names.begin();
    scenario::FinalFence expected;
    expected.fence = processes[process].name + "/" + handle.name;
    expected.current_value = fence.value;
    plan.scenario().expect.fences.push_back(std::move(expected));
  }
}

}  // namespace

nlohmann::json generate(const Constraints& constraints, std::uint64_t seed) {
  Draw draw(seed);
  scenario::Scenario scenario;
  scenario.name = "g" + std::to_string(seed);
  scenario.seed = seed;
  scenario.limits.steps = kMaxSteps;
  draw_platform(constraints, draw, scenario.platform);
  draw_switches(constraints, draw, scenario);
  Plan plan(constraints, draw, scenario);
  draw_world(plan);
  draw_faults(constraints, draw, scenario);
  plan.fill();
  draw_holds(constraints, draw, scenario);
  const bool races = draw_races(constraints, draw, scenario);
  if (constraints.expectations && !races) expect_values(plan);
  return scenario::brief_document(scenario);
}

}  // namespace fenceline::generate
