// What of two accesses through the fabric may be seen in the other order: every order is taken.
#include <catch2/catch.hpp>

#include "tb/test/support/interconnect.h"

namespace fenceline::integration_tests::test_fabric_order {

using fenceline::common::Barrier;
using fenceline::support::Interconnect;
using Outcomes = fenceline::support::AllOrders::Outcomes;
using Word = Interconnect::Word;

namespace {

constexpr auto kEngine = Interconnect::kEngine;
constexpr auto kOtherEngine = Interconnect::kOtherEngine;
constexpr auto kCmp = Interconnect::kCmp;

// VRAM banks change every 256 bytes, those of the host every 64.
constexpr Word kData{false, 0x000}, kFlag{false, 0x100};
constexpr Word kSameBank{false, 0x008};
constexpr Word kHostData{true, 0x000}, kHostFlag{true, 0x040};
constexpr Word kHostSameBank{true, 0x080};

struct Machine : Interconnect {
  Machine() : Interconnect("machine", Config()) {}

  /// Another agent looks at `flag` and then at `data`, where they are.
  void look(Word flag, Word data) {
    orders().program("looks", [this, flag, data] {
      orders().note("flag", read_home(flag));
      orders().note("seen", read_home(data));
    });
  }
  std::uint64_t read_home(Word word) {
    return word.host ? cpu_read(word) : read(kOtherEngine, word);
  }
  void program(const std::string& name, std::function<void()> body) {
    orders().program(name, std::move(body));
  }
};

const Outcomes kInOrder{"flag=0 seen=0", "flag=0 seen=1", "flag=1 seen=1"};
const Outcomes kAnyOrder{"flag=0 seen=0", "flag=0 seen=1", "flag=1 seen=0", "flag=1 seen=1"};

}  // namespace

TEST_CASE("writes to one bank of VRAM become visible in order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.post(kEngine, kSameBank, 1);
  });
  machine.look(kSameBank, kData);
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("writes to two banks of VRAM become visible in any order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.post(kEngine, kFlag, 1);
  });
  machine.look(kFlag, kData);
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("writes to one bank of the host become visible in order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.post(kEngine, kHostSameBank, 1);
  });
  machine.look(kHostSameBank, kHostData);
  CHECK(machine.outcomes() == kInOrder);
}

TEST_CASE("writes to two banks of the host become visible in any order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.post(kEngine, kHostFlag, 1);
  });
  machine.look(kHostFlag, kHostData);
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("the FIFOs of the VRAM path and of the host path drain independently", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.post(kEngine, kFlag, 1);
  });
  machine.look(kFlag, kHostData);
  CHECK(machine.outcomes() == kAnyOrder);
}

TEST_CASE("a full bank holds up no other bank", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kFlag, 1);
    machine.orders().wait_for("seen");  // the other write may have to wait as long
  });
  machine.program("cmp", [&] {
    machine.post(kCmp, kData, 1);
    machine.barrier(kCmp, Barrier::kSelf);
    machine.orders().note("engine", machine.read(kOtherEngine, kFlag));
    machine.orders().set("seen");
  });
  CHECK(machine.outcomes() == Outcomes{"engine=0", "engine=1"});
}

TEST_CASE("writes of one client to one location keep their order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.post(kEngine, kData, 2);
    machine.barrier(kEngine, Barrier::kSelf);
    machine.orders().note("last", machine.read(kCmp, kData));
  });
  machine.program("looks", [&] {
    const std::uint64_t first = machine.read(kOtherEngine, kData);
    machine.orders().note("fell", machine.read(kOtherEngine, kData) < first ? 1 : 0);
  });
  CHECK(machine.outcomes() == Outcomes{"fell=0 last=2"});
}

TEST_CASE("writes of two clients to one location arrive in either order", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] { machine.post(kEngine, kData, 1); });
  machine.program("other", [&] { machine.post(kOtherEngine, kData, 2); });
  machine.program("looks", [&] {
    const std::uint64_t first = machine.read(kCmp, kData);
    const std::uint64_t second = machine.read(kCmp, kData);
    if (first != 0 && second != first) machine.orders().note("then", second);
  });
  CHECK(machine.outcomes() == Outcomes{"", "then=1", "then=2"});
}

TEST_CASE("a client reads its own earlier write and another client may not see it yet",
          "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.orders().set("posted");
    machine.orders().note("own", machine.read(kEngine, kData));
  });
  machine.program("looks", [&] {
    machine.orders().wait_for("posted");
    machine.orders().note("other", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"other=0 own=1", "other=1 own=1"});
}

TEST_CASE("a read of another word waits for no write of VRAM", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.read(kEngine, kSameBank);
    machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("a read of the host waits for all host writes of its client", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.read(kEngine, kHostFlag);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("a read of the host waits for no writes of other clients in their FIFOs", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.post(kEngine, kHostData, 1);
    machine.read(kCmp, kHostFlag);
    machine.orders().note("seen", machine.cpu_read(kHostData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

TEST_CASE("a write that is not posted is visible when it is over", "[fabric]") {
  Machine machine;
  machine.program("engine", [&] {
    machine.write(kEngine, kHostData, 1);
    machine.orders().note("host", machine.cpu_read(kHostData));
    machine.write(kEngine, kData, 1);
    machine.orders().note("vram", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"host=1 vram=1"});
}

TEST_CASE("a full FIFO blocks its client until the oldest write has left", "[fabric]") {
  Interconnect::Config config;
  config.fabric.fifo_depth = 1;
  Interconnect machine("machine", config);
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.post(kEngine, kSameBank, 1);
    machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=1"});
}

TEST_CASE("a FIFO with room for two writes does not block the second", "[fabric]") {
  Interconnect::Config config;
  config.fabric.fifo_depth = 2;
  Interconnect machine("machine", config);
  machine.orders().program("engine", [&] {
    machine.post(kEngine, kData, 1);
    machine.post(kEngine, kSameBank, 1);
    machine.orders().note("seen", machine.read(kOtherEngine, kData));
  });
  CHECK(machine.outcomes() == Outcomes{"seen=0", "seen=1"});
}

}  // namespace fenceline::integration_tests::test_fabric_order
