// Which packet of the link may pass which: the rules of the PCIe ordering table, by their letters
// there. Every order is taken.
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "tb/test/support/interconnect.h"

namespace fenceline::integration_tests::test_link_order {

using fenceline::common::Barrier;
using fenceline::common::BarrierReach;
using fenceline::common::InterruptKind;
using fenceline::common::Operation;
using fenceline::support::Interconnect;
using Outcomes = fenceline::support::AllOrders::Outcomes;
using Word = Interconnect::Word;

namespace {

constexpr auto kEngine = Interconnect::kEngine;
constexpr auto kOtherEngine = Interconnect::kOtherEngine;
constexpr auto kCmp = Interconnect::kCmp;

constexpr Word kHostData{true, 0x000}, kHostFlag{true, 0x040};
constexpr Word kData{false, 0x000}, kFlag{false, 0x100};
constexpr Interconnect::Post kRelaxed{true};
constexpr Interconnect::Post kOrdered{false};

/// One bank, so that no order is lost before the link.
Interconnect::Config narrow() {
  Interconnect::Config config;
  config.fabric.write_banks = 1;
  return config;
}
Interconnect::Config unordered_messages() {
  Interconnect::Config config = narrow();
  config.ordering.pcie.msi_ordered = false;
  return config;
}
Interconnect::Config wired_interrupt() {
  Interconnect::Config config = narrow();
  config.ordering.pcie.interrupt = InterruptKind::kIntx;
  return config;
}
/// The device sends IDO=1; the engine is the PCIe function of that number, all else function 0.
Interconnect::Config ordered_by_id(std::uint32_t engine_function) {
  Interconnect::Config config = narrow();
  config.ordering.pcie.id_based = true;
  config.engine_function = engine_function;
  return config;
}
Interconnect::Config unordered_completions() {
  Interconnect::Config config = narrow();
  config.ordering.pcie.completion_ordered = false;
  return config;
}

struct Machine : Interconnect {
  explicit Machine(const Config& config = narrow()) : Interconnect("machine", config) {}

