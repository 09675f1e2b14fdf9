// Bounds that make a scenario smaller.
#include <catch2/catch.hpp>

#include "tb/scenario/checks/bounds.h"
#include "tb/scenario/loader.h"

namespace fenceline::scenario_tests::test_bounds {

namespace {

namespace scenario = fenceline::scenario;

const char* const kScenario = R"({
  "schema_version": 1, "name": "bounds", "title": "t",
  "processes": [{"name": "app", "fences": [{"name": "F"}],
                 "queues": [{"name": "a", "engine": "compute0"},
                            {"name": "b", "engine": "compute1"}]}],
  "programs": [
    {"queue": "a", "commands": [{"signal": {"fence": "F", "value": 1}},
                                {"repeat": {"count": 3, "commands": [
                                  {"signal": {"fence": "F", "value": 2}}]}},
                                {"dispatch": {"duration": "1us"}}]},
    {"thread": "t", "steps": [{"submit": {"queue": "b", "commands": [
                                 {"signal": {"fence": "F", "value": 3}},
                                 {"signal": {"fence": "F", "value": 4}}]}},
                              {"wait": {"fence": "F", "value": 1}},
                              {"signal": {"fence": "F", "value": 9}},
                              {"wait": {"fence": "F", "value": 2}}]}],
  "expect": {}
})";

scenario::Size size_with(const std::string& bounds) {
  scenario::LoadOptions options;
  if (!bounds.empty()) options.set = {"/explore={\"bounds\": {" + bounds + "}}"};
  return scenario::size_of(scenario::load_text(kScenario, "bounds.json", options));
}

}  // namespace

TEST_CASE("a scenario without bounds keeps its size", "[bounds]") {
  const scenario::Size size = size_with("");
  CHECK(size.signals == 7);
  CHECK(size.waiters == 2);
  CHECK(size.queues == 2);
}

TEST_CASE("programs end before the first step beyond a bound", "[bounds]") {
  CHECK(size_with("\"signals\": 0").signals == 0);
  CHECK(size_with("\"signals\": 3").signals == 3);  // one, and two rounds of three
  CHECK(size_with("\"signals\": 5").signals == 5);  // the thread submits one of two, and ends
  CHECK(size_with("\"signals\": 5").waiters == 0);
  CHECK(size_with("\"signals\": 6").waiters == 1);
  CHECK(size_with("\"signals\": 100").signals == 7);
  CHECK(size_with("\"waiters\": 1").waiters == 1);
  CHECK(size_with("\"waiters\": 1").signals == 7);
  CHECK(size_with("\"waiters\": 0").signals == 6);
}

TEST_CASE("of many threads as many stay as are allowed", "[bounds]") {
  const auto size = [](const std::string& bounds) {
    scenario::LoadOptions options;
    options.set = {"/programs/1/count=10"};
    if (!bounds.empty()) options.set.push_back("/explore={\"bounds\": {" + bounds + "}}");
    return scenario::size_of(scenario::load_text(kScenario, "bounds.json", options));
  };
  CHECK(size("").waiters == 20);
  CHECK(size("").signals == 34);
  CHECK(size("\"waiters\": 6").waiters == 6);
  CHECK(size("\"waiters\": 7").waiters == 6);
  CHECK(size("\"waiters\": 1").waiters == 1);
  CHECK(size("\"signals\": 12").signals == 10);  // four, and two threads with three each
}

TEST_CASE("queues beyond the bound do nothing", "[bounds]") {
  CHECK(size_with("\"queues\": 1").signals == 5);
  CHECK(size_with("\"queues\": 1").queues == 1);
  CHECK(size_with("\"queues\": 0").signals == 1);
  CHECK(size_with("\"queues\": 0").waiters == 2);
}

TEST_CASE("the bound on pending writes is the depth of the FIFOs", "[bounds]") {
  CHECK(size_with("\"pending\": 2").pending == 2);
  CHECK(size_with("\"pending\": 64").pending == 64);
}

TEST_CASE("impossible bounds are refused", "[bounds]") {
  CHECK_THROWS(size_with("\"pending\": 0"));
  CHECK_THROWS(size_with("\"preemptions\": 1"));
  CHECK_THROWS(size_with("\"signal\": 1"));
  CHECK_THROWS(size_with("\"signals\": -1"));
}

TEST_CASE("a wait whose signal is cut goes with it", "[bounds]") {
  // The thread waits for 1, which the queue signals, and for 2, which it no longer does.
  const auto size = [](const std::string& bounds, const std::vector<std::string>& set = {}) {
    scenario::LoadOptions options;
    options.set = {"/programs/1/steps/0={\"wait\": {\"fence\": \"F\", \"value\": 2}}"};
    options.set.insert(options.set.end(), set.begin(), set.end());
    options.set.push_back("/explore={\"bounds\": {" + bounds + "}}");
    return scenario::size_of(scenario::load_text(kScenario, "bounds.json", options));
  };
  CHECK(size("\"signals\": 1").signals == 1);
  CHECK(size("\"signals\": 1").waiters == 0);
  CHECK(size("\"signals\": 4").waiters == 2);
  // One with a time limit ends by itself.
  CHECK(size("\"signals\": 1", {"/programs/1/steps/0/wait/timeout=1us"}).waiters == 2);
  // What nobody has signalled before is left as it is.
  CHECK(size("\"signals\": 4", {"/programs/1/steps/0/wait/value=77"}).waiters == 2);
}

TEST_CASE("every kind of signal counts", "[bounds]") {
  const auto size = [](const std::string& step) {
    scenario::LoadOptions options;
    options.set = {"/programs/1/steps/2=" + step};
    return scenario::size_of(scenario::load_text(kScenario, "bounds.json", options));
  };
  CHECK(size(R"({"mark": "here"})").signals == 6);
  CHECK(size(R"({"gpu_signal": {"queue": "b", "fence": "F", "value": 9}})").signals == 7);
  CHECK(size(R"({"signal_elsewhere": {"fence": "F", "value": 9}})").signals == 7);
  CHECK(size(R"({"poll": {"fence": "F", "value": 1}})").waiters == 3);
}

}  // namespace fenceline::scenario_tests::test_bounds
