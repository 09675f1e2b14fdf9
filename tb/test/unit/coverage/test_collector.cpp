// Points that runs hit.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/coverage/collector.h"
#include "tb/scenario/loader.h"

namespace fenceline::coverage::test_collector {

namespace {

Hits covered(const std::string& text) {
  const scenario::Scenario loaded = scenario::load_text(text, "covered.json");
  Collector collector;
  run::RunOptions options;
  options.observer = &collector;
  report::Record record(0);
  run::run_scenario(loaded, options, record);
  return collector.hits();
}

/// A thread waits while a queue signals.
const char* const kWait = R"({"schema_version": 1, "name": "covered", "title": "t",
  "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0", "profile": "litmus"}],
               "ordering": {"gpu.signal_barrier": "off"}},
  "processes": [{"name": "app", "fences": [{"name": "F"}],
                 "queues": [{"name": "q", "engine": "compute0"}]}],
  "programs": [{"queue": "q", "commands": [{"dispatch": {"duration": "50us"}},
                                           {"signal": {"fence": "F", "value": 1}}]},
               {"thread": "t", "steps": [{"wait": {"fence": "F", "value": 1}}]},
               {"thread": "u", "steps": [{"delay": "500us"}]}],
  "expect": {}})";

bool hit(const Hits& hits, Group group, const std::string& name) {
  const auto point = Space::all().find(group, name);
  REQUIRE(point);
  return hits.has(*point);
}

}  // namespace

TEST_CASE("a run covers its events and steps and commands and driver calls", "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kEvent, "signal_begin"));
  CHECK_FALSE(hit(hits, Group::kEvent, "flip_call"));
  CHECK(hit(hits, Group::kStep, "wait"));
  CHECK_FALSE(hit(hits, Group::kStep, "signal"));
  CHECK(hit(hits, Group::kCommand, "signal"));
  CHECK_FALSE(hit(hits, Group::kCommand, "copy"));
  CHECK(hit(hits, Group::kDriverCall, "DxgkDdiUpdateMonitoredValues"));
  CHECK_FALSE(hit(hits, Group::kDriverCall, "DxgkDdiPreemptCommand"));
}

TEST_CASE("a run covers the events and driver calls of its set-up and no more of it",
          "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kDriverCall, "DxgkDdiStartDevice"));
  CHECK(hit(hits, Group::kDriverCall, "DxgkDdiCreateNativeFence"));
  CHECK(hit(hits, Group::kEvent, "adapter_started"));
  CHECK_FALSE(hit(hits, Group::kOrder, "adapter: isr_begin before isr_end"));
}

TEST_CASE("a run covers the values of its switches and no others", "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kSwitchValue, "gpu.signal_barrier=\"off\""));
  CHECK_FALSE(hit(hits, Group::kSwitchValue, "gpu.signal_barrier=\"before_raise\""));
}

TEST_CASE("a run covers what a switch value breaks if no other is changed", "[coverage]") {
  const auto lost = [](const std::string& ordering) {
    return covered(R"({"schema_version": 1, "name": "lost", "platform": {"ordering": {)" +
                   ordering + R"(}}, "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
        "programs": [{"queue": "q", "commands": [{"wait": {"fence": "F", "value": 1}}]},
                     {"thread": "t", "steps": [{"delay": "20us"},
                                               {"signal": {"fence": "F", "value": 1}}]}],
        "expect": {}})");
  };
  const Hits alone = lost(R"("gpu.rescan": "ignore")");
  CHECK(hit(alone, Group::kBroken, "gpu.rescan=\"ignore\" breaks I2"));
  CHECK(hit(alone, Group::kBroken, "gpu.rescan=\"ignore\" breaks HANG"));
  const Hits two = lost(R"("gpu.rescan": "ignore", "gpu.log_barrier": true)");
  CHECK_FALSE(hit(two, Group::kBroken, "gpu.rescan=\"ignore\" breaks I2"));
}

TEST_CASE("a run covers states and the events that come in them", "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kState, "fence fence_create"));
  CHECK(hit(hits, Group::kState, "fence wait_add"));
  CHECK_FALSE(hit(hits, Group::kState, "fence fence_destroy"));
  CHECK(hit(hits, Group::kEventInState, "wait_add, fence fence_create"));
  CHECK(hit(hits, Group::kEventInState, "signal_begin, fence wait_add"));
  CHECK_FALSE(hit(hits, Group::kEventInState, "wait_add, fence signal_end"));
}

TEST_CASE("a run covers pairs that are in flight at the same time", "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kPair, "step wait + step delay"));
  CHECK(hit(hits, Group::kPair, "signal_begin of a native fence + wait_add of a native fence"));
  CHECK_FALSE(hit(hits, Group::kPair, "step wait + step wait"));
  CHECK_FALSE(
      hit(hits, Group::kPair, "signal_begin of a monitored fence + wait_add of a native fence"));
}

TEST_CASE("a run covers the order of two agents at one object", "[coverage]") {
  const Hits hits = covered(kWait);
  CHECK(hit(hits, Group::kOrder, "adapter: isr_end before dpc_begin"));
  CHECK_FALSE(hit(hits, Group::kOrder, "fence: signal_end before signal_begin"));
}

TEST_CASE("hits survive as text and text of other points is refused", "[coverage]") {
  Hits hits;
  const auto last = static_cast<Point>(Space::all().size() - 1);
  hits.add(0);
  hits.add(5);
  hits.add(last);
  const Hits read = Hits::of(hits.text());
  CHECK(read.has(0));
  CHECK_FALSE(read.has(1));
  CHECK(read.has(5));
  CHECK(read.has(last));
  CHECK(read.points() == std::vector<Point>{0, 5, last});
  CHECK_THROWS_AS(Hits::of("00"), std::invalid_argument);
}

}  // namespace fenceline::coverage::test_collector
