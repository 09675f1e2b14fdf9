// When stores to a write-combined mapping leave the core, and what that costs it.
#include <catch2/catch.hpp>
#include <functional>
#include <systemc>
#include <vector>

#include "models/host/write_combining.h"

using fenceline::common::kNanosecond;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::common::Time;
using fenceline::host::WriteCombining;
using fenceline::host::WriteCombiningConfig;

namespace {

constexpr Time kEvict = 2 * kNanosecond, kFlush = 5 * kNanosecond, kFence = 90 * kNanosecond;
using Lines = std::vector<std::uint64_t>;

/// A core with four buffers, and what it has sent.
struct Machine {
  Simulation simulation{Ordering()};
  Lines sent;
  WriteCombining stores{simulation, WriteCombiningConfig{4, kEvict, kFlush, kFence},
                        [this](std::uint64_t line) { sent.push_back(line); }};

  void run(const std::function<void()>& program) {
    simulation.steps.add_agent("core", program);
    sc_core::sc_start();
  }
  void store(std::uint64_t lines) {
    for (std::uint64_t line = 0; line < lines; ++line) stores.store(line * 64);
  }
  Time now() const { return simulation.steps.now(); }
};

}  // namespace

TEST_CASE("stores to one line are one write that leaves at the fence", "[host]") {
  Machine machine;
  machine.run([&] {
    for (std::uint64_t at = 0x40; at < 0x80; at += 8) machine.stores.store(at);
    CHECK(machine.sent.empty());
    CHECK(machine.now() == 0);
    machine.stores.fence();
  });
  CHECK(machine.sent == Lines{0x40});
  CHECK(machine.stores.used() == 0);
  CHECK(machine.now() == kFlush + kFence);
}

TEST_CASE("a store that finds no buffer free sends the oldest", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store(4);
    CHECK(machine.sent.empty());
    machine.stores.store(4 * 64);
    CHECK(machine.sent == Lines{0});
    CHECK(machine.now() == kEvict);
    machine.stores.store(1 * 64);  // still there
    CHECK(machine.sent == Lines{0});
  });
}

TEST_CASE("a fence sends what is left in the order of the stores", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store(6);
    machine.stores.fence();
  });
  CHECK(machine.sent == Lines{0, 64, 128, 192, 256, 320});
  CHECK(machine.now() == 2 * kEvict + 4 * kFlush + kFence);
}
