// What the record of a run holds, for the writers of traces.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/report/writers/vcd.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_record {

namespace {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

/// A signal of the second adapter that a thread waits for.
const char* const kScenario = R"({
  "schema_version": 1, "name": "record", "title": "t",
  "platform": {"adapters": [{"name": "gpu0"}, {"name": "gpu1"}]},
  "processes": [{"name": "app", "adapter": "gpu1", "fences": [{"name": "F", "initial_value": 41}],
                 "queues": [{"name": "q", "engine": "compute0"}]}],
  "programs": [
    {"queue": "q", "commands": [{"dispatch": {"duration": "50us"}},
                                {"signal": {"fence": "F", "value": 42}}]},
    {"thread": "waiter", "steps": [{"wait": {"fence": "F", "value": 42}}]}],
  "expect": {}
})";

/// Runs the scenario into `record`.
void record_run(report::Record& record, const std::vector<std::string>& set = {}) {
  const scenario::Scenario loaded = scenario::load_text(kScenario, "record.json", {set, {}});
  run::run_scenario(loaded, {}, record);
}

template <class E>
std::vector<common::At<E>> events_of(const report::Record& record) {
  std::vector<common::At<E>> found;
  record.recorder.for_each([&](const common::Event& event, std::uint64_t) {
    if (event.is<E>()) found.push_back(common::at<E>(event));
  });
  return found;
}

}  // namespace

TEST_CASE("an interrupt that is served is acknowledged in the record", "[record]") {
  report::Record record;
  record_run(record);
  const auto acknowledged = events_of<event::IsrAcknowledge>(record);
  const auto begun = events_of<event::IsrBegin>(record);
  const auto ended = events_of<event::IsrEnd>(record);
  REQUIRE(acknowledged.size() == 1);
  REQUIRE(begun.size() == 1);
  CHECK(acknowledged[0].read == 1);
  CHECK(record.names.object(common::ObjectKind::kAdapter, acknowledged[0].adapter) == "gpu1");
  CHECK(acknowledged[0].agent == begun[0].agent);
  CHECK(acknowledged[0].time > begun[0].time);
  CHECK(acknowledged[0].time <= ended[0].time);
}

TEST_CASE("the record begins with the state that the set-up left", "[record]") {
  report::Record record;
  record_run(record);
  REQUIRE(record.recorder.size() > 4);
  constexpr std::uint64_t kNone = UINT64_MAX;
  const common::Event wanted[] = {
      common::entry_of(0, 0, event::FenceCreate{1, 41, 2, 0}),
      common::entry_of(0, 0, event::MonitoredValueVisible{1, kNone, 2}),
      common::entry_of(0, 0, event::ShadowVisible{1, kNone, 2}),
      common::entry_of(0, 0, event::QueueState{1, event::QueueStateKind::kIdle})};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    const common::Event& event = record.recorder[i];
    CHECK(event.kind == wanted[i].kind);
    CHECK(event.time == wanted[i].time);
    CHECK(event.agent == wanted[i].agent);
    CHECK(event.record() == wanted[i].record());
  }
}

TEST_CASE("waves know fences and queues from time 0 on", "[record]") {
  report::Record record;
  record_run(record);
  report::StringSink sink;
  report::Output out(sink);
  report::write_vcd(record.recorder, record.names, out);
  out.finish();
  const std::string begin = sink.text.substr(0, sink.text.find("\n#", sink.text.find("$dumpvars")));
  CHECK(begin.find("\nb101001 ") != std::string::npos);  // CurrentValue, 41
  const std::size_t dumped = begin.find("$end", begin.find("$dumpvars"));
  REQUIRE(dumped != std::string::npos);
  const std::string set = begin.substr(dumped);
  CHECK(std::count(set.begin(), set.end(), '\n') == 4);  // with MonitoredValue, shadow, queue
}

TEST_CASE("a record that keeps no events counts those of the initial state too", "[record]") {
  report::Record all;
  record_run(all);
  report::Record none(0);
  record_run(none);
  CHECK(none.recorder.total() == 0);
  CHECK(none.statistics.events() == all.statistics.events());
}

}  // namespace fenceline::run_tests::test_record
