// Differences between a prediction and a run, both written by hand.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/campaign/compare.h"
#include "tb/test/unit/campaign/small_prediction.h"

namespace fenceline::campaign::test_compare {

namespace {

using reference::Happens;

/// A run that is as wanted.
Observation found() {
  Observation seen;
  seen.agents = {{Agent::Kind::kThread, "t"}, {Agent::Kind::kQueue, "app/q"}};
  seen.fences["app/F"] = 1;
  seen.words["app/A"][8] = 6;
  seen.threads["t"] = {{kFirst, true, {STATUS_SUCCESS}, std::nullopt, {1}},
                       {kSecond, true, {STATUS_SUCCESS}, std::nullopt, {2, 1}}};
  seen.commands["app/q"] = {{kCommand, true, {1, 1}}};
  return seen;
}

/// The only difference of a comparison.
Difference only(const reference::Outcome& wanted, const Observation& found) {
  const Comparison result = compare(wanted, found);
  REQUIRE(result.differences.size() == 1);
  return result.differences.front();
}

}  // namespace

TEST_CASE("a run as predicted has no difference and its statements are counted", "[campaign]") {
  const Comparison result = compare(small_prediction(), found());
  CHECK(result.differences.empty());
  using Kind = DifferenceKind;
  for (const auto& [kind, fixed] : {std::pair<Kind, unsigned>{Kind::kBugCheck, 1},
                                    {Kind::kHang, 1},
                                    {Kind::kValue, 1},
                                    {Kind::kWait, 2},
                                    {Kind::kStatus, 2},
                                    {Kind::kOrder, 1},
                                    {Kind::kLostWork, 1}})
    CHECK(result.statements[kind].fixed == fixed);
  CHECK(result.statements[Kind::kBytes].sets == 1);
}

TEST_CASE("commands of each submitter are judged in any order among submitters", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.commands["app/q"] = {{"/a", Happens::kAlways, {}, "t"},
                               {"/b", Happens::kAlways, {}, "u"}};
  Observation seen = found();
  seen.commands["app/q"] = {{"/b", true, {}, "u", 1, 0}, {"/a", true, {}, "t", 1, 1}};
  CHECK(compare(outcome, seen).differences.empty());
  CHECK(compare(outcome, seen).statements[DifferenceKind::kLostWork].fixed == 2);
  seen.commands["app/q"][1].done = false;
  CHECK(only(outcome, seen).sentence == "queue app/q did not do command /a");
}

TEST_CASE("a command that is done before the one in front of it is lost work", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.commands["app/q"].push_back({kSecond, Happens::kAlways, {}});
  Observation seen = found();
  seen.commands["app/q"] = {{kCommand, true, {1, 2}, "", 1, 1}, {kSecond, true, {1, 2}, "", 1, 0}};
  const Difference difference = only(outcome, seen);
  CHECK(difference.kind == DifferenceKind::kLostWork);
  CHECK(difference.sentence ==
        "queue app/q did command /programs/0/steps/1 before command /programs/1/commands/0, which "
        "is in front of it");
}

TEST_CASE("a command that is done twice is a difference", "[campaign]") {
  Observation seen = found();
  seen.commands["app/q"][0].times = 2;
  CHECK(only(small_prediction(), seen).sentence ==
        "queue app/q did command /programs/1/commands/0 2 times");
}

TEST_CASE("a command that the prediction does not know is a difference", "[campaign]") {
  Observation seen = found();
  seen.commands["app/q"].push_back({kSecond, false, {}});
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kLostWork);
  CHECK(difference.place == kSecond);
  seen = found();
  seen.commands["app/q"].push_back({kSecond, false, {}, "u"});
  CHECK(only(small_prediction(), seen).place == kSecond);
}

TEST_CASE("what the documents leave open is counted and is no difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.fences["app/F"] = {true, {}};
  outcome.hangs = Happens::kMaybe;
  outcome.threads["t"][0].statuses.clear();
  Observation seen = found();
  seen.fences["app/F"] = 99;
  const Comparison result = compare(outcome, seen);
  CHECK(result.differences.empty());
  CHECK(result.statements[DifferenceKind::kValue].open == 1);
  CHECK(result.statements[DifferenceKind::kHang].open == 1);
  CHECK(result.statements[DifferenceKind::kStatus].open == 1);
}

TEST_CASE("a wrong value of a fence names the fence and both values", "[campaign]") {
  Observation seen = found();
  seen.fences["app/F"] = 2;
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kValue);
  CHECK(difference.place == "app/F");
  CHECK(difference.sentence == "fence app/F is 2 at the end, and must be 1");
}

TEST_CASE("a fence that is gone is a difference", "[campaign]") {
  Observation seen = found();
  seen.fences.clear();
  CHECK(only(small_prediction(), seen).sentence == "fence app/F does not exist at the end");
}

