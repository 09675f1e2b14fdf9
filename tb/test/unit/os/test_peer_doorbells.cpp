// Doorbells between GPUs: who is described, and who rings whom.
#include <catch2/catch.hpp>

#include "models/abi/registers.h"
#include "tb/os/objects/peer_doorbells.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_peer_doorbells {

using support::OsMachine;
using Operation = abi::PeerDoorbellEscape::Operation;

namespace {

OsMachine::Config two_adapters(PeerDoorbells payload) {
  OsMachine::Config config;
  config.platform.gpus.emplace_back().name = "gpu1";
  config.options.adapter.system.peer_doorbells = payload;
  return config;
}

/// A fence with a native fence on each of two adapters. A process on the second one has it open,
/// with two queues.
struct Bench {
  explicit Bench(PeerDoorbells payload = PeerDoorbells::kBare) : machine(two_adapters(payload)) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      for (std::size_t i = 0; i < 2; ++i) {
        natives[i] = std::make_shared<NativeFence>();
        natives[i]->adapter = &machine.kernel().adapter(i);
        natives[i]->driver_handle = natives[i].get();
        natives[i]->origin = fence;
        fence->natives.push_back(natives[i].get());
      }
      process = &machine.kernel().devices.create_process("process", 1);
      process->fences[1].fence = natives[1];
      for (int i = 0; i < 2; ++i) {
        process->queues.push_back(std::make_unique<HwQueue>());
        process->queues.back()->driver_handle = process->queues.back().get();
      }
      body();
      process->fences.clear();
      process->queues.clear();
    });
  }
  PeerDoorbellLinks& links() { return machine.kernel().peer_doorbells; }

  OsMachine machine;
  std::shared_ptr<MonitoredFence> fence = std::make_shared<MonitoredFence>();
  std::shared_ptr<NativeFence> natives[2];
  Process* process = nullptr;
};

/// The payload that the first adapter writes to the second.
std::uint64_t payload_of(PeerDoorbells payload) {
  Bench bench(payload);
  std::uint64_t result = 0;
  CHECK(bench.run([&] {
    bench.links().connect(*bench.fence);
    REQUIRE(bench.machine.escapes.size() == 4);
    result = bench.machine.escapes[1].payload;
  }));
  return result;
}

}  // namespace

TEST_CASE("each adapter of a fence describes it and rings the other one") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.links().connect(*bench.fence);
    const auto& escapes = bench.machine.escapes;
    REQUIRE(escapes.size() == 4);
    CHECK(escapes[0].operation == Operation::kDescribe);
    CHECK(escapes[0].magic == abi::kPeerDoorbellMagic);
    CHECK(escapes[0].native_fence == reinterpret_cast<std::uint64_t>(bench.natives[1].get()));
    CHECK(escapes[0].queue_count == 2);
    CHECK(escapes[1].operation == Operation::kConnect);
    CHECK(escapes[1].native_fence == reinterpret_cast<std::uint64_t>(bench.natives[0].get()));
    CHECK(escapes[1].peer == 1);
    CHECK(escapes[2].queue_count == 0);  // nobody has it open there
    CHECK(escapes[3].peer == 0);
    CHECK(escapes[3].page != escapes[1].page);
  }));
}

TEST_CASE("an adapter that does not describe a fence is not rung") {
  Bench bench;
  bench.machine.escape_status = STATUS_NOT_SUPPORTED;
  CHECK(bench.run([&] {
    bench.links().connect(*bench.fence);
    REQUIRE(bench.machine.escapes.size() == 2);
    CHECK(bench.machine.escapes[0].operation == Operation::kDescribe);
    CHECK(bench.machine.escapes[1].operation == Operation::kDescribe);
  }));
}

TEST_CASE("a native fence in destruction neither rings nor is rung") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.natives[0]->usable = false;
    bench.links().connect(*bench.fence);
    bench.natives[0]->usable = true;
    bench.natives[1]->usable = false;
    bench.links().connect(*bench.fence);
    CHECK(bench.machine.escapes.empty());
  }));
}

TEST_CASE("a ring has no payload where the whole adapter looks") {
  CHECK(payload_of(PeerDoorbells::kBare) == 0);
}

TEST_CASE("a ring names the fence as its adapter describes it") {
  CHECK(payload_of(PeerDoorbells::kFence) == (abi::kPeerNamesFence | 3));
}

TEST_CASE("a ring names the queues as their adapter describes them") {
  CHECK(payload_of(PeerDoorbells::kQueues) == (abi::kPeerNamesQueues | 5));
}

TEST_CASE("new queues of a process matter for the shared fences that ring") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.process->fences[2].fence = std::make_shared<NativeFence>();  // of one adapter
    bench.links().connect_all(*bench.process);
    CHECK(bench.machine.escapes.empty());
    bench.fence->rings = true;
    bench.links().connect_all(*bench.process);
    CHECK(bench.machine.escapes.size() == 4);
  }));
}

}  // namespace fenceline::os::test_peer_doorbells
