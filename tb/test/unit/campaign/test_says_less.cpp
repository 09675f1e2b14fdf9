// Predictions that say less than another one, all written by hand.
#include <catch2/catch.hpp>
#include <string>

#include "tb/campaign/says_less.h"
#include "tb/test/unit/campaign/small_prediction.h"

namespace fenceline::campaign::test_says_less {

namespace {

using reference::Happens;

/// The small prediction with more that can be lost: a loaded value, and operations that come
/// before.
reference::Outcome full() {
  reference::Outcome outcome = small_prediction();
  for (reference::StepOutcome& step : outcome.threads["t"]) step.loaded = {false, {3}};
  outcome.threads["t"][0].after = {{"app/q", 1}};
  outcome.threads["t"][1].after = {{"app/q", 2}};
  outcome.commands["app/q"][0].after = {{"t", 1}};
  return outcome;
}

/// Where and what a prediction says less than the full one.
std::string less(const reference::Outcome& outcome) {
  const auto found = says_less(outcome, full());
  return found ? found->place + ": " + found->sentence : "";
}

}  // namespace

TEST_CASE("a prediction says no less than itself or than one that says nothing", "[campaign]") {
  CHECK(less(full()).empty());
  reference::Outcome silent;
  silent.hangs = silent.bug_check = Happens::kMaybe;
  silent.silent[""] = "why";
  CHECK_FALSE(says_less(full(), silent));
  CHECK(less(silent) == ": nothing is said: why");
}

TEST_CASE("a prediction says less if something may happen that must or must not", "[campaign]") {
  reference::Outcome outcome = full();
  outcome.hangs = Happens::kMaybe;
  CHECK(less(outcome) == ": the run may hang, or not");
  outcome = full();
  outcome.bug_check = Happens::kMaybe;
  CHECK(less(outcome) == ": the machine may be stopped, or not");
  outcome = full();
  outcome.threads["t"][1].begins = Happens::kMaybe;
  CHECK(less(outcome) == std::string(kSecond) + ": step " + kSecond + " may begin, or not");
  outcome = full();
  outcome.threads["t"][1].ends = Happens::kMaybe;
  CHECK(less(outcome) == std::string(kSecond) + ": step " + kSecond + " may end, or not");
  outcome = full();
  outcome.commands["app/q"][0].done = Happens::kMaybe;
  CHECK(less(outcome) == std::string(kCommand) + ": command " + kCommand + " may be done, or not");
}

TEST_CASE("a prediction says less if it allows more results", "[campaign]") {
  const std::string at = std::string(kFirst) + ": step " + kFirst;
  reference::Outcome outcome = full();
  outcome.fences["app/F"].values.insert(2);
  CHECK(less(outcome) == "app/F: fence app/F may have more values at the end");
  outcome.fences.clear();
  CHECK(less(outcome) == "app/F: fence app/F may have more values at the end");
  outcome = full();
  outcome.contents["app/A"][8] = {true, {}};
  const std::string word = "app/A: the word at offset 8 of allocation app/A may have more values ";
  CHECK(less(outcome) == word + "at the end");
  outcome.contents.clear();
  CHECK(less(outcome) == word + "at the end");
  outcome = full();
  outcome.threads["t"][0].loaded.values.insert(4);
  CHECK(less(outcome) == at + " may load more values");
  outcome = full();
  outcome.threads["t"][0].statuses.insert("STATUS_TIMEOUT");
  const std::string call = std::string(kFirst) + ": a call of step " + kFirst;
  CHECK(less(outcome) == call + " may return more statuses");
  outcome.threads["t"][0].statuses.clear();
  CHECK(less(outcome) == call + " may return more statuses");
}

TEST_CASE("predictions are the same if all their parts are", "[campaign]") {
  CHECK(is_same(full(), full()));
  const auto differs = [](const auto& change) {
    reference::Outcome outcome = full();
    change(outcome);
    return !is_same(outcome, full()) && !is_same(full(), outcome);
  };
  CHECK(differs([](auto& it) { it.hangs = Happens::kMaybe; }));
  CHECK(differs([](auto& it) { it.bug_check = Happens::kAlways; }));
  CHECK(differs([](auto& it) { it.silent["/x"] = "why"; }));
  CHECK(differs([](auto& it) { it.fences["app/F"].values = {2}; }));
  CHECK(differs([](auto& it) { it.fences["app/G"] = {true, {}}; }));
  CHECK(differs([](auto& it) { it.contents["app/A"][8].open = true; }));
  CHECK(differs([](auto& it) { it.contents["app/A"][16] = {true, {}}; }));
  CHECK(differs([](auto& it) { it.threads["t"].pop_back(); }));
  CHECK(differs([](auto& it) { it.threads["t"][0].begins = Happens::kMaybe; }));
  CHECK(differs([](auto& it) { it.threads["t"][0].ends = Happens::kMaybe; }));
  CHECK(differs([](auto& it) { it.threads["t"][0].statuses.clear(); }));
  CHECK(differs([](auto& it) { it.threads["t"][0].loaded.open = true; }));
  CHECK(differs([](auto& it) { it.threads["t"][0].after.clear(); }));
  CHECK(differs([](auto& it) { it.commands["app/q"][0].done = Happens::kNever; }));
  CHECK(differs([](auto& it) { it.commands["app/q"][0].after.clear(); }));
  CHECK(differs([](auto& it) { it.commands["app/q"][0].submitter = "t"; }));
}

TEST_CASE("a prediction with other results does not say less", "[campaign]") {
  reference::Outcome outcome = full();
  outcome.fences["app/F"].values = {2};
  outcome.contents["app/A"][8].values = {5, 7, 8};
  outcome.threads["t"][0].statuses = {"STATUS_TIMEOUT"};
  outcome.threads["t"][1].ends = Happens::kNever;
  CHECK(less(outcome).empty());
}

TEST_CASE("a prediction says less if less is over before an operation", "[campaign]") {
  reference::Outcome outcome = full();
  outcome.threads["t"][0].after.clear();
  CHECK(less(outcome) == std::string(kFirst) + ": step " + kFirst + " may end earlier");
  // The first step still has the two commands before it, and the second follows the first.
  outcome.threads["t"][0].after = {{"app/q", 2}};
  outcome.threads["t"][1].after.clear();
  CHECK(less(outcome).empty());
  outcome.commands["app/q"][0].after = {{"t", 0}};
  CHECK(less(outcome) == std::string(kCommand) + ": command " + kCommand + " may be done earlier");
}

}  // namespace fenceline::campaign::test_says_less
