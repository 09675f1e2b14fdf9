#include <catch2/catch.hpp>
#include <string>

#include "tb/report/meters/samples.h"
#include "tb/report/meters/statistics.h"
#include "tb/report/record/idle_periods.h"
#include "tb/report/record/window.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::report_tests::test_statistics {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;
using common::entry_of;
using common::Event;

namespace {

std::uint64_t counter(const report::RunReport& run, const std::string& name) {
  const report::Counter* found = report::find_counter(run, name);
  INFO("counter " << name);
  REQUIRE(found != nullptr);
  CHECK_FALSE(found->unit.empty());
  CHECK_FALSE(found->meaning.empty());
  return found->value;
}

report::Latency latency(const report::RunReport& run, const std::string& name) {
  const report::Latency* found = report::find_latency(run, name);
  INFO("latency " << name);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("percentiles are by nearest rank", "[report][samples]") {
  report::Samples samples;
  for (std::uint64_t i = 100; i >= 1; --i) samples.add(i);
  const report::Latency hundred = samples.summarise("x", "m");
  CHECK(hundred.count == 100);
  CHECK(hundred.min == 1);
  CHECK(hundred.p50 == 50);
  CHECK(hundred.p99 == 99);
  CHECK(hundred.max == 100);
  CHECK(hundred.mean == 50);  // 50.5 rounded down

  report::Samples three;
  for (const std::uint64_t value : {30u, 10u, 20u}) three.add(value);
  CHECK(three.summarise("x", "m").p50 == 20);
  CHECK(three.summarise("x", "m").p99 == 30);
}

TEST_CASE("no samples give a latency of count zero", "[report][samples]") {
  report::Samples samples;
  CHECK(samples.summarise("x", "m").count == 0);
  CHECK(samples.summarise("x", "m").max == 0);
}

TEST_CASE("many and huge samples stay exact", "[report][samples]") {
  report::Samples samples;
  for (std::uint64_t i = 0; i < 200'000; ++i) samples.add(i % 1000);
  CHECK(samples.summarise("x", "m").count == 200'000);
  CHECK(samples.summarise("x", "m").p50 == 499);
  CHECK(samples.summarise("x", "m").p99 == 989);

  report::Samples huge;
  for (int i = 0; i < 3; ++i) huge.add(~std::uint64_t{0} - 2);
  CHECK(huge.summarise("x", "m").mean == ~std::uint64_t{0} - 2);
}

TEST_CASE("a window finds what is alive and forgets the rest", "[report][window]") {
  report::Window<int> window;
  CHECK(window.find(1) == nullptr);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    window.open(i) = static_cast<int>(i);
    if (i > 10) window.close(i - 10);
  }
  CHECK(window.span() == 10);
  CHECK(window.find(990) == nullptr);
  REQUIRE(window.find(991) != nullptr);
  CHECK(*window.find(991) == 991);
  window.open(5) = 5;  // older than all: still right
  CHECK(*window.find(5) == 5);
  CHECK(*window.find(1000) == 1000);
  window.close(77);
  CHECK(*window.find(991) == 991);
}

TEST_CASE("statistics count what the sample run does", "[report][statistics]") {
  report::sample::Run run(3);
  CHECK(counter(run.report, "interrupts.raised") == 3);
  CHECK(counter(run.report, "interrupts.delivered") == 3);
  CHECK(counter(run.report, "interrupts.spurious") == 0);
  CHECK(counter(run.report, "signals.gpu") == 3);
  CHECK(counter(run.report, "signals.cpu") == 3);
  CHECK(counter(run.report, "signals.suppressed") == 0);
  CHECK(counter(run.report, "waits.released") == 3);
  CHECK(counter(run.report, "gpu_waits.parked") == 3);
  CHECK(counter(run.report, "notify.fences") == 3);
  CHECK(counter(run.report, "umv.updates") == 6);
  CHECK(counter(run.report, "packets.SIGNAL") == 3);
  CHECK(counter(run.report, "packets.DRAW") == 3);
  CHECK(counter(run.report, "log.lost") == 9);
  CHECK(counter(run.report, "pcie.gpu0.up.msi.tlps") == 3);
  CHECK(counter(run.report, "pcie.gpu0.up.msi.bytes") == 12);
  CHECK(counter(run.report, "pcie.gpu0.down.posted_write.bytes") == 24);
  CHECK(run.report.event_count == run.record.recorder.size());
}

TEST_CASE("statistics measure latencies from value to waiter", "[report][statistics]") {
  report::sample::Run run(3);
  const report::Latency release = latency(run.report, "signal_to_release");
  CHECK(release.count == 3);
  CHECK(release.min == 5'600'000);  // visible at 30.4 us, released at 36 us
  CHECK(release.max == 5'600'000);
  CHECK(latency(run.report, "signal_to_resume").p50 == 9'600'000);
  CHECK(latency(run.report, "interrupt_delivery").p50 == 1'800'000);
  CHECK(latency(run.report, "umv_call").count == 6);
  CHECK(latency(run.report, "umv_call").max == 2'000'000);
  CHECK(latency(run.report, "gpu_wait").p50 == 28'000'000);
}

TEST_CASE("a wait that comes after its value counts from the wait", "[report][statistics]") {
  report::Statistics statistics;
  for (const Event& it : {entry_of(0, 1, event::FenceCreate{1, 5, 0, 0}),
                          entry_of(10, 1, event::WaitAdd{1, 5, 1, 0U, 0, 0}),
                          entry_of(14, 1, event::WaitRelease{1, 5, 1, 0U}),
                          entry_of(20, 1, event::WaitAdd{1, 9, 2, 0U, 0, 0}),
                          entry_of(30, 1, event::WaitRelease{1, 9, 2, 0U}),
                          entry_of(31, 1, event::WaitDone{1, 9, 2, 0U})}) {
    statistics.on_event(it);
  }
  report::RunReport run;
  run.end_time = 40;
  statistics.finish({}, run);
  CHECK(latency(run, "signal_to_release").count == 1);  // the early release of wait 2 is none
  CHECK(latency(run, "signal_to_release").max == 4);
  CHECK(latency(run, "signal_to_resume").count == 0);
}

TEST_CASE("idle states add up to the run for every core", "[report][statistics]") {
  report::sample::Run run;
  CHECK(counter(run.report, "cpu_wakeups") == 1);
  CHECK(counter(run.report, "cstate.C6") == 22'000'000);
  CHECK(counter(run.report, "core.cpu0.C6") == 22'000'000);
  CHECK(counter(run.report, "core.cpu1.C0") == run.report.end_time);
  CHECK(counter(run.report, "cstate.C0") + counter(run.report, "cstate.C6") ==
        2 * run.report.end_time);
}

TEST_CASE("a parked queue does not keep its engine busy", "[report][statistics]") {
  report::sample::Run run;
  CHECK(counter(run.report, "engine.gpu0.copy0.busy") == 1'000'000);
  CHECK(counter(run.report, "engine.gpu0.gfx0.busy") == 29'000'000);
}

TEST_CASE("sleeps told at the wake-up lie one before the other", "[report][statistics]") {
  report::Recorder recorder;
  report::Statistics statistics;
  for (const Event& it : {entry_of(100, 1, event::PowerState{1, 1, 10, 0}),
                          entry_of(100, 1, event::PowerState{1, 2, 20, 0}),
                          entry_of(100, 1, event::PowerState{1, 0, 40, 0}),
                          entry_of(150, 1, event::PowerState{1, 1, 50, 0})}) {
    recorder.on_event(it);
    statistics.on_event(it);
  }
  const auto periods = report::idle_periods(recorder, 180);
  REQUIRE(periods.size() == 3);
  CHECK((periods[0].state == 1 && periods[0].begin == 40 && periods[0].end == 60));
  CHECK((periods[1].state == 2 && periods[1].begin == 60 && periods[1].end == 100));
  CHECK((periods[2].state == 1 && periods[2].begin == 150 && periods[2].end == 180));
  report::Names names;
  names.c_states = {"C0", "C1", "C6"};
  names.objects[static_cast<std::size_t>(common::ObjectKind::kCore)] = {"none", "cpu0"};
  report::RunReport run;
  run.end_time = 180;
  statistics.finish(names, run);
  CHECK(counter(run, "cstate.C0") == 90);
  CHECK(counter(run, "cstate.C1") == 50);
  CHECK(counter(run, "cstate.C6") == 40);
  CHECK(counter(run, "cpu_wakeups") == 1);
}

TEST_CASE("the end of the run wakes no thread", "[report][statistics]") {
  report::Statistics statistics;
  for (const Event& it : {entry_of(50, 1, event::PowerState{1, 1, 10, 0}),
                          entry_of(60, 1, event::PowerState{1, 0, 10, 0}),
                          entry_of(90, 1, event::PowerState{1, 1, 10, 0}),
                          entry_of(90, 1, event::PowerState{1, 0, 20, 0}),
                          entry_of(90, 1, event::PowerState{2, 2, 10, 0}),
                          entry_of(90, 1, event::PowerState{2, 0, 80, 0})}) {
    statistics.on_event(it);
  }
  report::RunReport run;
  run.end_time = 90;
  statistics.finish({}, run);
  CHECK(counter(run, "cpu_wakeups") == 1);
}

}  // namespace fenceline::report_tests::test_statistics
