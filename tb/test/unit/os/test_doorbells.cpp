// Doorbells that queues share: connections, losses, and the sleep of the adapter.
#include <catch2/catch.hpp>
#include <set>

#include "models/top/gpu.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_doorbells {

using support::OsMachine;
using Handles = std::vector<HANDLE>;

namespace {

constexpr auto kConnected = D3DDDI_DOORBELLSTATUS_CONNECTED;
constexpr auto kRetry = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
constexpr auto kAbort = D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;

OsMachine::Config sharing(const UserModeSubmissionOptions& rules) {
  OsMachine::Config config;
  config.platform.gpus[0].command_processor.doorbells = 2;
  config.options.adapter.system.doorbells = rules;
  return config;
}

/// Two queues with doorbells that are not connected; the first has a progress fence.
struct Bench {
  explicit Bench(const UserModeSubmissionOptions& rules = {}) : machine(sharing(rules)) {}
  ~Bench() {
    for (HwQueue* queue : {&first, &second}) queue->user_doorbell.reset();
  }

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      progress = page();
      std::uint32_t object = 0;
      for (HwQueue* queue : {&first, &second}) {
        queue->object = ++object;
        queue->doorbell = queue->driver_handle = queue;
        doorbells.add(*queue, {false, page(), kPage}, queue == &first ? progress : 0);
      }
      device = machine.adapter().gpu().bars().doorbells + abi::kDoorbellStride;
      machine.doorbell_address = machine.adapter().driver_port().give(device, sizeof(UINT64));
      body();
    });
  }
  std::uint64_t page() { return machine.kernel().system.pages.allocate(kPage); }
  std::uint64_t load(std::uint64_t bus) {
    return machine.adapter().port().read_memory(to_kernel_address(bus));
  }
  void store(std::uint64_t bus, std::uint64_t value) {
    machine.adapter().port().write_memory(to_kernel_address(bus), value);
  }
  /// What user mode sees.
  std::uint64_t status(const HwQueue& queue) { return load(queue.user_doorbell->status_bus()); }
  static std::uint64_t dummy(const HwQueue& queue) {
    return queue.user_doorbell->cells.address + UserDoorbell::kDummy;
  }
  /// User mode queues work of the first queue, or the device completes all of it.
  void queue_work(std::uint64_t last) { store(first.user_doorbell->last_queued_bus(), last); }

  OsMachine machine;
  Doorbells doorbells{machine.cpu(), machine.adapter()};
  HwQueue first, second;
  std::uint64_t progress = 0;
  std::uint64_t device = 0;  ///< address of the doorbell that the driver gives
};

}  // namespace

TEST_CASE("a new doorbell is not connected and leads to its dummy page") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.status(bench.first) == kRetry);
    CHECK_FALSE(bench.first.user_doorbell->connected);
    bench.doorbells.ring(bench.first, 7);
    CHECK(bench.load(Bench::dummy(bench.first)) == 7);
    CHECK(bench.load(Bench::dummy(bench.second)) == 0);
    CHECK(bench.first.user_doorbell->under_way == 0);
  }));
}

TEST_CASE("a connected doorbell leads to the device and then user mode is told") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& events = bench.machine.watch<event::DoorbellConnect>();
    const auto& rings = bench.machine.watch<event::DoorbellRung>();
    CHECK(bench.doorbells.connect(bench.first) == STATUS_SUCCESS);
    CHECK(bench.machine.connected_doorbells == Handles{bench.first.doorbell});
    CHECK(bench.first.user_doorbell->connected);
    CHECK(bench.first.user_doorbell->bus == bench.device);
    CHECK(bench.status(bench.first) == kConnected);
    CHECK(bench.status(bench.second) == kRetry);
    REQUIRE(events.size() == 1);
    CHECK(events[0].doorbell == 2);
    bench.doorbells.ring(bench.first, 7);
    CHECK(bench.load(Bench::dummy(bench.first)) == 0);
    REQUIRE(rings.size() == 1);
    CHECK(rings[0].doorbell == 2);
  }));
}

