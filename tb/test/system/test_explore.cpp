#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "tb/explore/matrix.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/run/run_scenario.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/litmus.h"

namespace fenceline::system_tests::test_explore {

namespace explore = fenceline::explore;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;
using explore::Exploration;
using explore::ExploreOptions;
using explore::Verdict;
using fenceline::support::litmus;

namespace {

const explore::Counterexample* find(const Exploration& exploration, const std::string& invariant) {
  const auto& all = exploration.counterexamples;
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& found) {
    return found.violation.invariant == invariant;
  });
  return it == all.end() ? nullptr : &*it;
}

bool broke(const report::RunReport& report, const std::string& invariant) {
  return std::any_of(report.violations.begin(), report.violations.end(),
                     [&](const auto& it) { return it.invariant == invariant; });
}

}  // namespace

TEST_CASE("the full design loses no waiter in any order", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = litmus("P01_sb_full");
  const Exploration exploration = explore::explore(scenario, {});
  CHECK(exploration.verdict == Verdict::kProved);
  CHECK(exploration.search.complete);
  CHECK(exploration.search.states > 100);
  CHECK(exploration.search.choices <= 50);
  CHECK(judge(scenario, exploration).exit_code == 0);
}

TEST_CASE("the search returns the expected verdict for each litmus test with one waiter",
          "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  for (const char* name :
       {"P02_sb_no_cmp_barrier", "P02b_sb_raise_self", "P02c_sb_raise_drain",
        "P03_sb_no_signal_barrier", "P06_drop_both", "P07_drop_ack_and_recheck", "P08_ddi_post",
        "P13_msi_overtakes", "P13b_msi_ordered", "P13c_msi_reach_host", "P15_cv_tear",
        "P15b_cv_whole", "P16_cmp_clear_late", "P16b_cmp_clear_first", "L31_mv_tear"}) {
    CAPTURE(name);
    scenario::Scenario scenario = litmus(name);
    const explore::Judgement judgement = judge(scenario, explore::explore(scenario, options));
    CAPTURE(judgement.reasons);
    CHECK(judgement.exit_code == 0);
  }
}

TEST_CASE("the search proves the combined scenarios that are small", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  for (const char* name :
       {"error_meets_close", "queue_hang_in_every_order", "two_submissions_queue"}) {
    CAPTURE(name);
    const scenario::Scenario scenario =
        scenario::load(std::string(FENCELINE_SOURCE_DIR) + "/scenarios/combined/" + name + ".json");
    const Exploration exploration = explore::explore(scenario, options);
    CHECK(exploration.verdict == Verdict::kProved);
    CHECK(exploration.search.states > 20);
  }
}

TEST_CASE("without the barrier of the CMP two holds lose the waiter", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = litmus("P02_sb_no_cmp_barrier");
  const Exploration exploration = explore::explore(scenario, {});
  REQUIRE(exploration.verdict == Verdict::kViolated);
  const explore::Counterexample* lost = find(exploration, "I1");
  REQUIRE(lost != nullptr);
  CHECK(lost->holds.size() == 2);
  CHECK(lost->replays <= 200);
  CHECK(lost->eager);
  REQUIRE(lost->timed);
  CHECK(lost->why.size() == 2);
  CHECK(lost->inevitable > 1);
  CHECK(lost->inevitable < lost->steps);
  CHECK(find(exploration, "I6") != nullptr);  // every family that breaks, not the first

  SECTION("every hold is needed on the cycle timeline") {
    scenario::Scenario held = scenario;
    run::RunOptions timing;
    report::Record record(0);
    held.holds = lost->timed_holds;
    CHECK(broke(run::run_scenario(held, timing, record), "I1"));
    for (std::size_t left_out = 0; left_out < lost->timed_holds.size(); ++left_out) {
      held.holds = lost->timed_holds;
      held.holds.erase(held.holds.begin() + static_cast<std::ptrdiff_t>(left_out));
      CHECK_FALSE(broke(run::run_scenario(held, timing, record), "I1"));
    }
  }
  SECTION("the whole run replays with the same states") {
    scenario::Scenario free = scenario;
    free.explore.steps = fenceline::common::Grain::kAll;  // as searches do
    free.holds.clear();
    run::RunOptions follow;
    follow.trace = lost->trace;
    report::Record record(0);
    const report::RunReport first = run::run_scenario(free, follow, record);
    CHECK(broke(first, "I1"));
    run::RunOptions replay;
    replay.policy = scenario::PolicyKind::kRandom;
    replay.choices = first.choices;
    CHECK(broke(run::run_scenario(free, replay, record), "I1"));
  }
}

