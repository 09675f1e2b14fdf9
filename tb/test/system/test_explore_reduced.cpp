#include <catch2/catch.hpp>

#include "tb/explore/explore.h"
#include "tb/explore/search/first_agents.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/litmus.h"

namespace fenceline::system_tests::test_explore_reduced {

namespace explore = fenceline::explore;
namespace scenario = fenceline::scenario;
using explore::Exploration;
using explore::Verdict;
using fenceline::support::litmus;

TEST_CASE("settled facts make no new states", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  // A front end that knew what it had read before its packet, or what a walk had, would make twice
  // as many; footprints by lines, and interrupts in order with all that becomes visible, more yet.
  const scenario::Scenario scenario = litmus(
      "P09_log_two_barrier",
      {"/explore/bounds/queues=1", "/explore/bounds/signals=1", "/explore/bounds/waiters=1"});
  const Exploration exploration = explore::explore(scenario, {});
  CHECK(exploration.verdict == Verdict::kProved);
  CHECK(exploration.search.states > 400);
  CHECK(exploration.search.states < 1000);
}

TEST_CASE("submissions come first where each engine has one queue", "[explore]") {
  using fenceline::explore::first_agents;
  const std::vector<std::string> both = {"A.submit", "B.submit", "gpu0.pcie.down"};
  CHECK(first_agents(litmus("P09_log_two_barrier")) == both);
  CHECK(first_agents(litmus("P09_log_two_barrier", {"/platform/host/memory_model=tso"})).empty());
  CHECK(first_agents(litmus("P09_log_two_barrier", {"/processes/0/queues/1/engine=compute0"}))
            .empty());
}

TEST_CASE("device writes with only one possible order take no steps", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const auto states = [](const std::string& set) {
    const scenario::Scenario scenario = litmus("P01_sb_full", {set});
    const Exploration exploration = explore::explore(scenario, {});
    CHECK(exploration.verdict == Verdict::kProved);
    return exploration.search.states;
  };
  const std::uint64_t ordered = states("/platform/ordering/pcie.msi_ordered=true");
  CHECK(states("/platform/ordering/pcie.msi_ordered=false") > ordered * 5 / 4);
}

}  // namespace fenceline::system_tests::test_explore_reduced
