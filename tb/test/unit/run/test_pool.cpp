#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <unistd.h>

#include "tb/run/process/pool.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::run_tests::test_pool {

namespace {

namespace run = fenceline::run;
using run::Finished;
using run::PoolOptions;
using run::Pulse;
using run::run_pool;
using How = run::Ended::How;

std::map<std::uint64_t, Finished> all_of(
    std::uint64_t count, const std::function<std::string(std::uint64_t, Pulse&)>& work,
    const PoolOptions& options) {
  std::vector<std::uint64_t> works(count);
  std::iota(works.begin(), works.end(), 0);
  std::map<std::uint64_t, Finished> finished;
  CHECK(run_pool(works, work, options,
                 [&](const Finished& it) { CHECK(finished.emplace(it.work, it).second); }));
  return finished;
}

}  // namespace

TEST_CASE("every piece of work is done once and none in this process", "[run]") {
  PoolOptions options;
  options.jobs = 3;
  int touched = 0;
  const auto finished = all_of(
      500,
      [&](std::uint64_t work, Pulse&) {
        ++touched;
        return std::to_string(work) + std::string(100'000, 'x');
      },
      options);
  REQUIRE(finished.size() == 500);
  for (const auto& [work, it] : finished) {
    CHECK(it.ended.how == How::kWell);
    CHECK(it.ended.result == std::to_string(work) + std::string(100'000, 'x'));
  }
  CHECK(touched == 0);
}

TEST_CASE("a process begins no run after its time limit", "[run]") {
  PoolOptions options;
  int before = 0;
  const auto work = [&](std::uint64_t, Pulse&) { return std::to_string(before++); };
  options.slice = std::chrono::milliseconds(0);
  for (const auto& [number, it] : all_of(100, work, options)) CHECK(it.ended.result == "0");
  options.slice = std::chrono::hours(1);
  int most = 0;
  for (const auto& [number, it] : all_of(100, work, options))
    most = std::max(most, std::stoi(it.ended.result));
  CHECK(most > 5);
}

TEST_CASE("only the work at fault is lost of those that share a process", "[run]") {
  PoolOptions options;
  options.slice = std::chrono::hours(1);
  options.stuck = std::chrono::seconds(1);
  const auto finished = all_of(
      200,
      [](std::uint64_t work, Pulse& pulse) -> std::string {
        const run::Simulating simulating(&pulse);
        if (work % 50 == 7) std::raise(SIGABRT);
        if (work % 50 == 9) ::_exit(0);
        if (work == 12)
          for (volatile bool on = true; on;) {
          }
        return "good";
      },
      options);
  REQUIRE(finished.size() == 200);
  for (const auto& [work, it] : finished) {
    CAPTURE(work);
    if (work == 12)
      CHECK(it.ended.how == How::kStuck);
    else if (work % 50 == 7 || work % 50 == 9)
      CHECK(it.ended.how == How::kCrashed);
    else
      CHECK(it.ended.result == "good");
  }
}

TEST_CASE("work that crashes or leaves or never ends stops no other", "[run]") {
  PoolOptions options;
  options.jobs = 2;
  options.stuck = std::chrono::seconds(1);
  const auto finished = all_of(
      6,
      [](std::uint64_t work, Pulse& pulse) -> std::string {
        const run::Simulating simulating(&pulse);
        if (work == 1) std::raise(SIGSEGV);
        if (work == 2) ::_exit(3);
        if (work == 3)
          for (volatile bool on = true; on;) {
          }
        if (work == 4) ::_exit(0);
        return "good";
      },
      options);
  REQUIRE(finished.size() == 6);
  CHECK(finished.at(0).ended.result == "good");
  CHECK(finished.at(1).ended.how == How::kCrashed);
  CHECK(finished.at(1).ended.why == "SIGSEGV");
  CHECK(finished.at(2).ended.how == How::kCrashed);
  CHECK(finished.at(2).ended.why == "exit code 3");
  CHECK(finished.at(3).ended.how == How::kStuck);
  CHECK(finished.at(3).ended.why == "no step for 1 s of CPU time");
  CHECK(finished.at(4).ended.how == How::kCrashed);
  CHECK(finished.at(5).ended.result == "good");
}

TEST_CASE("work that is killed from outside is done again once", "[run]") {
  const support::TempFolder marks;
  const auto finished = all_of(2,
                               [&](std::uint64_t work, Pulse&) -> std::string {
                                 const std::filesystem::path mark = marks / std::to_string(work);
                                 const bool again = std::filesystem::exists(mark);
                                 std::ofstream(mark) << "here";
                                 if (work == 0 || !again) ::kill(::getpid(), SIGKILL);
                                 return "good";
                               },
                               {});
  REQUIRE(finished.size() == 2);
  CHECK(finished.at(0).ended.how == How::kKilled);
  CHECK(finished.at(0).ended.why == "SIGKILL");
  CHECK(finished.at(1).ended.result == "good");
}

TEST_CASE("an interrupt ends running work", "[run]") {
  std::atomic<bool> interrupted{false};
  PoolOptions options;
  options.interrupted = &interrupted;
  std::size_t count = 0;
  const bool all = run_pool(
      {0, 1, 2},
      [](std::uint64_t work, Pulse&) {
        if (work == 1) ::sleep(100);
        return std::string("good");
      },
      options,
      [&](const Finished&) {
        ++count;
        interrupted = true;
      });
  CHECK_FALSE(all);
  CHECK(count == 1);
}

}  // namespace fenceline::run_tests::test_pool
