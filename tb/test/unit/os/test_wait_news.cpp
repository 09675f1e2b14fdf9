// News of the lists of waiters, for the fallback timer.
#include <catch2/catch.hpp>

#include "tb/os/vidsch/wait_news.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_wait_news {

using support::OsMachine;

TEST_CASE("news stay until they are taken and a wait that leaves is none") {
  OsMachine machine;
  WaitNews news(machine.steps());
  CHECK_FALSE(news.there());
  CHECK(news.state() == 0);
  news.note(false);
  CHECK_FALSE(news.there());
  CHECK_FALSE(news.take());
  news.note(true);
  news.note(false);
  CHECK(news.there());
  CHECK(news.state() == 1);
  CHECK(news.take());
  CHECK_FALSE(news.there());
}

TEST_CASE("every change of the lists wakes those that wait for one") {
  OsMachine machine;
  WaitNews news(machine.steps());
  bool left = false;
  common::Time woken = 0;
  machine.add("leaves", [&] {
    machine.sleep(common::kMillisecond);
    left = true;
    news.note(false);
  });
  CHECK(machine.run_thread([&] {
    machine.cpu().block_until(news.changed(), [&] { return left; });
    woken = machine.steps().simulated();
  }));
  CHECK(woken >= common::kMillisecond);
}

}  // namespace fenceline::os::test_wait_news
