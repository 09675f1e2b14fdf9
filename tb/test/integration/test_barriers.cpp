// What each barrier waits for, and what it does not: every order is taken.
#include <catch2/catch.hpp>

#include "tb/test/support/interconnect.h"

namespace fenceline::integration_tests::test_barriers {

using fenceline::common::Barrier;
using fenceline::common::BarrierReach;
using fenceline::support::Interconnect;
using Outcomes = fenceline::support::AllOrders::Outcomes;
using Word = Interconnect::Word;

namespace {

constexpr auto kEngine = Interconnect::kEngine;
constexpr auto kOtherEngine = Interconnect::kOtherEngine;
constexpr auto kCmp = Interconnect::kCmp;

constexpr Word kData{false, 0x000}, kFlag{false, 0x100};
constexpr Word kHostData{true, 0x000};

struct Machine : Interconnect {
  Machine() : Interconnect("machine", Config()) {}

  /// `writer` posts `data`, and from then on `waiter` passes a barrier of that kind: whether the
  /// data is visible then.
  void pass(Barrier kind, Client writer, Client waiter, Word data = kData,
            BarrierReach reach = BarrierReach::kGpu) {
    orders().program("writer", [this, writer, data] {
      post(writer, data, 1);
      orders().set("posted");
    });
    orders().program("waiter", [this, kind, waiter, data, reach] {
      orders().wait_for("posted");
      barrier(waiter, kind, reach);
      orders().note("seen", data.host ? cpu_read(data) : read(kOtherEngine, data));
    });
  }
  /// An engine writes the data inside a window; the CMP passes a barrier of that kind while the
  /// engine may still be in it.
  void pass_window(Barrier kind) {
    orders().program("engine", [this] {
      barrier(kEngine, Barrier::kOpenWindow);
      orders().set("open");
      post(kEngine, kData, 1);
      barrier(kEngine, Barrier::kCloseWindow);
    });
    orders().program("cmp", [this, kind] {
      orders().wait_for("open");
      barrier(kCmp, kind);
      orders().note("seen", read(kCmp, kData));
    });
  }
  /// Log writes of queue 1; the CMP waits for those of `queue`.
  void pass_logs(std::uint32_t queue) {
    orders().program("engine", [this] {
      post(kEngine, kHostData, 1, {false, 1});
      orders().set("posted");
    });
    orders().program("cmp", [this, queue] {
      orders().wait_for("posted");
      barrier(kCmp, Barrier::kLogs, BarrierReach::kHost, queue);
      orders().note("seen", cpu_read(kHostData));
    });
  }
};

const Outcomes kWaited{"seen=1"};
const Outcomes kNotWaited{"seen=0", "seen=1"};

}  // namespace

TEST_CASE("a barrier self waits for the writes of its client", "[fabric]") {
  Machine machine;
  machine.pass(Barrier::kSelf, kEngine, kEngine);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier self waits for both banks", "[fabric]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.barrier(kEngine, Barrier::kSelf);
    machine.post(kEngine, kFlag, 1);
  });
  machine.orders().program("looks", [&] {
    const std::uint64_t flag = machine.read(kOtherEngine, kFlag);
    if (flag == 1) machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"", "seen=1"});
}

TEST_CASE("a barrier self does not wait for an engine", "[fabric]") {
  Machine machine;
  machine.pass(Barrier::kSelf, kEngine, kCmp);
  CHECK(machine.outcomes() == kNotWaited);
}

TEST_CASE("a barrier drain waits for what engines have written", "[fabric]") {
  Machine machine;
  machine.pass(Barrier::kDrain, kEngine, kCmp);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier drain waits for its own writes too", "[fabric]") {
  Machine machine;
  machine.pass(Barrier::kDrain, kCmp, kCmp);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier drain does not wait for clients that are no engines", "[fabric]") {
  Machine machine;
  machine.pass(Barrier::kDrain, kCmp, kEngine);
  CHECK(machine.outcomes() == kNotWaited);
}

TEST_CASE("a barrier drain does not wait for an open window", "[fabric]") {
  Machine machine;
  machine.pass_window(Barrier::kDrain);
  CHECK(machine.outcomes() == kNotWaited);
}

TEST_CASE("a barrier sync waits for an open window and what is written in it", "[fabric]") {
  Machine machine;
  machine.pass_window(Barrier::kSync);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier sync does not wait for a window that opens after it began", "[fabric]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.barrier(kEngine, Barrier::kOpenWindow);
    machine.orders().set("first");
    machine.post(kEngine, kData, 1);
    machine.barrier(kEngine, Barrier::kCloseWindow);
    machine.orders().wait_for("begun");
    machine.barrier(kEngine, Barrier::kOpenWindow);
    machine.orders().wait_for("passed");
    machine.barrier(kEngine, Barrier::kCloseWindow);
  });
  machine.orders().program("cmp", [&] {
    machine.orders().wait_for("first");
    machine.orders().set("begun");
    machine.barrier(kCmp, Barrier::kSync);
    machine.orders().set("passed");
  });
  CHECK(machine.outcomes() == Outcomes{""});
}

TEST_CASE("with reach host a barrier waits for writes on the link", "[fabric][pcie]") {
  Machine machine;
  machine.pass(Barrier::kSelf, kEngine, kEngine, kHostData, BarrierReach::kHost);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("with reach gpu a barrier leaves writes on the link", "[fabric][pcie]") {
  Machine machine;
  machine.pass(Barrier::kSelf, kEngine, kEngine, kHostData, BarrierReach::kGpu);
  CHECK(machine.outcomes() == kNotWaited);
}

TEST_CASE("a barrier drain with reach host waits for engines up to the host", "[fabric][pcie]") {
  Machine machine;
  machine.pass(Barrier::kDrain, kEngine, kCmp, kHostData, BarrierReach::kHost);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier drain with reach gpu leaves writes of engines on the link", "[fabric][pcie]") {
  Machine machine;
  machine.pass(Barrier::kDrain, kEngine, kCmp, kHostData, BarrierReach::kGpu);
  CHECK(machine.outcomes() == kNotWaited);
}

TEST_CASE("a barrier logs waits for the log writes of its queue", "[fabric][pcie]") {
  Machine machine;
  machine.pass_logs(1);
  CHECK(machine.outcomes() == kWaited);
}

TEST_CASE("a barrier logs does not wait for the log writes of another queue", "[fabric][pcie]") {
  Machine machine;
  machine.pass_logs(2);
  CHECK(machine.outcomes() == kNotWaited);
}

}  // namespace fenceline::integration_tests::test_barriers
