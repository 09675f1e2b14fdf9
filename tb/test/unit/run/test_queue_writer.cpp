// How user mode fills the ring of a hardware queue.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_queue_writer {

namespace {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

/// The ring is full while its engine works for 300 us.
const char* const kScenario = R"({
  "schema_version": 1, "name": "ring", "title": "t",
  "processes": [{"name": "app", "fences": [{"name": "F"}],
                 "queues": [{"name": "q", "engine": "compute0", "ring": "4KiB"}]}],
  "programs": [{"thread": "user", "steps": [
    {"submit": {"queue": "q", "commands": [
      {"dispatch": {"duration": "300us"}},
      {"repeat": {"count": 500, "counter": "i", "commands": [
        {"signal": {"fence": "F", "value": "${i}+1"}}]}}]}},
    {"mark": "submitted"}]}],
  "expect": {"marks": [{"mark": "submitted", "fence": "F", "value": {"min": 1}}]}
})";

report::RunReport run_with(const std::vector<std::string>& set, report::Record& record) {
  const scenario::Scenario loaded = scenario::load_text(kScenario, "ring.json", {set, {}});
  report::RunReport report = run::run_scenario(loaded, {}, record);
  report.scenario = nullptr;  // it does not live longer than this function
  return report;
}

/// When the thread had submitted everything [ps].
std::uint64_t submitted(const std::vector<std::string>& set) {
  report::Record record;
  const report::RunReport report = run_with(set, record);
  REQUIRE(report.exit_code == 0);
  std::uint64_t time = 0;
  record.recorder.for_each([&](const common::Event& event, std::uint64_t) {
    if (event.is<event::Mark>()) time = event.time;
  });
  return time;
}

}  // namespace

TEST_CASE("user mode looks for room in a full ring at an interval of its own", "[ring]") {
  const std::uint64_t usual = submitted({});
  CHECK(usual > 300 * common::kMicrosecond);
  CHECK(usual < 2 * common::kMillisecond);
  CHECK(submitted({R"(/platform/host/poll_interval="1ms")"}) == usual);
  CHECK(submitted({R"(/platform/host/ring_poll_interval="10ms")"}) > 10 * common::kMillisecond);
}

}  // namespace fenceline::run_tests::test_queue_writer