TEST_CASE("a search without reductions finds the same violations", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  for (const char* name : {"P06_drop_both", "P15b_cv_whole", "P15_cv_tear"}) {
    CAPTURE(name);
    scenario::Scenario scenario = litmus(name);
    scenario.holds.clear();
    ExploreOptions options;
    options.explain = false;
    options.limits.executions = 200'000;
    options.limits.fallback = 0;
    const Exploration reduced = explore::explore(scenario, options);
    const explore::Comparison compared = explore::compare_unreduced(scenario, options, reduced);
    CHECK(compared.differs.empty());
  }
}

TEST_CASE("repeating an exploration gives the same result", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = litmus("P13_msi_overtakes");
  const Exploration one = explore::explore(scenario, {});
  const Exploration two = explore::explore(scenario, {});
  CHECK(exploration_json(scenario, one, judge(scenario, one)) ==
        exploration_json(scenario, two, judge(scenario, two)));
}

TEST_CASE("a search that gives up says so and is no proof", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = litmus("P01_sb_full");
  ExploreOptions options;
  options.limits.executions = 100;
  options.limits.fallback = 10;
  const Exploration exploration = explore::explore(scenario, options);
  CHECK(exploration.verdict == Verdict::kIncomplete);
  CHECK_FALSE(exploration.search.why_incomplete.empty());
  CHECK(exploration.search.fallback == 10);
  CHECK(judge(scenario, exploration).exit_code == 5);
}

TEST_CASE("a search reports the orders and the invariants that it has covered", "[explore]") {
  if (!explore::Arena::available()) return;
  const scenario::Scenario scenario = litmus("P01_sb_full");
  const Exploration exploration = explore::explore(scenario, {});
  const explore::Coverage& met = exploration.search.coverage;
  REQUIRE(met.races.count({"gpu0.cmp read_value", "gpu0.compute0.vram0 drain"}) == 1);
  CHECK(met.races.at({"gpu0.cmp read_value", "gpu0.compute0.vram0 drain"}).both());
  CHECK(met.tested[0] > 0);    // I1
  CHECK(met.tested[12] == 0);  // I13: there is no log
  const std::string text = exploration_text(scenario, exploration, judge(scenario, exploration));
  CHECK(text.find("met both ways") != std::string::npos);
}

TEST_CASE("a run too long to search all its orders is run in random ones", "[explore]") {
  if (!explore::Arena::available()) return;
  ExploreOptions options;
  options.limits.long_run = 20;
  options.limits.fallback = 10;
  const Exploration exploration = explore::explore(litmus("P01_sb_full"), options);
  CHECK(exploration.verdict == Verdict::kIncomplete);
  CHECK(exploration.search.executions == 0);
  CHECK(exploration.search.fallback == 10);
  options.limits.sampled = 100;
  CHECK(explore::explore(litmus("P01_sb_full"), options).search.fallback < 10);
}

TEST_CASE("a search whose time is up gives up and can go on", "[explore]") {
  if (!explore::Arena::available()) return;
  ExploreOptions options;
  options.limits.fallback = 10;
  options.limits.search_until = std::chrono::steady_clock::now();
  options.keep_left = true;
  const Exploration late = explore::explore(litmus("P01_sb_full"), options);
  CHECK(late.verdict == Verdict::kIncomplete);
  CHECK(late.search.why_incomplete == "the time is up");
  CHECK(late.search.fallback == 10);
  CHECK_FALSE(late.left.empty());
  options.limits.search_until = {};
  CHECK(explore::explore(litmus("P01_sb_full"), options, late.left).verdict == Verdict::kProved);
}

