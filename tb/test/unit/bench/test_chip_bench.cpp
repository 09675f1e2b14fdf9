// What the program that measures chips makes of small jobs that can be worked out by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/app/chip_bench/jobs.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::chip_bench::test_chip_bench {

namespace {

using Json = nlohmann::json;

Json result(const std::string& job) {
  return scenario::json_tree<Json>(
      std::visit([](const auto& what) { return run(what); }, read_job(job)));
}

std::string complaint(const std::string& text) {
  try {
    read_job(text);
  } catch (const scenario::ScenarioError& error) {
    return error.pointer() + ": " + error.message();
  }
  return "";
}

/// A chip whose switches take the firmware's time alone.
std::string chip(const std::string& firmware = "0ps", const std::string& bandwidth = "1TB/s") {
  return R"("chip": {"profile": "gv100", "instruction_drain": "0ps", "firmware_variation": 0,
            "command_state": "0B", "wave_state": "0B", "firmware": ")" +
         firmware + R"(", "state_bandwidth": ")" + bandwidth + "\"}";
}

std::string kernel(const std::string& time) {
  return R"({"threads": 64, "groups": 64, "group_duration": ")" + time + "\"}";
}

}  // namespace

TEST_CASE("a complaint about a chip job names the place", "[chip_bench]") {
  CHECK(complaint(R"({"suspend": {}})") == "/suspend: the key \"chip\" is missing");
  CHECK(complaint(R"({"suspnd": {}})").find("suspnd") != std::string::npos);
  CHECK(complaint(R"({"context": {"chip": {"profile": "none"}, "kernel": )" + kernel("1us") + "}}")
            .find("/context/chip/profile") == 0);
  CHECK(complaint("{}").empty() == false);
}

TEST_CASE("a suspend between groups waits for the rest of the kernel", "[chip_bench]") {
  // Requests 0 to 50 us after a kernel of 100 us has begun, which did 10 us before the resume
  // ended.
  const Json found =
      result(R"({"suspend": {)" + chip() + R"(, "level": "thread_group", "kernel": )" +
             kernel("100us") + R"(, "window": "50us", "lead": "10us", "request": "3us"}})");
  CHECK(found["max"].get<double>() == Approx(93).margin(0.5));
  CHECK(found["min"].get<double>() == Approx(43).margin(0.5));
  CHECK(found["mean"].get<double>() == Approx(68).margin(2));
}

TEST_CASE("a suspend between dispatches waits for all that are in flight", "[chip_bench]") {
  // Eight of 100 us; four more when four have ended.
  const Json found =
      result(R"({"suspend": {)" + chip() + R"(, "level": "dispatch", "in_flight": 8, "batch": 4,
             "window": "800us", "kernel": )" +
             kernel("100us") + "}}");
  CHECK(found["max"].get<double>() == Approx(800).margin(2));
  CHECK(found["min"].get<double>() == Approx(400).margin(2));
  const Json idle = result(R"({"suspend": {)" + chip() + R"(, "level": "dispatch",
             "idle_permille": 1000, "request": "3us", "window": "800us", "kernel": )" +
                           kernel("100us") + "}}");
  CHECK(idle["max"] == 3.0);
}

TEST_CASE("turns cost what is saved and the firmware of every switch", "[chip_bench]") {
  // A slice of 1 ms, then 100 us.
  const std::string stream = R"({"kernel": )" + kernel("50us") + R"(, "kernels": 10})";
  const Json found = result(R"({"slices": {)" + chip("60us") +
                            R"(, "slice": "1ms", "gap": "40us", "length": "220ms", "streams": [)" +
                            stream + ", " + stream + "]}}");
  CHECK(found[0]["gap"]["p50"].get<double>() == Approx(1200).margin(1));
  CHECK(found[0]["rate"].get<double>() + found[1]["rate"].get<double>() ==
        Approx(2000 / 1.1).epsilon(0.02));
}

TEST_CASE("contexts that run together slow each other down but for what overlaps", "[chip_bench]") {
  const std::string stream = R"({"kernel": )" + kernel("50us") + R"(, "kernels": 10})";
  const Json found =
      result(R"({"slices": {)" + chip() + R"(, "slice": "1ms", "length": "90ms", "together": true,
             "overlap_permille": 200, "streams": [)" +
             stream + ", " + stream + "]}}");
  CHECK(found[0]["latency"]["p50"].get<double>() == Approx(900));
  CHECK(found[1]["rate"].get<double>() == Approx(2000 / 1.8).epsilon(0.02));
}

