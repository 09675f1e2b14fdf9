#include <catch2/catch.hpp>
#include <string>

#include "tb/scenario/loader.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_overrides {

namespace {

Scenario with(const std::vector<std::string>& set) {
  LoadOptions options;
  options.set = set;
  return load_text(kSmallScenario, "small", options);
}

std::string refusal(const std::vector<std::string>& set) {
  try {
    with(set);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an override replaces a value or adds it with the objects around it", "[scenario][set]") {
  CHECK(with({"/name=other"}).name == "other");
  CHECK(with({"/platform/host/cores=6"}).platform.host.cores == 6);
  CHECK(with({"/platform/ordering/cmp.mv_barrier=none"}).platform.ordering.cmp.mv_barrier ==
        common::MonitoredBarrier::kNone);
  CHECK(with({"/programs/0/steps/0/signal/value=7"}).programs[0].steps.size() == 1);
  CHECK(with({R"(/programs/0/steps/-={"mark": "m"})"}).programs[0].steps.size() == 2);
}

TEST_CASE("the value of an override is JSON or else a string", "[scenario][set]") {
  CHECK(with({"/title=a = b"}).title == "a = b");
  CHECK(with({"/title=\"7\""}).title == "7");
  CHECK(with({"/title="}).title.empty());
  CHECK_THAT(refusal({"/title=7"}), Catch::Contains("found the number 7"));
  CHECK(with({"/end_time=5ms"}).end_time == 5 * common::kMillisecond);
}

TEST_CASE("later overrides stand over earlier ones and the seed over all", "[scenario][set]") {
  CHECK(with({"/seed=3", "/seed=4"}).seed == 4);
  LoadOptions options;
  options.set = {"/seed=3"};
  options.seed = 9;
  CHECK(load_text(kSmallScenario, "small", options).seed == 9);
}

TEST_CASE("the effective document holds the overrides", "[scenario][set]") {
  CHECK_THAT(with({"/seed=77"}).effective_json, Catch::Contains("\"seed\": 77"));
}

TEST_CASE("an error caused by an override is reported as such", "[scenario][set]") {
  CHECK(refusal({"/platform/ordering/cmp.mv_barrier=nonne"}) ==
        "small: /platform/ordering/cmp.mv_barrier: found the string \"nonne\"; expected one of "
        "\"none\", \"self\", \"drain\", \"sync\"; did you mean \"none\"?");
  CHECK(refusal({"/platform/host/cores=1"}) ==
        "small: /platform/host/cores: the number 1 is out of range; expected a whole number "
        "between 2 "
        "and 64; the value was given by --set");
  CHECK(refusal({"/programs/0/steps/0/signal/fence=G"}) ==
        "small: /programs/0/steps/0/signal/fence: process \"app\" has no fence \"G\"; expected "
        "\"F\"; "
        "did you mean \"F\"?");
}

TEST_CASE("an override that cannot be applied is refused", "[scenario][set]") {
  CHECK(refusal({"seed=1"}) ==
        "--set: \"seed\" is no JSON pointer; expected /key=value, e.g. /platform/host/cores=8");
  CHECK(refusal({"/seed"}) ==
        "--set: \"/seed\" has no \"=\"; expected /key=value, e.g. /platform/host/cores=8");
  CHECK(refusal({"/=1"}) ==
        "--set: \"/\" is no JSON pointer; expected /key=value, e.g. "
        "/platform/host/cores=8");
  CHECK(refusal({"/programs/1/core=1"}) ==
        "--set: /programs/1/core: no element \"1\", the array has 1");
  CHECK(refusal({"/programs/x/core=1"}) ==
        "--set: /programs/x/core: no element \"x\", the array has 1");
  CHECK(refusal({"/name/first=1"}) ==
        "--set: /name/first: the string \"small\" has no member \"first\"");
  CHECK(refusal({"/a~2=1"}) == "--set: /a~2: ~ is not followed by 0 or 1");
  CHECK_THAT(refusal({"/a~1b=1"}), Catch::Contains("/a~1b: unknown key"));
}

}  // namespace fenceline::scenario::test_overrides
