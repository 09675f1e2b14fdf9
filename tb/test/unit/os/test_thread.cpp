// Threads of user mode, and the options of their calls.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/thread.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_thread {

TEST_CASE("a thread is found by its agent", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    Threads threads(kernel.simulation().steps);
    Thread& late = threads.add(5, 55);
    Thread& early = threads.add(2, 22);
    CHECK(&threads.of(5) == &late);
    CHECK(late.object == 55);
    CHECK(&threads.of(2) == &early);
    CHECK(early.object == 22);
  });
}

TEST_CASE("a thread that was never added has an entry without object", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    Threads threads(kernel.simulation().steps);
    const Thread& known = threads.add(5, 55);
    Thread& between = threads.of(3);
    Thread& beyond = threads.of(9);
    CHECK(between.object == 0);
    CHECK(beyond.object == 0);
    CHECK(&threads.of(3) == &between);
    CHECK(&threads.of(9) == &beyond);
    CHECK(&threads.of(5) == &known);
    CHECK(&threads.current() == &threads.of(kernel.simulation().steps.current()));
  });
}

TEST_CASE("options of a call last as long as their scope", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    Threads threads(kernel.simulation().steps);
    const CallOptions& now = threads.current().options;
    {
      const WithOptions outer(threads, {"outer"});
      CHECK(now.name == "outer");
      {
        const WithOptions inner(threads, {});
        CHECK(now.name.empty());
      }
      CHECK(now.name == "outer");
    }
    CHECK(now.name.empty());
  });
}

TEST_CASE("a thread waits without a limit unless its options have one", "[dxgk]") {
  support::run_in_kernel([](Kernel& kernel) {
    Thread thread(kernel.simulation().steps);
    CHECK(thread.limit() == nullptr);
    thread.options.limit = 7;
    REQUIRE(thread.limit() != nullptr);
    CHECK(*thread.limit() == 7);
  });
}

}  // namespace fenceline::os::test_thread
