#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/services.h"
#include "tb/compare/page_timeline.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/explore/story/story.h"
#include "tb/explore/story/story_timeline.h"
#include "tb/report/writers/page_shell.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/page_text.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_story {

namespace cli = fenceline::cli;
namespace explore = fenceline::explore;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;
namespace fs = std::filesystem;

namespace {

std::string litmus(const std::string& name) {
  return std::string(FENCELINE_SOURCE_DIR) + "/scenarios/litmus/" + name + ".json";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the lost waiter of the missing CMP barrier is explained in two sentences and lanes",
          "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Exploration found =
      explore::explore(scenario::load(litmus("P02_sb_no_cmp_barrier"), {}), {});
  const explore::Counterexample& lost = found.counterexamples.at(0);
  REQUIRE(lost.why.size() == 2);
  CHECK(has(lost.why[0], "nothing is left to do at step 24"));
  CHECK(has(lost.why[1],
            "gpu0.compute0 reads the shadow MonitoredValue none of F before the shadow "
            "MonitoredValue of F in gpu0 is 0"));
  const std::string lanes = explore::swim_lanes(lost);
  CHECK(has(lanes, "!  gpu0.compute0 reads the shadow MonitoredValue none of F\n"));
  CHECK(has(lanes, "  gpu0.cmp.vram0: the shadow MonitoredValue of F in gpu0 is 0\n"));
  CHECK(has(lanes,
            "  step  engine        CMP           on its way    interrupt     CPU\n   ... 3 steps "
            "of T0\n"));
  REQUIRE(lost.held.size() == 2);
  CHECK(lost.held[1].first == 23);
  CHECK(lost.held[1].second == 24);
  CHECK(lost.inevitable == 23);
  CHECK(lost.decisive.first == 23);
  CHECK(lost.decisive.second == 24);
}

TEST_CASE("a hang names the thread and its wait and the step that clears its event",
          "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = scenario::load(litmus("L129_event_cleared_late"), {});
  const explore::Exploration found = explore::explore(scenario, {});
  const explore::Counterexample& hang = found.counterexamples.at(0);
  const std::string end =
      "T0 has not ended: it sleeps in its wait for F >= 1 until its event is set, and the OS has "
      "already released the wait; CurrentValue of F is 1";
  CHECK(hang.violation.message == "nothing is left to do, and " + end);
  REQUIRE(hang.at_end.size() == 1);
  CHECK(has(hang.at_end[0], end + ", written at step "));
  CHECK(explore::title_of(hang.violation) == "HANG");
  const std::string lanes = explore::swim_lanes(hang);
  CHECK(has(lanes, "T0: the OS clears the event of T0\n"));
  CHECK(has(lanes, "  end   " + end));
  // It breaks no invariant, and nothing says that it does.
  const explore::Judgement judgement = judge(scenario, found);
  const char* meaning = "Some order leaves an agent that never ends";
  CHECK(has(exploration_text(scenario, found, judgement), std::string("HANG\n  ") + meaning));
  const std::string result = exploration_json(scenario, found, judgement);
  CHECK(has(result, std::string("\"verdict_meaning\": \"") + meaning));
  CHECK(has(result, std::string("\"meaning\": \"") + meaning));
  CHECK_FALSE(has(result, "Some order breaks an invariant"));
}

TEST_CASE("the story of a lost waiter ends with its wait", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  scenario::Scenario scenario = scenario::load(litmus("P02_sb_no_cmp_barrier"), {});
  scenario.expect = {};
  const explore::Exploration found = explore::explore(scenario, {});
  CHECK(found.counterexamples.at(0).at_end ==
        std::vector<std::string>{"T0 has not ended: it sleeps for ever in its wait for F >= 1; "
                                 "CurrentValue of F is 1, written at step 21"});
  // Time stands still in a search: reasons have numbers of steps.
  const std::string reason = explore::judge(scenario, found).reasons.at(0);
  CHECK(has(reason, "nothing is left to do at step 24"));
  CHECK_FALSE(has(reason, " ps"));
}

TEST_CASE("a story tells where an interrupt that arrives came from", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Exploration found =
      explore::explore(scenario::load(litmus("P13_msi_overtakes"), {}), {});
  const std::string lanes = explore::swim_lanes(found.counterexamples.at(0));
  CHECK(has(lanes, "the engine compares signal 1 of F (1) with MonitoredValue: above"));
  CHECK(has(lanes, "the CMP of gpu0 raises an interrupt for F at 1"));
  CHECK(has(lanes, "core0 accepts the interrupt of gpu0"));
}

TEST_CASE("a story says what each step looked at and which two steps decide it",
          "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = scenario::load(litmus("L08_park_unseen"), {});
  const explore::Exploration found = explore::explore(scenario, {});
  const std::string text = exploration_text(scenario, found, judge(scenario, found));
  INFO(text);
  // The deciding order precedes the orders that a hold has to fix.
  const std::string decided =
      "  It is decided by this order: step 11 (gpu0.compute0: the command processor of gpu0 looks "
      "for parked queues that wait for F: there is none) comes before step 12 (gpu0.compute1: W is "
      "parked: it has read a value of F below 1). From step 11 on, every order breaks it.\n  It "
      "happens when ";
  CHECK(has(text, decided));
  CHECK(has(text,
            "  queue 'W' waits for fence 'F' to reach 1 since step 6; CurrentValue is 1 and "
            "nothing is left to do at step 13 ("));
  CHECK(has(text, "    6*  gpu0.compute1: W waits for F to reach 1\n"));
  CHECK(
      has(text,
          "   11!  gpu0.compute0: the engine compares signal 1 of F (1) with MonitoredValue: not "
          "above, the CMP is not told\n   11!  gpu0.compute0: the command processor of gpu0 looks "
          "for parked queues that wait for F: there is none\n"));
  CHECK(has(text, "   12!  gpu0.compute1: W is parked: it has read a value of F below 1\n"));
  CHECK(has(text,
            "\n  end   queue W still waits for F to reach 1; CurrentValue of F is 1, written at "
            "step 9\n"));
}

TEST_CASE("a story says who masks the interrupt that is lost", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = scenario::load(
      std::string(FENCELINE_SOURCE_DIR) + "/scenarios/history/masked_edge_lost.json", {});
  const explore::Exploration found = explore::explore(scenario, {});
  const explore::Counterexample& lost = found.counterexamples.at(0);
  const std::string lanes = explore::swim_lanes(lost);
  INFO(lanes);
  CHECK(lost.why.at(1) ==
        "No write has to be held back: it happens even if each write arrives at once.");
  const std::size_t masks = lanes.find("T0 masks the interrupts of core0\n");
  const std::size_t gone = lanes.find(
      "the interrupt of vector 0 is lost: core0 masks interrupts and keeps no pending bit\n");
  const std::size_t unmasks = lanes.find("T0 unmasks the interrupts of core0\n");
  REQUIRE(unmasks != std::string::npos);
  CHECK(masks < gone);
  CHECK(gone < unmasks);
}

TEST_CASE("a story names doorbells and shows those of other GPUs", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Exploration found =
      explore::explore(scenario::load(litmus("L62b_doorbell_overtakes"), {}), {});
  const explore::Counterexample& lost = found.counterexamples.at(0);
  const std::string lanes = explore::swim_lanes(lost);
  INFO(lanes);
  for (const char* line :
       {"gpu0.compute0 puts its write to the peer doorbell of gpu1 into its FIFO\n",
        "gpu0.pcie.up_relaxed moves its write to the peer doorbell of gpu1 on\n",
        "gpu1.pcie.down: the doorbell of another GPU arrives at gpu1; waiting queues that look "
        "again: "
        "0\n"})
    CHECK(has(lanes, line));
  const auto told = [&](const char* text) {
    return std::find(lost.told.begin(), lost.told.end(), text) != lost.told.end();
  };
  CHECK(told("E.submit rings the doorbell of E"));
  CHECK(told("gpu1.pcie.down moves its write to the doorbell of W on"));
}

TEST_CASE("the text says that each of several cures is enough", "[explore][story]") {
  const scenario::Scenario scenario = scenario::load(litmus("L62b_doorbell_overtakes"), {});
  explore::Exploration found;
  found.counterexamples.resize(1);
  found.counterexamples[0].prevented_by = {"a=1"};
  CHECK(has(exploration_text(scenario, found, {}), "\n  would be prevented by: a=1\n"));
  found.counterexamples[0].prevented_by.emplace_back("b=2");
  CHECK(has(exploration_text(scenario, found, {}),
            "\n  each of these alone would prevent it: a=1, b=2\n"));
}

TEST_CASE("the run in time has the story of its counterexample", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  scenario::Scenario scenario = scenario::load(litmus("P02_sb_no_cmp_barrier"), {});
  const explore::Exploration found = explore::explore(scenario, {});
  const explore::Counterexample& lost = found.counterexamples.at(0);
  REQUIRE(lost.timed);
  scenario.holds = lost.timed_holds;
  report::Record record;
  const report::RunReport report = run::run_scenario(scenario, {}, record);
  const report::Timeline timeline = timeline_with_story(lost, record, report);
  CHECK(timeline.story.size() == lost.story.size());
  const auto late =
      std::find_if(timeline.story.begin(), timeline.story.end(), [](const report::StoryMark& mark) {
        return mark.text == "gpu0.cmp.vram0: the shadow MonitoredValue of F in gpu0 is 0";
      });
  REQUIRE(late != timeline.story.end());
  CHECK(late->lane == report::Lane::kCmp);
  REQUIRE(late->after < timeline.story.size());
  const report::StoryMark& before = timeline.story[late->after];
  CHECK(before.text == "gpu0.compute0 reads the shadow MonitoredValue none of F");
  CHECK(before.lane == report::Lane::kEngine);
  CHECK(before.time <= late->time);
}

TEST_CASE("an exploration leaves picture and trace of what it found", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const fenceline::support::TempFolder folder;
  const fs::path out = folder / "found";
  std::ostringstream text, errors;
  CHECK(cli::run_program({"explore", litmus("P02_sb_no_cmp_barrier"), "--out", out.string()},
                         cli::program_services(), {text, errors}) == 0);
  const std::string picture = content(out / "I1.timeline.svg");
  CHECK(has(picture, "class=\"hold\""));
  CHECK(has(picture, "gpu0.compute0 reads the shadow MonitoredValue none of F"));
  CHECK(has(picture, "had happened)"));
  CHECK(has(picture, "wait F &gt;= 1, never ended"));
  const std::string trace = content(out / "I1.pftrace");
  CHECK(has(trace, "Counterexample"));
  CHECK(has(trace, ". gpu0.compute0 reads the shadow MonitoredValue none of F"));
}

TEST_CASE("an exploration leaves a page with its result and what it found", "[explore][story]") {
  if (!fenceline::support::can_explore() || report::run_page().shell.empty()) return;
  const fenceline::support::TempFolder folder;
  const fs::path out = folder / "found";
  std::ostringstream text, errors;
  CHECK(cli::run_program({"explore", litmus("P02_sb_no_cmp_barrier"), "--out", out.string()},
                         cli::program_services(), {text, errors}) == 0);
  const compare::PageData one = compare::read_page(content(out / "I1.report.html"));
  CHECK(one.meta.at("rows").at(0).at("kind") == "story");
  CHECK(has(one.meta.at("names").dump(), ". gpu0.compute0 reads the shadow MonitoredValue none"));
  const std::string page = content(out / "report.html");
  const std::string meta = fenceline::support::meta_text(page);
  CHECK(has(meta, "\"kind\":\"exploration\""));
  CHECK(has(meta, "\"verdict\":\"VIOLATED\""));
  CHECK(has(page, one.columns));
}

TEST_CASE("stories name the words of memory that steps read and write", "[explore][story]") {
  if (!fenceline::support::can_explore()) return;
  const auto check = [](const char* name, const std::vector<const char*>& lines,
                        const std::set<std::string>& about = {}) {
    explore::ExploreOptions options;
    options.brief = about.empty();
    options.limits.first_only = about.empty();
    options.limits.executions = 1'500;
    options.limits.about = about;
    const explore::Exploration found = explore::explore(scenario::load(litmus(name), {}), options);
    const std::string lanes = explore::swim_lanes(found.counterexamples.at(0));
    for (const char* line : lines) {
      INFO(name << ": " << line << '\n' << lanes);
      CHECK(has(lanes, line));
    }
  };
  check("L107c_connected_once",
        {"T1 reads the last queued value of A\n",
         "T0 writes the ring of A and the last queued value of A\n",
         "gpu0.compute0 reads the write pointer of A\n", "T0 writes the write pointer of A\n",
         "T1 writes the doorbell status of A\n", "T0 reads the doorbell status of A\n"});
  check("L133_scanned_before", {"T1 writes the doorbell address of A\n"});
  check("L124_acknowledged_uncounted", {"core0.isr reads entry 1 of the interrupt ring of gpu0\n"});
  check("L131_barrier_of_waiter", {"T1 reads the number of waiters of gpu0\n"});
  check("L114_no_store_fence", {"scheduler puts a write into its FIFO\n"});
  check("L135_entry_loaded_early", {"core0.early lets a load of entry 0 or 1 of the interrupt ring "
                                    "of gpu0 take effect earlier\n"});
  check("L136_log_loaded_early",
        {"core0.early lets a load of the header of E.signals or entry 0 "
         "of E.signals take effect earlier\n"},
        {"I17"});
}

}  // namespace fenceline::system_tests::test_story
