// What a run that is not done says about itself: one scenario, stopped or held in different places.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_waiting {

namespace {

namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

/// Two adapters that interrupt core 0, and two queues of one engine.
const char* const kScenario = R"({
  "schema_version": 1, "name": "waiting", "title": "t",
  "platform": {"adapters": [{"name": "gpu0"}, {"name": "gpu1"}]},
  "processes": [
    {"name": "one", "adapter": "gpu0", "fences": [{"name": "F"}, {"name": "N"}],
     "queues": [{"name": "first", "engine": "compute0"}, {"name": "second", "engine": "compute0"}]},
    {"name": "two", "adapter": "gpu1", "fences": [{"name": "G"}],
     "queues": [{"name": "third", "engine": "compute0"}]}],
  "programs": [
    {"thread": "user", "process": "one", "steps": [
      {"submit": {"queue": "first", "commands": [
        {"dispatch": {"duration": "20us"}}, {"signal": {"fence": "F", "value": 1}}]}},
      {"submit": {"queue": "second", "commands": [{"dispatch": {"duration": "1us"}}]}},
      {"wait": {"fence": "F", "value": 1}}]},
    {"thread": "other", "process": "two", "steps": [
      {"submit": {"queue": "third", "commands": [
        {"dispatch": {"duration": "60us"}}, {"signal": {"fence": "G", "value": 1}}]}},
      {"wait": {"fence": "G", "value": 1}}]}],
  "expect": {}
})";

using Lines = std::vector<std::string>;

report::RunReport run_with(const Lines& set) {
  const scenario::Scenario loaded = scenario::load_text(kScenario, "waiting.json", {set, {}});
  report::Record record(0);
  return run::run_scenario(loaded, {}, record);
}

bool one_begins(const Lines& lines, const std::string& text) {
  for (const std::string& it : lines) UNSCOPED_INFO(it);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& it) { return it.rfind(text, 0) == 0; });
}

bool has(const Lines& lines, const std::string& line) {
  for (const std::string& it : lines) UNSCOPED_INFO(it);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// `agent` never does its `nth` operation of that kind: it waits for one that does not come.
std::string hold(const std::string& agent, const std::string& operation, int nth = 1) {
  return R"({"hold":{"agent":")" + agent + R"(","op":")" + operation + R"(","nth":)" +
         std::to_string(nth) + R"(},"until":{"agent":"gpu0.cmp","op":"wait_enter","nth":1}})";
}
std::string holds(const std::string& first, const std::string& second = "") {
  return "/holds=[" + first + (second.empty() ? "" : "," + second) + "]";
}

const std::string kSecondWaits =
    R"(/programs/0/steps/1/submit/commands=[{"wait":{"fence":"N","value":7}}])";

}  // namespace

TEST_CASE("a run that is done has nothing to explain", "[waiting]") {
  const report::RunReport report = run_with({});
  CHECK(report.ending == report::Ending::kCompleted);
  CHECK(report.waiting.empty());
}

TEST_CASE("a hang names the packet that a queue is parked at and the queues that are empty",
          "[waiting]") {
  const Lines lines = run_with({kSecondWaits}).waiting;
  CHECK(has(lines,
            "queue second on gpu0.compute0: WAIT N >= 7 is at its head and waits, parked; N: "
            "CurrentValue is 0, never written since it was created; MonitoredValue is none"));
  CHECK(has(lines, "queue first on gpu0.compute0: empty"));
  CHECK(has(lines, "queue third on gpu1.compute0: empty"));
  CHECK(has(lines, "interrupt ring of gpu0: entries written 1, acknowledged 1"));
  CHECK(lines.size() == 5);
}

TEST_CASE("a wait that has not parked yet is told from a parked one", "[waiting]") {
  CHECK(has(run_with({kSecondWaits, holds(hold("gpu0.compute0", "park"))}).waiting,
            "queue second on gpu0.compute0: WAIT N >= 7 is at its head and waits, not yet parked; "
            "N: CurrentValue is 0, never written since it was created; MonitoredValue is none"));
}

TEST_CASE("a parked queue that is to look again says so", "[waiting]") {
  const std::string steps = R"(/programs/0/steps=[
    {"submit": {"queue": "second", "commands": [{"wait": {"fence": "N", "value": 7}}]}},
    {"delay": "50us"},
    {"submit": {"queue": "first", "commands": [{"signal": {"fence": "F", "value": 1}}]}},
    {"delay": "50us"},
    {"signal": {"fence": "N", "value": 7}}])";
  const Lines lines = run_with({steps, holds(hold("gpu0.compute0", "barrier"))}).waiting;
  CHECK(one_begins(lines,
                   "queue second on gpu0.compute0: WAIT N >= 7 is at its head and waits, told to "
                   "look again; N: CurrentValue is 7, "));
}