TEST_CASE("a large search that is shared out proves the same with any number of processes",
          "[explore]") {
  if (!fenceline::support::can_explore()) return;
  scenario::Scenario scenario = litmus("P05_drop_resample");
  for (scenario::Program& program : scenario.programs)
    if (!program.commands.empty()) program.commands.push_back(program.commands.back());
  ExploreOptions options;
  options.limits.executions = 120'000;
  options.limits.fallback = 10;
  options.keep_left = true;
  const Exploration one = explore::explore(scenario, options);
  CHECK(one.search.states > 20'000);
  options.jobs = 3;
  const Exploration three = explore::explore(scenario, options);
  CHECK(exploration_json(scenario, one, judge(scenario, one)) ==
        exploration_json(scenario, three, judge(scenario, three)));
  CHECK(one.left == three.left);
}

TEST_CASE("a resumed search finds what the uninterrupted search would have found", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  for (const char* name : {"P02_sb_no_cmp_barrier", "P05_drop_resample"}) {
    CAPTURE(name);
    const scenario::Scenario scenario = litmus(name);
    ExploreOptions options;
    const Exploration whole = explore::explore(scenario, options);
    options.keep_left = true;
    std::string left;
    for (const std::uint64_t executions : {250U, 500U}) {
      options.limits.executions = executions;
      options.limits.fallback = 10;
      const Exploration some = explore::explore(scenario, options, left);
      CHECK_FALSE(some.search.complete);
      REQUIRE_FALSE(some.left.empty());
      left = some.left;
    }
    options.limits = {};
    const Exploration rest = explore::explore(scenario, options, left);
    CHECK(rest.left.empty());
    CHECK(exploration_json(scenario, rest, judge(scenario, rest)) ==
          exploration_json(scenario, whole, judge(scenario, whole)));
  }
}

TEST_CASE("an interrupted search keeps its state from the begin of the last round", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const std::atomic<bool> interrupted{true};
  ExploreOptions options;
  options.interrupted = &interrupted;
  options.keep_left = true;
  const scenario::Scenario scenario = litmus("P05_drop_resample");
  const Exploration some = explore::explore(scenario, options);
  CHECK(some.verdict == Verdict::kIncomplete);
  CHECK(some.search.interrupted);
  REQUIRE_FALSE(some.left.empty());
  const Exploration rest = explore::explore(scenario, {}, some.left);
  CHECK(rest.verdict == Verdict::kProved);
  CHECK_FALSE(rest.search.interrupted);
}

TEST_CASE("random priorities find what the search had no time for", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.executions = 10;
  const Exploration exploration = explore::explore(litmus("P02_sb_no_cmp_barrier"), options);
  CHECK(exploration.search.fallback > 0);
  CHECK(exploration.verdict == Verdict::kViolated);
}

TEST_CASE("random orders find violations and prove nothing", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.executions = 100;
  for (const explore::Strategy strategy : {explore::Strategy::kPct, explore::Strategy::kRandom}) {
    options.limits.strategy = strategy;
    CAPTURE(strategy_name(strategy));
    const scenario::Scenario good = litmus("P01_sb_full");
    const Exploration nothing = explore::explore(good, options);
    CHECK(nothing.verdict == Verdict::kIncomplete);
    CHECK(nothing.search.executions == 100);
    CHECK(nothing.search.finished == 100);  // each to its end
    CHECK(judge(good, nothing).exit_code == 5);
    const Exploration broken = explore::explore(litmus("P06_drop_both"), options);
    CHECK(broken.verdict == Verdict::kViolated);
    REQUIRE(find(broken, "I1") != nullptr);
    CHECK(find(broken, "I1")->execution >= 1);
    CHECK(find(broken, "I1")->execution <= 100);
  }
}

TEST_CASE("a violation of the warm-up has the number of an execution that repeats it",
          "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  const Exploration exploration = explore::explore(litmus("P06_drop_both"), options);
  REQUIRE(find(exploration, "I1") != nullptr);
  CHECK(find(exploration, "I1")->execution >= 1);
  CHECK(find(exploration, "I1")->execution <= exploration.search.executions);
}

TEST_CASE("the matrix shows which mechanisms back each other up", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P01_sb_full", overrides);
  };
  const explore::Matrix matrix =
      explore::explore_matrix({"cmp.recheck", "os.resample"}, load, {}, 2);
  REQUIRE(matrix.rows.size() == 4);
  CHECK(matrix.rows[0].verdict == Verdict::kViolated);
  CHECK(matrix.rows[3].verdict == Verdict::kProved);
  CHECK(matrix.sufficient == std::vector<std::uint32_t>{1, 2});
  CHECK(matrix.backups == std::vector<std::uint32_t>{3});
}

