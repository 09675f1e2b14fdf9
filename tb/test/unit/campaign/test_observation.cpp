// Observers: threads, queues and fences of a run.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/campaign/observer.h"
#include "tb/scenario/loader.h"

namespace fenceline::campaign_tests::test_observation {

namespace {

namespace campaign = fenceline::campaign;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

campaign::Observation observe(const std::string& text, campaign::Observer::Wanted wanted = {}) {
  const scenario::Scenario loaded = scenario::load_text(text, "observed.json");
  campaign::Observer observer(std::move(wanted));
  run::RunOptions options;
  options.policy = loaded.policy;
  options.observer = &observer;
  report::Record record(0);
  run::run_scenario(loaded, options, record);
  return observer.observation();
}

/// A scenario with a litmus GPU. @param rest processes and programs.
std::string litmus(const std::string& rest) {
  return R"({"schema_version": 1, "name": "observed", "title": "t",
    "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0", "profile": "litmus"}]},)" +
         rest + R"(, "expect": {}})";
}

std::uint64_t count(const campaign::Observation& seen, const campaign::Counts& over,
                    const std::string& agent) {
  for (std::size_t i = 0; i < seen.agents.size(); ++i)
    if (seen.agents[i].name == agent) return i < over.size() ? over[i] : 0;
  FAIL("no agent is called " << agent);
  return 0;
}

const char* const kSignals = R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [{"barrier": {}},
                                             {"repeat": {"count": 2, "counter": "i", "commands":
                                               [{"signal": {"fence": "F", "value": "${i}+1"}}]}},
                                             {"barrier": {}}]},
                 {"thread": "t", "steps": [{"wait": {"fence": "F", "value": 1}},
                                           {"repeat": {"count": 2, "steps": [
                                             {"delay": "1us"}]}}]}])";

}  // namespace

TEST_CASE("a step is seen with its pointer and its status and its end", "[campaign]") {
  const campaign::Observation seen = observe(litmus(kSignals));
  CHECK(seen.ending == report::Ending::kCompleted);
  CHECK(seen.violations.empty());
  const std::vector<campaign::StepSeen>& steps = seen.threads.at("t");
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].pointer == "/programs/1/steps/0");
  REQUIRE(steps[0].statuses.size() == 1);
  CHECK(steps[0].statuses[0] == STATUS_SUCCESS);
  CHECK(steps[1].pointer == "/programs/1/steps/1");
  CHECK(steps[2].pointer == "/programs/1/steps/1/repeat/steps/0");
  CHECK(steps[3].pointer == steps[2].pointer);
  for (const campaign::StepSeen& step : steps) CHECK(step.ended);
}

TEST_CASE("commands of a queue are seen in order and loops are not", "[campaign]") {
  const campaign::Observation seen = observe(litmus(kSignals));
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/q");
  REQUIRE(commands.size() == 4);
  CHECK(commands[0].pointer == "/programs/0/commands/0");
  CHECK(commands[1].pointer == "/programs/0/commands/1/repeat/commands/0");
  CHECK(commands[2].pointer == commands[1].pointer);
  CHECK(commands[3].pointer == "/programs/0/commands/2");
  for (const campaign::CommandSeen& command : commands) CHECK(command.done);
  CHECK(seen.fences.at("app/F") == 2);
}

TEST_CASE("packets that a step makes itself are commands with its pointer", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0", "progress_fence": true}]}],
    "programs": [{"thread": "t", "steps": [
                   {"submit": {"queue": "q", "commands": [{"barrier": {}}]}},
                   {"gpu_signal": {"queue": "q", "fence": "F", "value": 1}}]}])"));
  std::vector<std::string> pointers;
  for (const campaign::CommandSeen& command : seen.commands.at("app/q")) {
    CHECK(command.done);
    pointers.push_back(command.pointer);
  }
  CHECK(pointers == std::vector<std::string>{"/programs/0/steps/0/submit/commands/0",
                                             "/programs/0/steps/0", "/programs/0/steps/1",
                                             "/programs/0/steps/1"});
}

TEST_CASE("the signal of a progress fence is not the command that was left out before",
          "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0", "progress_fence": true}]}],
    "programs": [{"thread": "t", "steps": [
                   {"destroy_fence": "F"},
                   {"submit": {"queue": "q", "commands": [{"signal": {"fence": "F", "value": 1}}],
                               "status": "STATUS_INVALID_HANDLE"}}]}])"));
  const auto& commands = seen.commands.at("app/q");
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].pointer == "/programs/0/steps/1");
}

TEST_CASE("a fence that its last process has closed is gone at the end", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F", "shared": true}, {"name": "G"}]},
                  {"name": "other", "fences": [{"name": "O", "open": "app/F"}]}],
    "programs": [{"thread": "t", "process": "app", "steps": [{"destroy_fence": "F"},
                                                             {"destroy_fence": "G"}]}])"));
  CHECK(seen.fences.count("app/F") == 1);
  CHECK(seen.fences.count("app/G") == 0);
}

TEST_CASE("a step counts for others as soon as it may have an effect", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}, {"name": "G"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [{"wait": {"fence": "F", "value": 1}}]},
                 {"thread": "u", "steps": [
                   {"submit": {"queue": "q", "commands": [{"signal": {"fence": "F", "value": 1}}]}},
                   {"delay": "50us"}]}])"));
  CHECK(count(seen, seen.threads.at("t")[0].over, "u") == 1);
}

TEST_CASE("a wait does not end before the signal is over", "[campaign]") {
  const campaign::Observation seen = observe(litmus(kSignals));
  const campaign::StepSeen& wait = seen.threads.at("t")[0];
  CHECK(count(seen, wait.over, "app/q") >= 2);
  CHECK(count(seen, wait.over, "t") == 1);
}

TEST_CASE("a command that waits is not over before the signal of a thread", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [{"wait": {"fence": "F", "value": 1}}]},
                 {"thread": "t", "steps": [{"delay": "5us"},
                                           {"signal": {"fence": "F", "value": 1}}]}])"));
  const campaign::CommandSeen& wait = seen.commands.at("app/q").at(0);
  REQUIRE(wait.done);
  CHECK(count(seen, wait.over, "t") == 2);
}

TEST_CASE("a run that hangs is seen with the command that is left", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [{"barrier": {}},
                                             {"wait": {"fence": "F", "value": 1}},
                                             {"barrier": {}}]},
                 {"thread": "t", "steps": [{"wait": {"fence": "F", "value": 2}}]}])"));
  CHECK(seen.ending == report::Ending::kHang);
  CHECK_FALSE(seen.waiting.empty());
  const std::vector<campaign::CommandSeen>& commands = seen.commands.at("app/q");
  REQUIRE(commands.size() == 3);
  CHECK(commands[0].done);
  CHECK_FALSE(commands[1].done);
  CHECK_FALSE(commands[2].done);
  REQUIRE(seen.threads.at("t").size() == 1);
  CHECK_FALSE(seen.threads.at("t")[0].ended);
}

TEST_CASE("words of allocations are read at the end", "[campaign]") {
  const campaign::Observation seen = observe(litmus(R"(
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "allocations": [{"name": "A", "size": "4KiB"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [
                   {"write": {"allocation": "A", "offset": "8B", "value": 7}}]}])"),
                                             {{"app/A", {0, 8}}, {"app/none", {0}}});
  CHECK(seen.words == campaign::Words{{"app/A", {{0, 0}, {8, 7}}}});
}

}  // namespace fenceline::campaign_tests::test_observation
