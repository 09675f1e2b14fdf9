// Drivers that misuse what the kernel and the machine offer them: a finding, never a crash.
#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <string>
#include <vector>

#include "tb/test/support/can_explore.h"
#include "tb/test/support/hostile_driver/mistakes.h"
#include "tb/test/support/program.h"

namespace fenceline::system_tests::test_hostile_drivers {

namespace {

using fenceline::support::Result;

const std::string kScenarios = FENCELINE_SOURCE_DIR "/scenarios/";
const std::string kScenario = kScenarios + "combined/only_the_last_signal_interrupts.json";

/// All mistakes of the library whose expectation `wanted` takes.
template <typename Wanted>
std::vector<const Mistake*> mistakes(Wanted&& wanted) {
  void* library = dlopen(FENCELINE_HOSTILE_KMD, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto at =
      reinterpret_cast<const Mistake* (*)(std::size_t)>(dlsym(library, "hostile_mistake"));
  REQUIRE(at != nullptr);
  std::vector<const Mistake*> result;
  for (std::size_t i = 0; const Mistake* mistake = at(i); ++i)
    if (wanted(std::string(mistake->expected))) result.push_back(mistake);
  return result;
}

Result run_with(const std::string& mistake, const std::string& scenario = kScenario,
                const std::string& more = {}) {
  return fenceline::support::run(
      "run --json --trace none --kmd " FENCELINE_HOSTILE_KMD " " + more + " " + scenario,
      "FENCELINE_HOSTILE=" + mistake);
}
Result run_with(const Mistake* mistake) {
  return run_with(mistake->name, kScenarios + mistake->scenario);
}

bool has(const Result& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}
bool breaks(const Result& result, const std::string& invariant) {
  return has(result, R"("invariant": ")" + invariant + "\"");
}
bool is_invariant(const std::string& expected) {
  return expected[0] == 'I' && expected.find_first_not_of("0123456789", 1) == std::string::npos;
}

}  // namespace

TEST_CASE("the hostile driver without a fault breaks nothing", "[kmd]") {
  const Result right = run_with("nothing");
  INFO(right.output);
  CHECK(right.exit_code == 0);
}

TEST_CASE("the hostile driver knows at least 250 misuses of the kernel", "[kmd]") {
  CHECK(mistakes([](const std::string&) { return true; }).size() >= 250);
}

TEST_CASE("a driver that misuses the kernel breaks the invariant of that rule", "[kmd]") {
  for (const Mistake* mistake : mistakes(is_invariant)) {
    const Result result = run_with(mistake);
    INFO(mistake->name << ": " << result.output);
    CHECK(result.exit_code == 1);
    CHECK(breaks(result, mistake->expected));
  }
}

TEST_CASE("a driver that stops the machine is reported as the cause", "[kmd]") {
  for (const Mistake* mistake : mistakes([](const std::string& it) { return it == "stop"; })) {
    const Result result = run_with(mistake);
    INFO(mistake->name << ": " << result.output);
    CHECK(result.exit_code == 1);
    CHECK(has(result, "\"ending\": \"bug_check\""));
  }
}

TEST_CASE("a driver that refuses to start is reported", "[kmd]") {
  for (const Mistake* mistake : mistakes([](const std::string& it) { return it == "no start"; })) {
    const Result result = run_with(mistake);
    INFO(mistake->name << ": " << result.output);
    CHECK(result.exit_code == 1);
    CHECK_FALSE(has(result, "\"start\": \"starts\""));
  }
}

TEST_CASE("allowed calls of a driver are no misuse", "[kmd]") {
  for (const Mistake* mistake : mistakes([](const std::string& it) { return it == "fine"; })) {
    const Result result = run_with(mistake);
    INFO(mistake->name << ": " << result.output);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("there is a verdict whatever a driver answers or tells the device", "[kmd]") {
  for (const Mistake* mistake : mistakes([](const std::string& it) { return it == "verdict"; })) {
    const Result result = run_with(mistake);
    INFO(mistake->name << ": " << result.output);
    CHECK((result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 3));
    CHECK(has(result, "\"verdict\": "));
  }
}

TEST_CASE("a misuse is reported with the place of the call", "[kmd]") {
  const Result port = run_with("register_read_unaligned");
  CHECK(has(port,
            "names register offset 0x4, which is no multiple of 8: "
            "'mistakes_registers.cpp:"));
  CHECK(has(port, ", in DxgkDdiStartDevice)'"));
  CHECK(has(run_with("notify_node_16"), "'DxgkCbNotifyInterrupt (in DxgkDdiInterruptRoutine)'"));
  CHECK(has(run_with("throws_in_create_fence"), "'DxgkDdiCreateNativeFence'"));
}

TEST_CASE("a misuse is found in each order of a search", "[kmd][explore]") {
  if (!fenceline::support::can_explore()) return;
  const std::string scenario = FENCELINE_SOURCE_DIR "/scenarios/litmus/P01_sb_full.json";
  for (const char* mistake : {"address_null_in_isr", "notify_node_16", "lock_left_in_dpc"}) {
    const Result result = fenceline::support::run(
        "explore --no-progress --kmd " FENCELINE_HOSTILE_KMD " " + scenario,
        std::string("FENCELINE_HOSTILE_AGAIN=1 FENCELINE_HOSTILE=") + mistake);
    INFO(mistake << ": " << result.output);
    CHECK(result.exit_code == 1);
    CHECK(has(result, "I13"));
  }
}

TEST_CASE("a file that is no driver is refused", "[kmd]") {
  for (const char* file : {"/nowhere/driver.so", FENCELINE_SOURCE_DIR "/README.md", "libm.so.6"}) {
    const Result result =
        fenceline::support::run(std::string("run --kmd ") + file + " " + kScenario);
    INFO(file << ": " << result.output);
    CHECK(result.exit_code == 2);
    CHECK(has(result, "--kmd"));
  }
}

TEST_CASE("a driver that crashes is a finding", "[kmd]") {
  for (const Mistake* mistake : mistakes([](const std::string& it) { return it == "crash"; })) {
    const Result result = run_with(mistake->name, kScenario, "--stuck 2");
    INFO(mistake->name << ": " << result.output);
    CHECK(result.exit_code == 1);
    CHECK((has(result, "\"verdict\": \"crash\"") || has(result, "\"verdict\": \"endless_loop\"")));
  }
}

}  // namespace fenceline::system_tests::test_hostile_drivers
