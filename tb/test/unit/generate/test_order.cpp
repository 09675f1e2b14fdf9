// Order between the agents of generated scenarios.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

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

/// Of two threads that wait for one event, either may get it.
TEST_CASE("A thread waits for an event only after the wait for the earlier event of its name",
          "[generate]") {
  OneProcess empty;
  Plan& plan = empty.plan;
  const AgentId earlier = plan.add_thread(0);
  const AgentId later = plan.add_thread(0);
  const Event wait = plan.step(earlier, scenario::WaitEventStep{"e0", {}});
  PendingEvent event;
  event.name = "e0";
  event.after.learn(wait);
  plan.events().push_back(event);
  CHECK_FALSE(Rule<scenario::WaitEventStep>::plan(plan, later));
  CHECK(plan.events().size() == 1);

  FencePlan fence;
  fence.names = {{0, {"F", false}}};
  plan.add_fence(fence);
  CHECK(Rule<scenario::WaitEventStep>::plan(plan, later));
  CHECK(plan.events().empty());
  CHECK(plan.agent(later).known.knows(wait));
}

}  // namespace fenceline::generate::test_order
