// Credits and tags of the link, and messages whose vector is masked.
#include <catch2/catch.hpp>
#include <string>

#include "tb/test/support/interconnect.h"

namespace fenceline::integration_tests::test_link_flow {

using fenceline::common::kMicrosecond;
using fenceline::common::kNanosecond;
using fenceline::common::Time;
using fenceline::support::Interconnect;
using Outcomes = fenceline::support::AllOrders::Outcomes;
using Word = Interconnect::Word;

namespace {

constexpr auto kEngine = Interconnect::kEngine;

constexpr Word kData{false, 0x000}, kFlag{false, 0x100};
constexpr Word kHostData{true, 0x000};
constexpr Time kPropagation = 250 * kNanosecond;
constexpr Time kRoundTrip = 2 * kPropagation;

Interconnect::Config with_credits(std::uint32_t credits) {
  Interconnect::Config config;
  config.link.posted_header_credits = credits;
  config.link.propagation = kPropagation;
  return config;
}

Interconnect::Config with_tags(std::uint32_t tags) {
  Interconnect::Config config;
  config.link.tags = tags;
  config.link.max_read_request_bytes = 128;
  config.link.propagation = kPropagation;
  return config;
}

struct Machine : Interconnect {
  explicit Machine(const Config& config = {}) : Interconnect("machine", config) {}

