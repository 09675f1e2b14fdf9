#include <catch2/catch.hpp>
#include <csignal>
#include <stdexcept>
#include <unistd.h>

#include "tb/explore/process/contained.h"
#include "tb/explore/search/bytes.h"
#include "tb/run/process/last_words.h"

namespace fenceline::explore_tests::test_contained {

using fenceline::common::Operation;
using fenceline::explore::Ended;
using fenceline::explore::Flight;
using fenceline::explore::from_bytes;
using fenceline::explore::run_contained;
using fenceline::explore::Task;
using fenceline::explore::to_bytes;
using fenceline::explore::Watch;

namespace {
Watch watch(unsigned at_once = 1) {
  Watch watch;
  watch.max_steps = 10;
  watch.stuck = std::chrono::milliseconds(50);
  watch.at_once = at_once;
  return watch;
}
void burn() {
  static volatile bool for_ever = true;
  while (for_ever) {
  }
}
}  // namespace

TEST_CASE("tasks in processes answer in their order however many run at once", "[explore]") {
  std::vector<Task> tasks;
  for (int i = 0; i < 5; ++i)
    tasks.emplace_back([i](Flight&) { return std::string(100'000, static_cast<char>('a' + i)); });
  for (const unsigned at_once : {1U, 3U, 9U}) {
    const std::vector<Ended> ended = run_contained(tasks, watch(at_once));
    REQUIRE(ended.size() == 5);
    for (int i = 0; i < 5; ++i)
      CHECK(ended[static_cast<std::size_t>(i)].result ==
            std::string(100'000, static_cast<char>('a' + i)));
  }
}

TEST_CASE("a process that dies leaves the steps that it took", "[explore]") {
  const std::vector<Ended> ended = run_contained({[](Flight& flight) -> std::string {
                                                    flight.step(0, {3, Operation::kWrite});
                                                    flight.step(1, {4, Operation::kRead});
                                                    std::raise(SIGSEGV);
                                                    return "not reached";
                                                  },
                                                  [](Flight&) { return std::string("well"); }},
                                                 watch());
  CHECK(ended[0].how == Ended::How::kCrashed);
  CHECK(ended[0].why == "SIGSEGV");
  REQUIRE(ended[0].trace.size() == 2);
  CHECK(ended[0].trace[1].agent == 4);
  CHECK(ended[0].trace[1].operation == Operation::kRead);
  CHECK(ended[1].result == "well");
}

TEST_CASE("a process whose step takes no end is killed and one that steps is not", "[explore]") {
  const std::vector<Ended> ended = run_contained({[](Flight& flight) -> std::string {
                                                    flight.step(0, {1, Operation::kWrite});
                                                    burn();
                                                    return {};
                                                  },
                                                  [](Flight& flight) -> std::string {
                                                    const std::clock_t end =
                                                        std::clock() + CLOCKS_PER_SEC / 4;
                                                    while (std::clock() < end)
                                                      flight.step(0, {1, Operation::kWrite});
                                                    return "well";
                                                  }},
                                                 watch(2));
  CHECK(ended[0].how == Ended::How::kStuck);
  CHECK(ended[0].trace.size() == 1);
  CHECK(ended[1].result == "well");
}

TEST_CASE("an exception of a task is thrown at its caller", "[explore]") {
  const Task invalid = [](Flight&) -> std::string { throw std::invalid_argument("no such"); };
  const Task failed = [](Flight&) -> std::string { throw std::out_of_range("beyond"); };
  CHECK_THROWS_AS(run_contained({invalid}, watch()), std::invalid_argument);
  CHECK_THROWS_WITH(run_contained({failed}, watch()), "beyond");
}

TEST_CASE("a process that is killed from outside is no finding", "[explore]") {
  const Task killed = [](Flight&) -> std::string {
    ::kill(::getpid(), SIGKILL);
    return {};
  };
  CHECK_THROWS_WITH(run_contained({killed}, watch()), Catch::Contains("from outside"));
}

TEST_CASE("tasks get a request to stop", "[explore]") {
  const std::atomic<bool> interrupted{true};
  Watch stopped = watch();
  stopped.interrupted = &interrupted;
  const Task waits = [](Flight& flight) -> std::string {
    for (std::uint64_t i = 0; !flight.stopped(); ++i) flight.step(i, {1, Operation::kWrite});
    return "stopped";
  };
  CHECK(run_contained({waits}, stopped)[0].result == "stopped");
}

TEST_CASE("a task that has heard the stop request may finish and a deaf one may not", "[explore]") {
  const std::atomic<bool> interrupted{true};
  Watch stopped = watch();
  stopped.interrupted = &interrupted;
  const Task slow = [](Flight& flight) -> std::string {
    flight.hear();
    ::usleep(700'000);
    return "slow";
  };
  CHECK(run_contained({slow, slow}, stopped)[1].result == "slow");
  const Task deaf = [](Flight&) -> std::string {
    ::sleep(100);
    return {};
  };
  CHECK_THROWS_AS(run_contained({deaf}, stopped), fenceline::explore::Interrupted);
}

TEST_CASE("a process that dies reports its current step", "[explore]") {
  const Task crash = [](Flight&) -> std::string {
    const fenceline::run::InDriver scope("the start of a library");
    std::raise(SIGSEGV);
    return {};
  };
  const Task loop = [](Flight&) -> std::string {
    const fenceline::run::InDriver scope("its loop");
    burn();
    return {};
  };
  const std::vector<Ended> ended = run_contained({crash, loop}, watch(2));
  CHECK(ended[0].what() == "SIGSEGV, in the start of a library");
  CHECK(ended[1].what() == "no step for 0.05 s of CPU time, in its loop");
  CHECK(ended[0].by_driver("kmd.so"));
  CHECK_FALSE(ended[0].by_driver(""));
  CHECK(fatal_step(ended[0], false).why == ended[0].what());
}

TEST_CASE("what was written is read and no more", "[explore]") {
  const std::string bytes = to_bytes(7, std::string("seven"), std::vector<int>{1, 2});
  int number = 0;
  std::string text;
  std::vector<int> list;
  from_bytes(bytes, number, text, list);
  CHECK(number == 7);
  CHECK(text == "seven");
  CHECK(list == std::vector<int>{1, 2});
  CHECK_THROWS_WITH(from_bytes(bytes, number, text), Catch::Contains("too late"));
  CHECK_THROWS_WITH(from_bytes(bytes, number, text, list, number), Catch::Contains("too early"));
}

}  // namespace fenceline::explore_tests::test_contained
