// Work in processes of its own: what crashes, ends, or does not come along takes nothing with it.
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

#include "tb/run/process/contained.h"
#include "tb/run/process/last_words.h"

namespace fenceline::run_tests::test_contained {

namespace run = fenceline::run;
using How = run::Ended::How;

namespace {

std::map<std::size_t, run::Ended> contain(
    std::size_t count, const std::function<std::string(std::size_t, run::Pulse&)>& work,
    run::Watch watch = {}) {
  std::map<std::size_t, run::Ended> all;
  run::Works works;
  works.count = count;
  works.work = work;
  works.ended = [&](std::size_t number, run::Ended ended) { all[number] = std::move(ended); };
  watch.stuck = std::chrono::milliseconds(200);
  run::run_contained(works, watch);
  return all;
}

volatile bool for_ever = true;

}  // namespace

TEST_CASE("work gives its result and an empty one too", "[run][contained]") {
  const auto all = contain(3, [](std::size_t number, run::Pulse& pulse) {
    pulse.beat(7);
    return std::string(number, 'x');
  });
  REQUIRE(all.size() == 3);
  for (const auto& [number, ended] : all) {
    CHECK(ended.how == How::kWell);
    CHECK(ended.result == std::string(number, 'x'));
    CHECK(ended.now == 7);
  }
}

TEST_CASE("a crash takes nothing else with it", "[run][contained]") {
  run::Watch watch;
  watch.jobs = 2;
  const auto all = contain(
      4,
      [](std::size_t number, run::Pulse&) {
        if (number == 0) std::raise(SIGSEGV);
        if (number == 1) std::abort();
        if (number == 2) std::exit(0);  // NOLINT: on purpose
        return std::string("well");
      },
      watch);
  CHECK(all.at(0).how == How::kCrashed);
  CHECK(all.at(0).why == "SIGSEGV");
  CHECK(all.at(1).why == "SIGABRT");
  CHECK(all.at(2).how == How::kCrashed);
  CHECK(all.at(2).why == "exit code 0");
  CHECK(all.at(3).result == "well");
}

TEST_CASE("a crash says what the process was at", "[run][contained]") {
  const auto all = contain(1, [](std::size_t, run::Pulse&) {
    const run::InDriver scope("the start of a library");
    std::raise(SIGFPE);
    return std::string();
  });
  CHECK(all.at(0).where == "the start of a library");
  CHECK(all.at(0).in_driver);
}

TEST_CASE("a stack that runs over is a crash", "[run][contained]") {
  const std::function<int(int)> deeper = [&](int depth) {
    volatile char room[4096] = {};
    return deeper(depth + 1) + room[0];
  };
  const auto all = contain(1, [&](std::size_t, run::Pulse&) { return std::to_string(deeper(0)); });
  CHECK(all.at(0).why == "SIGSEGV");
}

TEST_CASE("work that takes CPU time without a beat is ended", "[run][contained]") {
  const auto all = contain(1, [](std::size_t, run::Pulse& pulse) {
    const run::Simulating simulating(&pulse);
    while (for_ever) {
    }
    return std::string();
  });
  CHECK(all.at(0).how == How::kStuck);
  CHECK(all.at(0).why == "no step for 0.2 s of CPU time");
}

TEST_CASE("work that sleeps or that owes no beats is not ended", "[run][contained]") {
  const auto all = contain(2, [](std::size_t number, run::Pulse& pulse) {
    if (number == 0) {
      const run::Simulating simulating(&pulse);
      ::usleep(400'000);
      return std::string("slept");
    }
    const auto end = std::clock() + CLOCKS_PER_SEC / 2;
    while (std::clock() < end) {
    }
    return std::string("wrote files");
  });
  CHECK(all.at(0).result == "slept");
  CHECK(all.at(1).result == "wrote files");
}

TEST_CASE("an interrupt ends work that does not listen and begins no more", "[run][contained]") {
  std::atomic<bool> interrupted{false};
  run::Watch watch;
  watch.interrupted = &interrupted;
  watch.progress = [&](std::size_t, const run::Pulse&) { interrupted = true; };
  const auto all = contain(
      2,
      [](std::size_t, run::Pulse&) {
        ::sleep(100);
        return std::string();
      },
      watch);
  REQUIRE(all.size() == 1);
  CHECK(all.at(0).how == How::kInterrupted);
}

}  // namespace fenceline::run_tests::test_contained