  /// The CPU posts two writes; what is in VRAM when the second has been sent.
  void two_writes() {
    orders().program("cpu", [this] {
      cpu_write(kData, 1);
      cpu_write(kFlag, 1);
      orders().note("seen", read(kOtherEngine, kData));
    });
  }
  /// Three clients read host memory at once, the first of them `bytes`; when the last is answered.
  Time read_at_once(std::size_t bytes) {
    for (const Client client : {kEngine, kOtherEngine, kCmp})
      steps().add_agent("reader" + std::to_string(client),
                        [this, client, bytes] { fetch(client, client == kEngine ? bytes : 8); });
    sc_core::sc_start();
    return steps().now();
  }
  /// How long a CPU waits for a read behind a posted write of its own.
  Time read_behind_write() {
    Time waited = 0;
    steps().add_agent("cpu", [&] {
      cpu_write(kData, 1);
      const Time begin = steps().now();
      CHECK(cpu_read(kData) == 1);
      waited = steps().now() - begin;
    });
    sc_core::sc_start();
    return waited;
  }
  /// Time that the CPU needs until `count` posted writes are sent, and until they have arrived.
  struct Times {
    Time sent = 0, arrived = 0;
  };
  Times send(std::uint64_t count) {
    Times times;
    steps().add_agent("cpu", [&] {
      for (std::uint64_t i = 0; i < count; ++i) cpu_write({false, 8 * i}, i + 1);
      times.sent = steps().now();
      while (pending() != 0) steps().elapse(kNanosecond);
      times.arrived = steps().now();
    });
    sc_core::sc_start();
    return times;
  }
};

}  // namespace

TEST_CASE("with one credit a second write is not sent before the first has arrived", "[pcie]") {
  Machine machine(with_credits(1));
  machine.two_writes();
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("with two credits a second write is sent while the first is on its way", "[pcie]") {
  Machine machine(with_credits(2));
  machine.two_writes();
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("ordered and relaxed writes share the credits of their direction", "[pcie]") {
  Interconnect::Config config = with_credits(1);
  config.fabric.fifo_depth = 1;
  Machine machine(config);
  machine.orders().program("engine", [&] {
    machine.post(kEngine, {true, 0x000}, 1, {true});
    machine.post(kEngine, {true, 0x080}, 1);  // leaves its FIFO for the link
    machine.post(kEngine, {true, 0x100}, 1);  // and only then is there room for this one
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("credits come back: with one each write takes a propagation", "[pcie]") {
  Machine machine(with_credits(1));
  const auto times = machine.send(8);
  CHECK(times.sent >= 7 * kPropagation);
  CHECK(times.arrived >= 8 * kPropagation);
  CHECK(times.arrived < 10 * kPropagation);
}

TEST_CASE("with one credit per write no write waits for another to arrive", "[pcie]") {
  Machine machine(with_credits(8));
  const auto times = machine.send(8);
  CHECK(times.sent < kPropagation);
  CHECK(times.arrived >= kPropagation);
  CHECK(times.arrived < 8 * kPropagation);
}

TEST_CASE("data credits are taken and come back as header credits do", "[pcie]") {
  Interconnect::Config config = with_credits(8);
  config.link.posted_data_credits = 1;  // of 16 bytes: one write of 8
  Machine machine(config);
  const auto times = machine.send(8);
  CHECK(times.sent >= 7 * kPropagation);
  CHECK(times.arrived < 10 * kPropagation);
}

TEST_CASE("data credits limit the number of writes in flight", "[pcie]") {
  Interconnect::Config config = with_credits(8);
  config.link.posted_data_credits = 2;
  Machine machine(config);
  CHECK(machine.send(8).arrived < 6 * kPropagation);  // two at a time
}

TEST_CASE("a read sets out when the write ahead of it has arrived", "[pcie]") {
  Machine machine(with_credits(8));
  CHECK(machine.read_behind_write() >= 4 * kPropagation);  // VRAM takes another
}

TEST_CASE("a pipelined read travels with the write ahead of it", "[pcie]") {
  Interconnect::Config config = with_credits(8);
  config.link.pipelined_reads = true;
  Machine machine(config);
  const Time waited = machine.read_behind_write();
  CHECK(waited >= 2 * kPropagation);
  CHECK(waited < 4 * kPropagation);
}

TEST_CASE("with one tag a read is not sent before the one before it is answered", "[pcie]") {
  Machine machine(with_tags(1));
  CHECK(machine.read_at_once(8) >= 3 * kRoundTrip);
}

TEST_CASE("with one tag per read no read waits for another to be answered", "[pcie]") {
  Machine machine(with_tags(3));
  const Time last = machine.read_at_once(8);
  CHECK(last >= kRoundTrip);
  CHECK(last < 2 * kRoundTrip);
}

TEST_CASE("a long read takes a tag for each piece of Max_Read_Request_Size", "[pcie]") {
  Machine machine(with_tags(9));
  CHECK(machine.read_at_once(8 * 128) >= 2 * kRoundTrip);
}

TEST_CASE("a long read and a short one go together if there are tags for all pieces", "[pcie]") {
  Machine machine(with_tags(10));
  CHECK(machine.read_at_once(8 * 128) < 2 * kRoundTrip);
}

TEST_CASE("a read with more pieces than tags is answered", "[pcie]") {
  Machine machine(with_tags(4));
  CHECK(machine.read_at_once(8 * 128) < 3 * kRoundTrip);
}

TEST_CASE("posted writes need no tag", "[pcie]") {
  Machine machine(with_tags(1));
  Time sent = 0;
  machine.steps().add_agent("reader", [&] { machine.cpu_read(kFlag); });
  machine.steps().add_agent("writer", [&] {
    machine.cpu_write(kData, 1);
    sent = machine.steps().now();
  });
  sc_core::sc_start();
  CHECK(sent < kPropagation);
}

TEST_CASE("a tag comes back in every order of reads and writes", "[pcie]") {
  Machine machine(with_tags(1));
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.orders().note("own", machine.read(kEngine, kHostData));
  });
  machine.orders().program(
      "cmp", [&] { machine.orders().note("seen", machine.read(Interconnect::kCmp, kHostData)); });
  CHECK(machine.outcomes() == Outcomes{"own=1 seen=0", "own=1 seen=1"});
}

TEST_CASE("a message of a masked vector is sent once and not before it is unmasked", "[pcie]") {
  Machine machine;
  std::uint64_t masked = 0, unmasked = 0, again = 0;
  machine.steps().add_agent("device", [&] {
    machine.mask_vector(true);
    machine.cpu_read(kFlag);
    machine.send_message();
    machine.send_message();
    machine.steps().elapse(10 * kMicrosecond);
    masked = machine.messages();
    machine.mask_vector(false);
    machine.steps().elapse(10 * kMicrosecond);
    unmasked = machine.messages();
    machine.send_message();
    machine.steps().elapse(10 * kMicrosecond);
    again = machine.messages();
  });
  sc_core::sc_start();
  CHECK(masked == 0);
  CHECK(unmasked == 1);
  CHECK(again == 2);
}

}  // namespace fenceline::integration_tests::test_link_flow
