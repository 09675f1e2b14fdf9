// Drivers with one mistake each: an invariant finds it.
#include <catch2/catch.hpp>
#include <string>

#include "tb/test/support/program.h"

namespace fenceline::system_tests::test_broken_drivers {

namespace {

using fenceline::support::Result;

/// A scenario of scenarios/combined with the driver that makes `mistake`; none: "".
Result run_with(const std::string& mistake, const std::string& scenario) {
  return fenceline::support::run("run --json --trace none --kmd " FENCELINE_BROKEN_KMD
                                 " " FENCELINE_SOURCE_DIR "/scenarios/combined/" +
                                     scenario + ".json",
                                 "FENCELINE_BROKEN=" + mistake);
}

constexpr const char* kInMemory = FENCELINE_SOURCE_DIR "/scenarios/memory/assumed_not_in_use.json";

/// A command on kInMemory with the driver that reports nothing.
Result run_silent(const std::string& command, const std::string& options = "") {
  return fenceline::support::run(
      command + " --kmd " FENCELINE_BROKEN_KMD " " + kInMemory + " " + options,
      "FENCELINE_BROKEN=silent");
}

/// The mistake breaks the invariant; without it the driver is right.
void finds(const std::string& invariant, const std::string& mistake, const std::string& scenario) {
  const Result right = run_with("nothing", scenario);
  INFO(right.output);
  CHECK(right.exit_code == 0);
  const Result wrong = run_with(mistake, scenario);
  INFO(wrong.output);
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.output.find(R"("invariant": ")" + invariant + "\"") != std::string::npos);
}

}  // namespace

TEST_CASE("a driver that stores a lower MonitoredValue is found", "[kmd]") {
  finds("I34", "low_monitored", "only_the_last_signal_interrupts");
}

TEST_CASE("a driver that stores the low half of a signal by the CPU is found", "[kmd]") {
  finds("I35", "low_half", "cpu_signal_of_64_bits");
}

TEST_CASE("a driver that lowers a progress fence is found", "[kmd]") {
  finds("I36", "progress", "progress_kept_with_new_logs");
}

TEST_CASE("a driver that leaves EvaluateLegacyMonitoredFences out is found", "[kmd]") {
  finds("I37", "no_flag", "one_interrupt_for_both_kinds");
}

TEST_CASE("a driver that names the first of several queues only is found", "[kmd]") {
  finds("I38", "first_queue", "two_queues_in_one_interrupt");
}

TEST_CASE("a run that hangs in its set-up is no hang of a program", "[kmd]") {
  const Result result = run_silent("run --json --trace none");
  INFO(result.output);
  CHECK(result.exit_code == 3);
  CHECK(result.output.find("they do not begin") != std::string::npos);
  const Result explored = run_silent("explore");
  INFO(explored.output);
  CHECK(explored.exit_code == 2);
  CHECK(explored.output.find("the programs do not begin") != std::string::npos);
}

TEST_CASE("a comparison with the reference names a hang in the set-up", "[kmd]") {
  for (const std::string policy : {"timing", "search"}) {
    const Result result = run_silent("shrink --reference", "--executions 100 --policy " + policy);
    INFO(result.output);
    CHECK(result.exit_code == 0);
    CHECK(result.output.find("expectation the programs begin") != std::string::npos);
    CHECK(result.output.find("\"contexts\"") == std::string::npos);  // it has become smaller
  }
}

}  // namespace fenceline::system_tests::test_broken_drivers
