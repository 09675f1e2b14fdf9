// Threads of a simulation use the stacks of an earlier one, and only SystemC's threads do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "tb/run/process/contained.h"
#include "tb/run/simulation_scope.h"

namespace fenceline::run_tests::test_thread_stacks {

namespace run = fenceline::run;
using How = run::Ended::How;

namespace {

/// Simulates as many threads as there are bodies.
void simulate(const std::vector<std::function<void()>>& bodies) {
  const run::SimulationScope scope;
  for (const std::function<void()>& body : bodies) sc_core::sc_spawn(body);
  sc_core::sc_start();
}
void nothing() {}

/// In a process of its own, because of the simulations of other tests.
run::Ended contain(const std::function<std::string()>& work) {
  run::Ended result;
  run::Works works;
  works.count = 1;
  works.work = [&](std::size_t, run::Pulse&) { return work(); };
  works.ended = [&](std::size_t, run::Ended ended) { result = std::move(ended); };
  run::run_contained(works, run::Watch{});
  return result;
}

int deeper(int depth) {
  volatile char room[4096] = {};
  return depth > 1000 ? depth : deeper(depth + 1) + room[0];
}

}  // namespace

TEST_CASE("a thread uses the stack of a thread of an earlier simulation", "[run][stacks]") {
  const run::Ended ended = contain([] {
    const std::size_t before = run::kept_thread_stacks();
    simulate({nothing, nothing});
    const std::size_t after_two = run::kept_thread_stacks() - before;
    simulate({nothing});
    const std::size_t after_one = run::kept_thread_stacks() - before;
    simulate({nothing, nothing, nothing});
    const std::size_t after_three = run::kept_thread_stacks() - before;
    return std::to_string(after_two) + std::to_string(after_one) + std::to_string(after_three);
  });
  run::keep_thread_stacks();
  CHECK(ended.result == (run::keeps_thread_stacks() ? "223" : "000"));
}

TEST_CASE("a thread that overruns a stack of an earlier simulation is a crash", "[run][stacks]") {
  const run::Ended ended = contain([] {
    simulate({nothing});
    simulate({[] { deeper(0); }});
    return std::string("ran on");
  });
  CHECK(ended.how == How::kCrashed);
}

TEST_CASE("memory that others map is new also beside kept stacks", "[run][stacks]") {
  const run::Ended ended = contain([] {
    simulate({[] { deeper(990); }});
    const auto size = static_cast<std::size_t>(sc_core::SC_DEFAULT_STACK_SIZE);
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const char* bytes = static_cast<const char*>(mapped);
    const bool zero = std::all_of(bytes, bytes + size, [](char byte) { return byte == 0; });
    const std::size_t kept = run::kept_thread_stacks();
    munmap(mapped, size);
    return std::string(zero && kept == run::kept_thread_stacks() ? "new" : "used before");
  });
  CHECK(ended.result == "new");
}

}  // namespace fenceline::run_tests::test_thread_stacks