TEST_CASE("a fence that must be gone is a difference if it is there", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.fences["app/F"] = {};
  CHECK(only(outcome, found()).sentence == "fence app/F exists at the end, and must not");
  Observation seen = found();
  seen.fences.clear();
  CHECK(compare(outcome, seen).differences.empty());
}

TEST_CASE("a fence that may be gone is no difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.fences["app/F"] = {true, {}};
  Observation seen = found();
  seen.fences.clear();
  CHECK(compare(outcome, seen).differences.empty());
}

TEST_CASE("a load of another value is a difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.threads["t"][0].loaded = {false, {3}};
  Observation seen = found();
  seen.threads["t"][0].loaded = 4;
  const Difference difference = only(outcome, seen);
  CHECK(difference.kind == DifferenceKind::kValue);
  CHECK(difference.sentence == "thread t loaded 4 in step /programs/0/steps/0, and must load 3");
}

TEST_CASE("of a thread that does not go on the first step counts", "[campaign]") {
  Observation seen = found();
  seen.threads["t"][0].ended = false;
  seen.threads["t"].pop_back();
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kWait);
  CHECK(difference.place == kFirst);
  CHECK(difference.sentence == "thread t did not end step /programs/0/steps/0");
}

TEST_CASE("a step that must not end and ends is a difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.threads["t"][1].ends = Happens::kNever;
  CHECK(only(outcome, found()).sentence == "thread t must not end step /programs/0/steps/1");
}

TEST_CASE("a step that the prediction does not know is a difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.threads["t"].pop_back();
  const Difference difference = only(outcome, found());
  CHECK(difference.kind == DifferenceKind::kWait);
  CHECK(difference.place == kSecond);
}

TEST_CASE("a step that ends too early names what it was to wait for", "[campaign]") {
  Observation seen = found();
  seen.threads["t"][1].over = {2, 0};
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kOrder);
  CHECK(difference.place == kSecond);
  CHECK(difference.sentence ==
        "thread t ended step /programs/0/steps/1 before queue app/q had done 1 commands");
}

TEST_CASE("a command that is done too early names the thread", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.commands["app/q"][0].after = {{"t", 2}};
  const Difference difference = only(outcome, found());
  CHECK(difference.kind == DifferenceKind::kOrder);
  CHECK(difference.sentence ==
        "queue app/q did command /programs/1/commands/0 before thread t had ended 2 steps");
}

TEST_CASE("a command that is not done is lost work", "[campaign]") {
  Observation seen = found();
  seen.commands["app/q"][0].done = false;
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kLostWork);
  CHECK(difference.sentence == "queue app/q did not do command /programs/1/commands/0");
}

TEST_CASE("a command that nobody recorded is lost work", "[campaign]") {
  Observation seen = found();
  seen.commands.clear();
  CHECK(only(small_prediction(), seen).kind == DifferenceKind::kLostWork);
}

TEST_CASE("another status is a difference with both names", "[campaign]") {
  Observation seen = found();
  seen.threads["t"][0].statuses = {STATUS_INVALID_HANDLE};
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kStatus);
  CHECK(difference.sentence ==
        "a call of thread t in step /programs/0/steps/0 returned STATUS_INVALID_HANDLE, and must "
        "return STATUS_SUCCESS");
}

TEST_CASE("a wrong word names its offset and the first of an allocation counts", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.contents["app/A"][16] = {false, {1}};
  Observation seen = found();
  seen.words["app/A"] = {{8, 7}, {16, 2}};
  const Difference difference = only(outcome, seen);
  CHECK(difference.kind == DifferenceKind::kBytes);
  CHECK(difference.sentence ==
        "the word at offset 8 of allocation app/A is 7 at the end, and must be 5 or 6");
}

TEST_CASE("a hang against the prediction quotes who waits", "[campaign]") {
  Observation seen = found();
  seen.ending = report::Ending::kHang;
  seen.waiting = {"t waits for F >= 2"};
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kHang);
  CHECK(difference.sentence == "the run does not come to its end: t waits for F >= 2");
}

TEST_CASE("a run that must hang and does not is a difference", "[campaign]") {
  reference::Outcome outcome = small_prediction();
  outcome.hangs = Happens::kAlways;
  CHECK(only(outcome, found()).kind == DifferenceKind::kHang);
}

TEST_CASE("after a bug check only what is over is judged", "[campaign]") {
  Observation seen = found();
  seen.ending = report::Ending::kBugCheck;
  seen.bug_check = "VIDEO_SCHEDULER_INTERNAL_ERROR";
  seen.fences["app/F"] = 7;
  seen.threads["t"].pop_back();
  seen.commands["app/q"][0].done = false;
  const Difference difference = only(small_prediction(), seen);
  CHECK(difference.kind == DifferenceKind::kBugCheck);
  CHECK(difference.sentence == "bug check VIDEO_SCHEDULER_INTERNAL_ERROR stops the machine");
}

}  // namespace fenceline::campaign::test_compare
