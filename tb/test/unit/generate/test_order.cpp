// Order between the agents of generated scenarios.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tb/generate/generate.h"
#include "tb/generate/plan.h"
#include "tb/generate/rules.h"
#include "tb/reference/predict.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_order {

using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kSeeds = 300;

/// Strings at these keys, at any depth.
void read(const Json& value, const std::string& key, std::set<std::string>& names) {
  if (value.is_object() && value.contains(key)) {
    const Json& named = value.at(key);
    if (named.is_string()) names.insert(named);
    if (named.is_object() && named.contains("name")) names.insert(named.at("name"));
  }
  if (value.is_structured())
    for (const Json& inner : value) read(inner, key, names);
}

/// A plan of one process without agents.
struct OneProcess {
  OneProcess() {
    scenario.processes.resize(1);
    scenario.processes[0].name = "p0";
  }
  const Constraints constraints;
  Draw draw{1};
  scenario::Scenario scenario;
  Plan plan{constraints, draw, scenario};
};

}  // namespace

/// The plan of the generator and the reference know the order of steps independently. A name that
/// is used again stands for several fences, and the reference does not know which.
TEST_CASE("No other thread closes a fence before a step that must succeed", "[generate]") {
  const Constraints constraints;
  std::uint64_t judged = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const scenario::Scenario loaded =
        scenario::load_text(generate(constraints, seed).dump(), "g.json");
    const Json document = Json::parse(scenario::effective_document(loaded));
    const reference::Outcome outcome = reference::predict(document);
    if (outcome.silent.count("") != 0) continue;
    std::set<std::string> created;
    read(document.at("programs"), "create_fence", created);
    for (const auto& [thread, steps] : outcome.threads)
      for (const reference::StepOutcome& step : steps) {
        const Json& value = document.at(Json::json_pointer(step.pointer)).front();
        std::set<std::string> named;
        read(value, "fence", named);
        bool again = value.is_object() && value.contains("status") && !value.at("status").is_null();
        for (const std::string& name : named) again = again || created.count(name) != 0;
        if (again || named.empty() || step.statuses.empty()) continue;
        ++judged;
        INFO(seed << " " << step.pointer << " " << value.dump());
        CHECK(step.statuses.count("STATUS_INVALID_HANDLE") == 0);
      }
  }
  CHECK(judged > 10 * kSeeds);
}

TEST_CASE("A round trip is not over when others see its last value", "[generate]") {
  OneProcess empty;
  Plan& plan = empty.plan;
  FencePlan own;
  own.names = {{0, {"F", false}}};
  const std::size_t fence = plan.add_fence(own);
  scenario::Queue queue;
  queue.name = "q0";
  plan.add_queue(0, queue, engine::EngineKind::kCompute);
  const AgentId trips = plan.add_thread(0);
  const AgentId waits = plan.add_thread(0);
  REQUIRE(Rule<scenario::RepeatStep>::plan(plan, trips));
  const Event trip{trips, plan.agent(trips).acts};
  REQUIRE(plan.wait_for(waits, fence, plan.fences()[fence].value));
  CHECK_FALSE(plan.agent(waits).known.knows(trip));
}

/// Only the call that sets the event again clears it.
TEST_CASE("A thread waits for an event of a used name only after the call that clears it",
          "[generate]") {
  OneProcess empty;
  Plan& plan = empty.plan;
  const AgentId sets = plan.add_thread(0);
  const AgentId waits = plan.add_thread(0);
  FencePlan fence;
  fence.names = {{0, {"F", false}}};
  plan.add_fence(fence);
  REQUIRE(plan.signal(sets, 0));
  FreeEvent free;
  free.process = 0;
  free.name = "e0";
  constexpr int kWaits = 100;
  for (int i = 0; i < kWaits && plan.events().empty(); ++i) {
    plan.free_events() = {free};
    REQUIRE(Rule<scenario::WaitStep>::plan(plan, sets));
    if (!plan.events().empty() && plan.events().back().name != "e0") plan.events().clear();
  }
  REQUIRE(plan.events().size() == 1);
  const Event call{sets, plan.agent(sets).acts};
  CHECK(Rule<scenario::WaitEventStep>::plan(plan, waits));
  CHECK(plan.agent(waits).known.knows(call));
}

/// An error of a device ends waits for its fences, also those that no signal would end.
TEST_CASE("A wait in vain is over before a device in error has its fence", "[generate]") {
  OneProcess empty;
  Plan& plan = empty.plan;
  const AgentId thread = plan.add_thread(0);
  for (const char* name : {"F", "G"}) {
    FencePlan fence;
    fence.names = {{0, {name, false}}};
    plan.add_fence(fence);
    REQUIRE(plan.signal(thread, plan.fences().size() - 1));
  }
  // The fences that the last step waits for in vain.
  const auto in_vain = [&] {
    std::vector<std::size_t> fences;
    const scenario::Steps& steps = plan.scenario().programs[plan.agent(thread).program].steps;
    if (const auto* wait = std::get_if<scenario::WaitStep>(&steps.back().what))
      for (const scenario::FencePoint& point : wait->points)
        if (point.value.is_constant() && point.value.constant() == kNever)
          fences.push_back(point.fence == "F" ? 0 : 1);
    return fences;
  };
  constexpr int kWaits = 300;
  std::size_t judged = 0;
  for (int i = 0; i < kWaits; ++i) {
    if (!Rule<scenario::WaitStep>::plan(plan, thread)) continue;
    for (const std::size_t fence : in_vain()) {
      ++judged;
      CHECK(plan.fences()[fence].waited.knows(Event{thread, plan.agent(thread).acts}));
    }
  }
  CHECK(judged > 0);
  plan.errors().processes.insert(0);
  plan.errors().planned = true;
  for (int i = 0; i < kWaits; ++i)
    if (Rule<scenario::WaitStep>::plan(plan, thread)) CHECK(in_vain().empty());
}

/// No context comes before another one of its engine.
TEST_CASE("Buffers of two engines do not wait for each other", "[generate]") {
  OneProcess empty;
  Plan& plan = empty.plan;
  plan.add_thread(0);
  const auto context = [&](const char* name, const char* engine) {
    scenario::Context made;
    made.name = name;
    made.engine = engine;
    return plan.add_context(0, made, engine::EngineKind::kCompute);
  };
  const AgentId waits = context("c0", "compute0"), signals = context("c1", "compute0");
  const AgentId other_waits = context("c2", "compute1"), other = context("c3", "compute1");
  for (const char* name : {"F", "G"}) {
    FencePlan fence;
    fence.names = {{0, {name, false}}};
    plan.add_fence(fence);
  }
  REQUIRE(plan.signal(other, 0));
  REQUIRE(plan.signal(signals, 1));
  CHECK(plan.wait_for(waits, 0, plan.fences()[0].value));
  CHECK_FALSE(plan.wait_for(other_waits, 1, plan.fences()[1].value));
  CHECK(plan.wait_for(waits, 0, plan.fences()[0].value));
}

}  // namespace fenceline::generate::test_order