TEST_CASE("a signal that cannot go on is at the head of its queue and runs", "[waiting]") {
  const Lines lines = run_with({holds(hold("gpu0.compute0", "barrier"))}).waiting;
  CHECK(has(lines, "queue first on gpu0.compute0: SIGNAL F = 1 is at its head and runs"));
  CHECK(has(lines, "agent gpu0.compute0 is held before barrier"));
}

TEST_CASE("a queue whose engine is busy shows a packet that is not fetched", "[waiting]") {
  const Lines lines = run_with({holds(hold("gpu0.compute0", "barrier"))}).waiting;
  CHECK(has(lines, "queue second on gpu0.compute0: DISPATCH is at its head, not yet fetched"));
}

TEST_CASE("a packet that is being fetched is told from one that runs", "[waiting]") {
  // The fetch stays behind the read pointer that was written back for the other queue.
  const Lines lines = run_with({holds(hold("gpu0.compute0.queue.host0", "drain"))}).waiting;
  CHECK(has(lines, "queue second on gpu0.compute0: DISPATCH is at its head, being fetched"));
}

TEST_CASE("a doorbell that has not arrived is told from a queue that is done", "[waiting]") {
  const Lines lines = run_with({holds(hold("gpu0.pcie.down", "drain"))}).waiting;
  CHECK(has(lines, "queue first on gpu0.compute0: empty, and a doorbell is on its way"));
  CHECK(has(lines, "gpu0 has writes on their way"));
}

TEST_CASE("a pending interrupt is masked by the interrupt that is served", "[waiting]") {
  const Lines lines = run_with({holds(hold("core0.isr", "acknowledge"))}).waiting;
  CHECK(has(lines, "interrupt ring of gpu0: entries written 1, acknowledged 0"));
  CHECK(has(lines,
            "core0: the interrupt of gpu1 is pending, masked: core0.isr is on core0 at "
            "DEVICE_LEVEL"));
  CHECK(has(lines, "core0: core0.isr is on it at DEVICE_LEVEL, interrupts are masked"));
}

TEST_CASE("a pending interrupt that nothing masks has not been taken", "[waiting]") {
  const Lines lines = run_with({holds(hold("core0.isr", "deliver"))}).waiting;
  CHECK(has(lines, "core0: the interrupt of gpu0 is pending, not masked: core0.isr has not begun"));
  CHECK(has(lines, "core0: the interrupt of gpu1 is pending, not masked: core0.isr has not begun"));
}

TEST_CASE("a queued DPC that nothing masks has not begun", "[waiting]") {
  const Lines lines = run_with({holds(hold("core0.dpc", "deferred_call"))}).waiting;
  CHECK(has(lines, "a DPC of gpu0 is queued, not masked: core0.dpc has not begun"));
  CHECK(has(lines, "a DPC of gpu1 is queued, not masked: core0.dpc has not begun"));
  CHECK(has(lines, "interrupt ring of gpu1: entries written 1, acknowledged 1"));
}

TEST_CASE("a queued DPC is masked by an interrupt that is served", "[waiting]") {
  const Lines lines =
      run_with({holds(hold("core0.dpc", "deferred_call"), hold("core0.isr", "acknowledge", 2))})
          .waiting;
  CHECK(has(lines, "a DPC of gpu0 is queued, masked: core0.isr is on core0 at DEVICE_LEVEL"));
}

TEST_CASE("a DPC that does not end keeps its core at its level", "[waiting]") {
  const Lines lines = run_with({holds(hold("core0.dpc", "read_value"))}).waiting;
  CHECK(has(lines, "core0: core0.dpc is on it at DISPATCH_LEVEL"));
}

TEST_CASE("an acknowledgement without a count tells what came since the ISR began", "[waiting]") {
  const Lines lines = run_with({"/platform/ordering/isr.ack_first=false", kSecondWaits}).waiting;
  CHECK(has(lines,
            "interrupt ring of gpu0: entries written 1, acknowledged without a count; 0 written "
            "since the last ISR began"));
}

TEST_CASE("a blocked run names the faults of the scenario that happened", "[waiting]") {
  const report::RunReport report = run_with({R"(/faults=[{"fault":"message_lost","nth":9},)"
                                             R"({"fault":"message_lost","nth":1}])"});
  CHECK_FALSE(report.waiting.empty());
  REQUIRE(report.faults.size() == 1);
  const report::FaultSeen& fault = report.faults.front();
  CHECK(fault.text == "gpu0.pcie.up: a message is lost (number 1)");
  CHECK(fault.pointer == "/faults/1");
  CHECK(fault.line == 0);
  CHECK(fault.time > 0);
  CHECK(fault.time < report.end_time);
}

TEST_CASE("a packet that an engine cannot execute is among the faults", "[waiting]") {
  const report::RunReport report =
      run_with({R"(/faults=[{"fault":"engine_fault","engine":"compute0","nth":1}])"});
  REQUIRE(report.faults.size() == 1);
  const report::FaultSeen& fault = report.faults.front();
  CHECK(fault.text == "the engine of first cannot execute a packet");
  CHECK(fault.pointer == "/faults/0");
}

}  // namespace fenceline::run_tests::test_waiting