  /// Two posted writes of a client to the host, seen by the CPU in the opposite order.
  void two_writes(Post data, Post flag) {
    orders().program("engine", [this, data, flag] {
      post(kEngine, kHostData, 1, data);
      post(kEngine, kHostFlag, 1, flag);
    });
    orders().program("cpu", [this] {
      orders().note("flag", cpu_read(kHostFlag));
      orders().note("seen", cpu_read(kHostData));
    });
  }
  /// A write of the engine, on the link before another client sends its own or reads.
  void write_of_engine_then(std::function<void()> other) {
    orders().program("engine", [this] {
      post(kEngine, kHostData, 1);
      barrier(kEngine, Barrier::kSelf);
      orders().set("sent");
    });
    orders().program("other", [this, other = std::move(other)] {
      orders().wait_for("sent");
      other();
    });
  }
  /// A write of the device, then its interrupt, when the write has left for the link.
  void write_and_message() {
    orders().program("engine", [this] {
      post(kEngine, kHostData, 1);
      barrier(kEngine, Barrier::kSelf);
      send_message();
    });
    orders().program("cpu", [this] {
      steps().step(Operation::kDeliver, {});
      orders().note("came", messages());
      orders().note("seen", cpu_read(kHostData));
    });
  }
  /// The device writes to the host, then to VRAM; the CPU reads VRAM through the link, then memory.
  void write_and_read_flush() {
    orders().program("engine", [this] {
      post(kEngine, kHostData, 1);
      barrier(kEngine, Barrier::kSelf);
      post(kEngine, kFlag, 1);
    });
    orders().program("cpu", [this] {
      orders().note("flag", cpu_read(kFlag));
      orders().note("seen", cpu_read(kHostData));
    });
  }
};

const Outcomes kInOrder{"flag=0 seen=0", "flag=0 seen=1", "flag=1 seen=1"};
const Outcomes kAnyOrder{"flag=0 seen=0", "flag=0 seen=1", "flag=1 seen=0", "flag=1 seen=1"};
const Outcomes kMessageBehind{"came=0 seen=0", "came=0 seen=1", "came=1 seen=1"};
const Outcomes kMessageAnyhow{"came=0 seen=0", "came=0 seen=1", "came=1 seen=0", "came=1 seen=1"};

}  // namespace

TEST_CASE("A2a: a posted write does not pass a posted write", "[pcie]") {
  Machine machine;
  machine.two_writes(kOrdered, kOrdered);
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("A2b: a posted write with relaxed ordering may pass a posted write", "[pcie]") {
  Machine machine;
  machine.two_writes(kOrdered, kRelaxed);
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("A2b: relaxed ordering of the earlier write lets nothing pass", "[pcie]") {
  Machine machine;
  machine.two_writes(kRelaxed, kOrdered);
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("A2a: a message stays behind the writes before it", "[pcie]") {
  Machine machine;
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageBehind);
}

TEST_CASE("A2b: with msi_ordered off a message may pass the writes before it", "[pcie]") {
  Machine machine(unordered_messages());
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageAnyhow);
}

TEST_CASE("an interrupt wire is in no order with writes", "[pcie]") {
  Machine machine(wired_interrupt());
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageAnyhow);
}

TEST_CASE("B2a: a read of the CPU pushes its posted writes ahead of it", "[pcie]") {
  Machine machine;
  machine.orders().program("cpu", [&] {
    machine.cpu_write(kData, 1);
    machine.cpu_read(kFlag);
    machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("without a read behind it a posted write of the CPU may be on its way", "[pcie]") {
  Machine machine;
  machine.orders().program("cpu", [&] {
    machine.cpu_write(kData, 1);
    machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("B2a: a read of the device pushes the posted writes of the device ahead of it",
          "[pcie]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.barrier(kEngine, Barrier::kSelf);  // reach gpu: the write is on the link
    machine.read(kCmp, kHostFlag);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("C2a: a write that waits pushes posted writes ahead of it", "[pcie]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.barrier(kEngine, Barrier::kSelf);
    machine.write(kCmp, kHostFlag, 1);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("D2a: a completion pushes the posted writes of its direction ahead of it", "[pcie]") {
  Machine machine;
  machine.write_and_read_flush();
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("D2a: with completion_ordered off a completion may pass posted writes", "[pcie]") {
  Machine machine(unordered_completions());
  machine.write_and_read_flush();
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("A2b: with ID-based ordering a message passes the writes of another function", "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageAnyhow);
}

TEST_CASE("A2a: with ID-based ordering a message stays behind the writes of its own function",
          "[pcie]") {
  Machine machine(ordered_by_id(0));
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageBehind);
}

TEST_CASE("A2a: without ID-based ordering functions are in order", "[pcie]") {
  Interconnect::Config config = narrow();
  config.engine_function = 1;
  Machine machine(config);
  machine.write_and_message();
  CHECK(machine.outcomes() == kMessageBehind);
}

TEST_CASE("A2a: with ID-based ordering the writes of one function keep their order", "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.two_writes(kOrdered, kOrdered);
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("A2b: with ID-based ordering a write passes that of another function", "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_of_engine_then([&] { machine.post(kCmp, kHostFlag, 1); });
  machine.orders().program("cpu", [&] {
    machine.orders().note("flag", machine.cpu_read(kHostFlag));
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("B2b: with ID-based ordering a read passes the writes of another function", "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_of_engine_then(
      [&] { machine.orders().note("seen", machine.read(kCmp, kHostData)); });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("B2a: with ID-based ordering a read stays behind the writes of its own function",
          "[pcie]") {
  Machine machine(ordered_by_id(0));
  machine.write_of_engine_then(
      [&] { machine.orders().note("seen", machine.read(kCmp, kHostData)); });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("C2b: with ID-based ordering a write that waits passes those of another function",
          "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_of_engine_then([&] {
    machine.write(kCmp, kHostFlag, 1);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("D2b: with ID-based ordering a completion passes the writes of another function",
          "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_and_read_flush();
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("D2a: with ID-based ordering a completion stays behind the writes of its own function",
          "[pcie]") {
  Machine machine(ordered_by_id(0));
  machine.write_and_read_flush();
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("a barrier that reaches the host waits for every function", "[pcie]") {
  Machine machine(ordered_by_id(1));
  machine.write_of_engine_then([&] {
    machine.barrier(kCmp, Barrier::kSelf, BarrierReach::kHost);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("D2a: a completion waits for no write sent after it was", "[pcie]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.orders().wait_for("answered");
    machine.post(kEngine, kHostData, 1);
  });
  machine.orders().program("cpu", [&] {
    machine.cpu_read(kFlag);
    machine.orders().set("answered");
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("A5 and B4: the two directions do not wait for each other", "[pcie]") {
  Machine machine;
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.barrier(kEngine, Barrier::kSelf);
  });
  machine.orders().program("cpu", [&] {
    machine.cpu_write(kData, 1);
    machine.orders().note("down", machine.read(kOtherEngine, kData));
    machine.orders().note("up", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"down=0 up=0", "down=0 up=1", "down=1 up=0", "down=1 up=1"});
}

}  // namespace fenceline::integration_tests::test_link_order