TEST_CASE("user mode gets the status that the driver gives") {
  Bench bench;
  bench.machine.doorbell_status = D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    CHECK(bench.status(bench.first) == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD);
    CHECK(bench.doorbells.tell_of_work(bench.first) == STATUS_SUCCESS);
    CHECK(bench.machine.work_notices == Handles{bench.first.driver_handle});
  }));
}

TEST_CASE("a doorbell that the driver does not connect stays as it was") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.machine.connect_status = STATUS_NO_MEMORY;
    CHECK(bench.doorbells.connect(bench.first) == STATUS_NO_MEMORY);
    bench.machine.connect_status = STATUS_SUCCESS;
    bench.machine.doorbell_address = nullptr;  // a bad answer
    CHECK(bench.doorbells.connect(bench.first) == STATUS_UNSUCCESSFUL);
    CHECK_FALSE(bench.first.user_doorbell->connected);
    CHECK(bench.first.user_doorbell->bus == Bench::dummy(bench.first));
    CHECK(bench.status(bench.first) == kRetry);
  }));
}

TEST_CASE("a lost queue is disconnected once and never connected again") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.doorbells.abort(bench.first);
    bench.doorbells.abort(bench.first);
    CHECK(bench.machine.disconnected_doorbells == Handles{bench.first.doorbell});
    CHECK(bench.first.user_doorbell->bus == Bench::dummy(bench.first));
    CHECK(bench.status(bench.first) == kAbort);
    CHECK(bench.doorbells.connect(bench.first) == STATUS_DEVICE_REMOVED);
    CHECK(bench.machine.connected_doorbells.size() == 1);
  }));
}

TEST_CASE("the driver takes a doorbell away and the queue may connect again") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    CHECK(bench.doorbells.taken(bench.first, kRetry) == STATUS_SUCCESS);
    CHECK(bench.machine.disconnected_doorbells.empty());
    CHECK_FALSE(bench.first.user_doorbell->connected);
    CHECK(bench.first.user_doorbell->bus == Bench::dummy(bench.first));
    CHECK(bench.status(bench.first) == kRetry);
    CHECK_FALSE(bench.first.user_doorbell->aborted);
    CHECK(bench.doorbells.connect(bench.first) == STATUS_SUCCESS);
    CHECK(bench.doorbells.taken(bench.first, kAbort) == STATUS_SUCCESS);
    CHECK(bench.first.user_doorbell->aborted);
    CHECK(bench.status(bench.first) == kAbort);
  }));
}

TEST_CASE("the driver takes nothing from a queue that is not connected or for a bad reason") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.doorbells.taken(bench.first, kAbort) == STATUS_SUCCESS);
    CHECK(bench.status(bench.first) == kRetry);
    bench.doorbells.connect(bench.second);
    CHECK(bench.doorbells.taken(bench.second, kConnected) == STATUS_INVALID_PARAMETER);
    CHECK(bench.second.user_doorbell->connected);
  }));
}

TEST_CASE("the driver takes doorbells by the handles of the OS") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    const auto take = [&](HANDLE queue, HANDLE doorbell) {
      DXGKARGCB_DISCONNECTDOORBELL args{};
      args.hHwQueue = queue;
      args.hDoorbell = doorbell;
      args.DisconnectReason = kRetry;
      return disconnect_doorbell(args);
    };
    HwQueue without;
    CHECK(take(nullptr, nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(take(&bench.first, &bench.second) == STATUS_INVALID_PARAMETER);
    CHECK(take(&without, &without) == STATUS_INVALID_PARAMETER);
    CHECK(bench.first.user_doorbell->connected);
    CHECK(take(&bench.first, &bench.first) == STATUS_SUCCESS);
    CHECK_FALSE(bench.first.user_doorbell->connected);
  }));
}

TEST_CASE("an adapter does not sleep while a queue has work") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.queue_work(5);
    bench.store(bench.progress, 4);
    CHECK_FALSE(bench.doorbells.sleep());
    CHECK(bench.machine.disconnected_doorbells.empty());
    CHECK(bench.doorbells.connect(bench.second).has_value());
    bench.store(bench.progress, 5);
    CHECK(bench.doorbells.sleep());
  }));
}

TEST_CASE("a lost queue and one without a progress fence do not keep an adapter awake") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.queue_work(5);
    bench.doorbells.abort(bench.first);
    bench.store(bench.second.user_doorbell->last_queued_bus(), 5);
    CHECK(bench.doorbells.sleep());
  }));
}

