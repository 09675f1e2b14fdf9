#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tb/os/allocations/allocation_claims.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_allocation_claims {

namespace {

/// Claims on one allocation, by several threads.
struct Claimed {
  explicit Claimed(Kernel& kernel)
      : steps(kernel.simulation().steps),
        state(kernel.cpu(), kernel.adapter(0), *kernel.system.contexts, kernel.system.monitored,
              kernel.platform().system_memory(), kernel.platform().caches(), true),
        claims(state),
        allocation(steps) {}

  common::Steps& steps;
  VideoMemoryState state;
  AllocationClaims claims;
  Allocation allocation;
};

/// A policy that is never asked: one agent does all.
struct FirstAgent : common::Policy {
  std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return 0;
  }
};

/// True if the step of the agent has written the use of the allocation.
bool writes_use(const Claimed& it) {
  const auto wanted =
      common::Footprint::access(common::Place::kEvent, it.allocation.changed.id, true);
  return std::any_of(it.steps.touched().begin(), it.steps.touched().end(), [&](const auto& touch) {
    return touch.access.write && touch.access.location == wanted.location;
  });
}

/// Two threads: the second one asks for a claim while the first has one.
std::string order_of_two(bool other_allocation) {
  support::KernelBench bench;
  Claimed first(bench.kernel());
  Claimed second(bench.kernel());
  Claimed& other = other_allocation ? second : first;
  std::string order;
  bench.run({[&](Kernel& kernel) {
               first.claims.claim(first.allocation);
               order += 'a';
               kernel.cpu().compute(common::kMillisecond);
               order += 'b';
               first.claims.let_go(first.allocation);
             },
             [&](Kernel& kernel) {
               kernel.cpu().compute(100 * common::kMicrosecond);
               other.claims.claim(other.allocation);
               order += 'c';
               other.claims.let_go(other.allocation);
             }});
  CHECK_FALSE(first.allocation.busy);
  CHECK_FALSE(other.allocation.busy);
  return order;
}

}  // namespace

TEST_CASE("a claim waits until the allocation is let go", "[memory]") {
  CHECK(order_of_two(false) == "abc");
}

TEST_CASE("claims on different allocations do not wait for each other", "[memory]") {
  CHECK(order_of_two(true) == "acb");
}

TEST_CASE("an allocation is busy from its claim until it is let go", "[memory]") {
  support::run_in_kernel([](Kernel& kernel) {
    Claimed it(kernel);
    it.allocation.changed.clear();
    it.claims.claim(it.allocation);
    CHECK(it.allocation.busy);
    CHECK_FALSE(it.allocation.changed.is_set());
    it.claims.let_go(it.allocation);
    CHECK_FALSE(it.allocation.busy);
    CHECK(it.allocation.changed.is_set());
  });
}

TEST_CASE("three threads have a claim one after the other", "[memory]") {
  support::KernelBench bench;
  Claimed it(bench.kernel());
  int inside = 0;
  int done = 0;
  const auto body = [&](Kernel& kernel) {
    it.claims.claim(it.allocation);
    CHECK(++inside == 1);
    kernel.cpu().compute(common::kMillisecond);
    --inside;
    ++done;
    it.claims.let_go(it.allocation);
  };
  bench.run({body, body, body});
  CHECK(done == 3);
}

TEST_CASE("a claim conflicts with each other use of the allocation", "[memory]") {
  support::run_in_kernel([](Kernel& kernel) {
    Claimed it(kernel);
    FirstAgent first;
    it.steps.begin_exploring(first, 1000);
    it.claims.claim(it.allocation);
    CHECK(writes_use(it));
  });
}

TEST_CASE("the end of a claim conflicts with each other use of the allocation", "[memory]") {
  support::run_in_kernel([](Kernel& kernel) {
    Claimed it(kernel);
    it.claims.claim(it.allocation);
    FirstAgent first;
    it.steps.begin_exploring(first, 1000);
    it.claims.let_go(it.allocation);
    CHECK(writes_use(it));
  });
}

}  // namespace fenceline::os::test_allocation_claims
