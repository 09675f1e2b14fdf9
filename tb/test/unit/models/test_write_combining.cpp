// When stores to a write-combined mapping leave the core, and what that costs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "models/host/write_combining.h"

namespace fenceline::models_tests::test_write_combining {

using fenceline::common::kMicrosecond;
using fenceline::common::kNanosecond;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::common::Time;
using fenceline::event::CombiningDrain;
using fenceline::host::CombiningOrder;
using fenceline::host::WriteCombining;
using fenceline::host::WriteCombiningConfig;

namespace {

constexpr Time kEvict = 2 * kNanosecond, kFlush = 5 * kNanosecond, kFence = 90 * kNanosecond;
using Lines = std::vector<std::uint64_t>;
using Words = std::vector<std::uint64_t>;

WriteCombiningConfig config(Time drain = 0, bool sends_full = true) {
  return {4, kEvict, kFlush, kFence, drain, CombiningOrder::kSerializing, sends_full};
}

/// A core with four buffers, and what it has sent.
struct Machine {
  explicit Machine(const WriteCombiningConfig& with = config())
      : stores(simulation, with, "core0", 0, [this](const WriteCombining::Write& write) {
          sent.push_back(write.address);
          bytes.push_back(write.bytes);
          std::uint64_t word = 0;
          std::memcpy(&word, write.data, std::min<std::size_t>(write.bytes, sizeof word));
          words.push_back(word);
        }) {}

  Simulation simulation{Ordering()};
  Lines sent;
  std::vector<std::size_t> bytes;
  Words words;
  WriteCombining stores;

  void run(const std::function<void()>& program) {
    simulation.steps.add_agent("core", program);
    sc_core::sc_start();
  }
  void store(std::uint64_t address, std::uint64_t value = 1) {
    stores.store(address, &value, sizeof value);
  }
  /// One word of each of so many lines.
  void store_lines(std::uint64_t lines) {
    for (std::uint64_t line = 0; line < lines; ++line) store(line * 64);
  }
  void settle() { simulation.steps.elapse(kMicrosecond); }
  Time now() const { return simulation.steps.now(); }
};

}  // namespace

TEST_CASE("stores to a part of a line are one write that leaves at the fence", "[host]") {
  Machine machine;
  machine.run([&] {
    for (std::uint64_t at = 0x40; at < 0x78; at += 8) machine.store(at, at);
    machine.settle();
    CHECK(machine.sent.empty());
    CHECK(machine.stores.word(0x48) == 0x48);
    CHECK(machine.stores.word(0x78) == std::nullopt);
    const Time before = machine.now();
    machine.stores.fence();
    CHECK(machine.now() - before == kFlush + kFence);
    machine.stores.fence();  // there is nothing left to wait for
    CHECK(machine.now() - before == kFlush + kFence);
  });
  CHECK(machine.sent == Lines{0x40});
  CHECK(machine.bytes == std::vector<std::size_t>{56});
  CHECK(machine.stores.used() == 0);
}

TEST_CASE("a full buffer leaves at once", "[host]") {
  Machine machine;
  machine.run([&] {
    for (std::uint64_t at = 0; at < 64; at += 8) machine.store(at, at);
    machine.settle();
  });
  CHECK(machine.sent == Lines{0});
  CHECK(machine.bytes == std::vector<std::size_t>{64});
}

TEST_CASE("a full buffer stays where that is asked for", "[host]") {
  Machine machine(config(0, false));
  machine.run([&] {
    for (std::uint64_t at = 0; at < 64; at += 8) machine.store(at, at);
    machine.settle();
  });
  CHECK(machine.sent.empty());
}

TEST_CASE("bytes that were not stored are not sent", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store(0x08, 8);
    machine.store(0x20, 32);
    machine.store(0x28, 40);
    machine.store(0x20, 33);  // the later store counts
    machine.stores.drain(CombiningDrain::kBarrier);
  });
  CHECK(machine.sent == Lines{0x08, 0x20});
  CHECK(machine.bytes == std::vector<std::size_t>{8, 16});
  CHECK(machine.words == Words{8, 33});
}

TEST_CASE("a store that finds no buffer free sends the oldest", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store_lines(4);
    CHECK(machine.sent.empty());
    machine.store(4 * 64);
    CHECK(machine.sent == Lines{0});
    CHECK(machine.now() == kEvict);
    machine.store(1 * 64);  // still there
    CHECK(machine.sent == Lines{0});
  });
}

TEST_CASE("a fence sends what is left in the order of the stores", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store_lines(6);
    machine.stores.fence();
    CHECK(machine.now() == 2 * kEvict + 4 * kFlush + kFence);
  });
  CHECK(machine.sent == Lines{0, 64, 128, 192, 256, 320});
}

TEST_CASE("a load sends the line that it reads and no other", "[host]") {
  Machine machine;
  machine.run([&] {
    machine.store_lines(3);
    machine.stores.send_line(64 + 8);
    CHECK(machine.sent == Lines{64});
    machine.stores.send_line(64 + 8);
    CHECK(machine.now() == kFlush);
  });
}

TEST_CASE("a buffer that is left alone leaves after its time", "[host]") {
  Machine machine(config(100 * kNanosecond));
  machine.run([&] {
    machine.store(0);
    machine.simulation.steps.elapse(60 * kNanosecond);
    machine.store(64);
    machine.simulation.steps.elapse(39 * kNanosecond);
    CHECK(machine.sent.empty());
    machine.simulation.steps.elapse(10 * kNanosecond);
    CHECK(machine.sent == Lines{0});
    machine.settle();
    CHECK(machine.sent == Lines{0, 64});
  });
}

}  // namespace fenceline::models_tests::test_write_combining