TEST_CASE("connected doorbells are disconnected for the sleep and connected twice after it") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    CHECK(bench.doorbells.sleep());
    CHECK(bench.machine.disconnected_doorbells == Handles{bench.first.doorbell});
    CHECK(bench.status(bench.first) == kRetry);
    CHECK_FALSE(bench.doorbells.connect(bench.first));
    bench.doorbells.wake();
    CHECK(bench.machine.connected_doorbells.size() == 3);
    CHECK(bench.status(bench.first) == kConnected);
    CHECK(bench.status(bench.second) == kRetry);
    bench.doorbells.wake();
    CHECK(bench.machine.connected_doorbells.size() == 3);
    CHECK(bench.doorbells.connect(bench.second).has_value());
  }));
}

TEST_CASE("a doorbell is connected once after the sleep where that rule is removed") {
  UserModeSubmissionOptions rules;
  rules.connects_again = false;
  Bench bench(rules);
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.doorbells.sleep();
    bench.doorbells.wake();
    CHECK(bench.machine.connected_doorbells.size() == 2);
  }));
}

TEST_CASE("doorbells stay connected in the sleep where that rule is removed") {
  UserModeSubmissionOptions rules;
  rules.disconnects_for_d3 = false;
  Bench bench(rules);
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    CHECK(bench.doorbells.sleep());
    CHECK(bench.machine.disconnected_doorbells.empty());
    CHECK_FALSE(bench.doorbells.connect(bench.second));
  }));
}

TEST_CASE("work that is queued while doorbells are disconnected keeps the adapter awake") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.machine.on_disconnect = [&] { bench.queue_work(5); };
    CHECK_FALSE(bench.doorbells.sleep());
    CHECK(bench.first.user_doorbell->connected);
    CHECK(bench.status(bench.first) == kConnected);
    CHECK(bench.doorbells.connect(bench.second).has_value());
  }));
}

TEST_CASE("work that is queued too late is missed where the OS does not look again") {
  UserModeSubmissionOptions rules;
  rules.looks_at_last_queued = false;
  Bench bench(rules);
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.machine.on_disconnect = [&] { bench.queue_work(5); };
    CHECK(bench.doorbells.sleep());
  }));
}

TEST_CASE("a queue that is lost or destroyed in the sleep is not connected after it") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    bench.doorbells.connect(bench.second);
    bench.doorbells.sleep();
    bench.doorbells.abort(bench.first);
    bench.doorbells.remove(bench.second);
    bench.doorbells.wake();
    CHECK(bench.machine.connected_doorbells.size() == 2);
    CHECK(bench.status(bench.first) == kAbort);
  }));
}

TEST_CASE("a doorbell is lost only when no core uses the old address any more") {
  Bench bench;
  bool rung = false;
  bench.machine.add("rings", [&] {
    while (!bench.first.user_doorbell || !bench.first.user_doorbell->connected)
      bench.machine.sleep(common::kMicrosecond);
    bench.doorbells.ring(bench.first, 7);
    rung = true;
  });
  CHECK(bench.run([&] {
    bench.doorbells.connect(bench.first);
    while (bench.first.user_doorbell->under_way == 0 && !rung)
      bench.machine.steps().elapse(common::kNanosecond);
    bench.doorbells.taken(bench.first, kRetry);
    CHECK(bench.first.user_doorbell->under_way == 0);
  }));
}

TEST_CASE("the state of doorbells tells queues and the sleep apart") {
  Bench bench;
  CHECK(bench.run([&] {
    std::set<std::uint64_t> states{bench.doorbells.state_hash()};
    UserDoorbell& doorbell = *bench.first.user_doorbell;
    for (bool* stage : {&doorbell.connected, &doorbell.aborted}) {
      *stage = true;
      states.insert(bench.doorbells.state_hash());
      *stage = false;
    }
    doorbell.under_way = 1;
    states.insert(bench.doorbells.state_hash());
    doorbell.under_way = 0;
    bench.doorbells.sleep();
    states.insert(bench.doorbells.state_hash());
    CHECK(states.size() == 5);
  }));
}

}  // namespace fenceline::os::test_doorbells