TEST_CASE("a request ahead of time hides the switch", "[chip_bench]") {
  const std::string rest =
      R"(, "kernel": )" + kernel("500us") + R"(, "critical": )" + kernel("1ms") +
      R"(, "period": "5ms", "preparation": "100us", "ahead": "50us", "requests": 100)";
  const auto added = [&](const std::string& more) {
    return result(R"({"requests": {)" + chip("70us") + rest + more + "}}")["added"]["mean"]
        .get<double>();
  };
  CHECK(added("") == Approx(20).margin(0.1));
  CHECK(added(R"(, "early": false)") == Approx(70).margin(0.1));
  CHECK(added(R"(, "early": false, "notice": "30us")") == Approx(100).margin(0.1));
}

TEST_CASE("best effort loses the critical work two switches and its caches", "[chip_bench]") {
  // Of every 5 ms: 1 ms of work, 70 us there, 70 us back and 60 us to fill caches again.
  const Json found = result(R"({"requests": {)" + chip("70us") + R"(, "kernel": )" +
                            kernel("10us") + R"(, "kernels": 100, "critical": )" + kernel("1ms") +
                            R"(, "period": "5ms", "refill": "60us", "requests": 1000}})");
  CHECK(found["rate"].get<double>() == Approx(1000 * (1 - 1.2 / 5)).epsilon(0.01));
}

TEST_CASE("the GPU goes in turns or to the highest priority", "[chip_bench]") {
  const std::string tasks = R"("tasks": [
      {"cpu": "0ms", "gpu": "4ms", "period": "100ms", "core": 0, "priority": 2},
      {"cpu": "0ms", "gpu": "4ms", "period": "100ms", "core": 1, "priority": 1}],
      "slice": "1ms", "switching": "500us", "length": "1s")";
  // In turns: 1 ms each, a switch between them, and one before the first of a later period.
  const Json turns = result(R"({"tasks": {)" + tasks + "}}");
  CHECK(turns[0] == 10'500.0);
  CHECK(turns[1] == 12'000.0);
  const Json priority = result(R"({"tasks": {"by_priority": true, )" + tasks + "}}");
  CHECK(priority[0] == 4'500.0);
  CHECK(priority[1] == 9'000.0);
}

TEST_CASE("a core runs the task of the highest priority before and after its GPU time",
          "[chip_bench]") {
  const Json found = result(R"({"tasks": {"tasks": [
      {"cpu": "2ms", "gpu": "4ms", "period": "100ms", "core": 0, "priority": 2},
      {"cpu": "8ms", "gpu": "0ms", "period": "100ms", "core": 0, "priority": 1}],
      "slice": "1ms", "length": "1s"}})");
  CHECK(found[0] == 6'000.0);
  CHECK(found[1] == 10'000.0);  // 1 ms of the other, 4 of its own, 1 of the other, 4 of its own
}

TEST_CASE("a context is registers and shared memory of the groups that fit", "[chip_bench]") {
  const Json found =
      result(R"({"context": {)" + chip("0ps", "100GB/s") +
             R"(, "kernel": {"threads": 256, "registers": 64, "shared_memory": "16KiB",
                  "group_duration": "1us"}}})");
  CHECK(found["groups_per_unit"] == 4);
  CHECK(found["unit_bytes"] == 4 * (65'536 + 16'384));
  CHECK(found["save"].get<double>() == Approx(80 * 4 * 81'920 / 100e3).epsilon(1e-4));
}

TEST_CASE("levels are compared at the same moments", "[chip_bench]") {
  const Json found = result(R"({"levels": {)" + chip() + R"(, "kernel": )" + kernel("100us") +
                            R"(, "draw": {"triangles": 1000, "primitives": 10,
                                "pixels": 100000000}}})");
  REQUIRE(found.size() == 10);
  CHECK(found[0]["level"] == "DMA buffer");
  CHECK(found[2]["level"] == "thread group");
  CHECK(found[2]["wait"]["mean"].get<double>() == Approx(50).epsilon(0.05));
  CHECK(found[6]["level"] == "primitive");
  CHECK(found[6]["wait"]["max"] > found[7]["wait"]["max"]);
  CHECK(found[6]["bytes"] < found[9]["bytes"]);
}

TEST_CASE("a save area has waves and a control stack in pages", "[chip_bench]") {
  const Json found = result(R"({"save_area": {"units": 80, "generation": 10,
      "vector_registers": "256KiB", "shared_memory": "64KiB", "bandwidth": "512GB/s"}})");
  CHECK(found["bytes_per_CU"] == 348'160);
  CHECK(found["control_stack_B"] == 0x7000);
  CHECK(found["total_B"] == 27'881'472);
}

}  // namespace fenceline::chip_bench::test_chip_bench