TEST_CASE("switches that prevent a finding are computed", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P06_drop_both", overrides);
  };
  const scenario::Scenario scenario = litmus("P06_drop_both");
  Exploration exploration = explore::explore(scenario, {});
  find_preventions(scenario, load, {}, exploration);
  const explore::Counterexample* lost = find(exploration, "I1");
  REQUIRE(lost != nullptr);
  CHECK(lost->holds.empty());  // it shows under default timing
  CHECK(lost->prevented_by ==
        std::vector<std::string>{"cmp.recheck=at_least", "os.resample=after_ddi"});
  CHECK(lost->mechanisms.size() == 2);
  CHECK(lost->mechanisms[0] ==
        "cmp.recheck=false: only the OS can find a value that was written before the update");
  CHECK(lost->not_prevented.empty());
}

TEST_CASE("bounds make a scenario smaller and are part of the verdict", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  const auto bound = [](const char* name, int value) {
    return "/explore/bounds/" + std::string(name) + "=" + std::to_string(value);
  };
  // A bug that needs two signals cannot be seen with one.
  const Exploration two = explore::explore(litmus("P16_cmp_clear_late"), options);
  const Exploration one =
      explore::explore(litmus("P16_cmp_clear_late", {bound("signals", 1)}), options);
  CHECK(two.verdict == Verdict::kViolated);
  CHECK(one.verdict == Verdict::kProved);
  CHECK(one.bounds.text().find("signals<=1 ") == 0);
  CHECK_FALSE(one.search.waits);  // the wait for the second signal is cut too
  CHECK(one.search.completes);
  // Fewer interrupts in flight: fewer runs, and those beyond are counted.
  const Exploration limited =
      explore::explore(litmus("L06b_merged_and_forgotten", {bound("interrupts", 1)}), options);
  CHECK(limited.search.beyond > 0);
  CHECK(limited.bounds.most.back().name == "interrupts");
  CHECK(limited.bounds.most.back().most == 1);
}

TEST_CASE("a wait for a value that is never signalled breaks nothing and is reported",
          "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  // The value of another fence is never signalled.
  const scenario::Scenario lonely =
      litmus("P01_sb_full",
             {"/processes/0/fences/-={\"name\": \"G\"}", "/programs/1/steps/0/wait/fence=G"});
  const Exploration exploration = explore::explore(lonely, options);
  CHECK(exploration.verdict == Verdict::kProved);
  CHECK(exploration.search.waits);
  CHECK(judge(lonely, exploration).exit_code == 3);  // its run is expected to complete
  const scenario::Scenario hang = litmus("P15b_cv_whole");
  CHECK(judge(hang, explore::explore(hang, options)).exit_code == 0);
}

TEST_CASE("a search for some invariants ignores the others", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.about = {"I1"};
  CHECK(explore::explore(litmus("P08_ddi_post"), options).verdict == Verdict::kProved);
  const Exploration lost = explore::explore(litmus("P03_sb_no_signal_barrier"), options);
  REQUIRE(lost.search.findings.size() == 1);
  CHECK(lost.search.findings.begin()->second.violation.invariant == "I1");
  options.limits.first_only = true;
  CHECK(explore::explore(litmus("P03_sb_no_signal_barrier"), options).search.executions <
        lost.search.executions);
}

}  // namespace fenceline::system_tests::test_explore
