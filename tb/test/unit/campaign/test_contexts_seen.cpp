// Observers: contexts, and allocations of the memory manager.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/campaign/observer.h"
#include "tb/scenario/loader.h"

namespace fenceline::campaign_tests::test_contexts_seen {

namespace {

namespace campaign = fenceline::campaign;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

campaign::Observation observe(const std::string& rest, campaign::Observer::Wanted wanted = {}) {
  const std::string text = R"({"schema_version": 1, "name": "observed", "title": "t",
    "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0"}]},)" +
                           rest + R"(, "expect": {}})";
  const scenario::Scenario loaded = scenario::load_text(text, "observed.json");
  campaign::Observer observer(std::move(wanted));
  run::RunOptions options;
  options.policy = loaded.policy;
  options.observer = &observer;
  report::Record record(0);
  run::run_scenario(loaded, options, record);
  return observer.observation();
}

std::uint64_t count(const campaign::Observation& seen, const campaign::Counts& over,
                    const std::string& agent) {
  for (std::size_t i = 0; i < seen.agents.size(); ++i)
    if (seen.agents[i].name == agent) return i < over.size() ? over[i] : 0;
  FAIL("no agent is called " << agent);
  return 0;
}

}  // namespace

TEST_CASE("packets of a context are seen in order and waits of the OS are none", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app", "fences": [{"name": "F", "monitored": true},
                                             {"name": "G", "monitored": true}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"dispatch": {"duration": "1us"}},
                                               {"wait": {"fence": "F", "value": 1}},
                                               {"dispatch": {"duration": "1us"}},
                                               {"signal": {"fence": "G", "value": 1}}]}},
      {"signal": {"fence": "F", "value": 1}},
      {"wait": {"fence": "G", "value": 1}}]}])");
  CHECK(seen.ending == report::Ending::kCompleted);
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/c");
  REQUIRE(commands.size() == 3);
  for (const campaign::CommandSeen& command : commands) CHECK(command.done);
  CHECK(commands[0].pointer == "/programs/0/steps/0/submit/commands/0");
  CHECK(commands[1].pointer == "/programs/0/steps/0/submit/commands/2");
  CHECK(count(seen, commands[0].over, "app/c") == 1);
  CHECK(count(seen, commands[1].over, "t") >= 2);
  CHECK(count(seen, seen.threads.at("t").at(2).over, "app/c") == 3);
}

TEST_CASE("the part of each submitter to a context is counted", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}, {"name": "G"}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"dispatch": {"duration": "1us"}},
                                               {"signal": {"fence": "F", "value": 1}}]}},
      {"wait": {"fence": "G", "value": 1}}]},
                 {"thread": "u", "steps": [
      {"wait": {"fence": "F", "value": 1}},
      {"submit": {"context": "c", "commands": [{"signal": {"fence": "G", "value": 1}}]}}]}])");
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/c");
  REQUIRE(commands.size() == 3);
  CHECK(commands[1].submitter == "t");
  CHECK(commands[2].submitter == "u");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    CHECK(commands[i].times == 1);
    CHECK(commands[i].finished == i);
  }
  CHECK(count(seen, seen.threads.at("u").at(0).over, "app/c by t") == 2);
  const campaign::Counts& end = seen.threads.at("t").at(1).over;
  CHECK(count(seen, end, "app/c by u") == 1);
  CHECK(count(seen, end, "app/c") == 3);
}

TEST_CASE("the usage fence of a context that waits is no command", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app", "fences": [{"name": "F", "monitored": true}],
                   "allocations": [{"name": "A", "segments": ["sysmem"]}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"write": {"allocation": "A", "value": 1}},
                                               {"wait": {"fence": "F", "value": 1}},
                                               {"write": {"allocation": "A", "value": 2}}]}},
      {"signal": {"fence": "F", "value": 1}}]}])");
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/c");
  REQUIRE(commands.size() == 2);
  CHECK(commands[1].pointer == "/programs/0/steps/0/submit/commands/2");
  CHECK(commands[1].done);
}

TEST_CASE("packets that the OS has not taken are no commands", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app",
                   "fences": [{"name": "F", "monitored": true, "flags": ["NoGPUAccess"]}],
                   "allocations": [{"name": "A", "segments": ["sysmem"]}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"fail_device": {}},
      {"submit": {"context": "c", "commands": [{"write": {"allocation": "A", "value": 1}},
                                               {"signal": {"fence": "F", "value": 1}}]}}]}])");
  CHECK(seen.commands.at("app/c").empty());
}

TEST_CASE("a step of a context that waits is no command", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app", "fences": [{"name": "F", "monitored": true}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"dispatch": {"duration": "1us"}}]}},
      {"gpu_wait": {"context": "c", "fence": "F", "value": 1}},
      {"submit": {"context": "c", "commands": [{"dispatch": {"duration": "1us"}}]}}]}])");
  CHECK(seen.ending == report::Ending::kHang);
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/c");
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].done);
  CHECK_FALSE(commands[1].done);
}

TEST_CASE("a signal of a queue counts while a context waits on the same node", "[campaign]") {
  const campaign::Observation seen = observe(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}, {"name": "G"}],
                   "contexts": [{"name": "c", "engine": "compute0"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"wait": {"fence": "F", "value": 1}}]}},
      {"delay": "50us"},
      {"submit": {"queue": "q", "commands": [{"signal": {"fence": "G", "value": 1}}]}},
      {"wait": {"fence": "G", "value": 1}},
      {"signal": {"fence": "F", "value": 1}}]}])");
  CHECK(seen.ending == report::Ending::kCompleted);
  const campaign::StepSeen& wait = seen.threads.at("t").at(3);
  CHECK(count(seen, wait.over, "app/q") == 1);
  CHECK(count(seen, wait.over, "app/c") == 0);
}

TEST_CASE("a load and a word of managed memory are seen with their values", "[campaign]") {
  const campaign::Observation seen = observe(
      R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "allocations": [{"name": "A", "size": "4KiB", "segments": ["sysmem"],
                                    "cpu_visible": true, "resident": true}]}],
    "programs": [{"thread": "t", "steps": [
      {"lock": {"allocation": "A"}},
      {"store": {"allocation": "A", "offset": "16B", "value": 9}},
      {"load": {"allocation": "A", "offset": "16B"}}]}])",
      {{"app/A", {16}}});
  const std::vector<campaign::StepSeen>& steps = seen.threads.at("t");
  REQUIRE(steps.size() == 3);
  CHECK_FALSE(steps[1].loaded);
  CHECK(steps[2].loaded == 9U);
  CHECK(seen.words.at("app/A").at(16) == 9);
}

}  // namespace fenceline::campaign_tests::test_contexts_seen
