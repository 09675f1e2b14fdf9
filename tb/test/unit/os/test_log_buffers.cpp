// Log buffers of hardware queues: their memory, their mappings, and the answers of the driver.
#include <catch2/catch.hpp>

#include "models/abi/fence_log.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_log_buffers {

using support::OsMachine;

namespace {

struct Bench {
  explicit Bench(const OsMachine::Config& config = {}) : machine(config) {}

  bool run(const std::function<void()>& body) {
    return machine.run_thread([&] {
      process = &machine.kernel().devices.create_process("process", 0);
      process->has_device = true;
      body();
      process->queues.clear();
    });
  }
  LogBuffers& buffers() { return machine.kernel().log_buffers; }
  /// A queue without logs.
  HwQueue& add_queue() {
    HwQueue& queue = *process->queues.emplace_back(std::make_unique<HwQueue>());
    queue.name = "queue";
    queue.logs.queue = queue.driver_handle = &queue;
    return queue;
  }
  HwQueue& add_with_logs(UINT entries = 4) {
    HwQueue& queue = add_queue();
    REQUIRE(buffers().give(*process, queue, entries) == STATUS_SUCCESS);
    machine.state().logs->add(queue.logs);
    return queue;
  }
  D3DKMT_HANDLE handle(std::size_t queue) const { return process->own(kHwQueueHandle, queue + 1); }

  OsMachine machine;
  Process* process = nullptr;
};

OsMachine::Config with_offer(DXGK_NATIVE_FENCE_LOG_TYPE type) {
  OsMachine::Config config;
  config.options.adapter.system.offered_log_type = type;
  return config;
}
constexpr auto kOther = static_cast<DXGK_NATIVE_FENCE_LOG_TYPE>(9);

}  // namespace

TEST_CASE("a queue gets a log of waits and one of signals and user mode sees neither") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto& made = bench.machine.watch<event::LogMade>();
    HwQueue& queue = bench.add_with_logs();
    CHECK(queue.has_logs);
    REQUIRE(bench.machine.log_buffers.size() == 2);
    CHECK(bench.machine.log_buffers[0].LogBufferGpuVa == queue.logs.waits.process_address);
    CHECK(bench.machine.log_buffers[1].LogBufferGpuVa == queue.logs.signals.process_address);
    CHECK(queue.logs.waits.type == DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
    CHECK(queue.logs.signals.type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
    CHECK(queue.logs.waits.backing.address != queue.logs.signals.backing.address);
    CHECK(queue.logs.signals.entries == 4);
    CHECK(queue.logs.signals.system_address != 0);
    CHECK(made.size() == 2);
    const std::uint64_t bus = queue.logs.signals.backing.bus_address(bench.machine.adapter().gpu());
    CHECK_FALSE(bench.process->user_pages.allows(bus, false));
  }));
}

TEST_CASE("user mode may write logs where that rule is removed") {
  OsMachine::Config config;
  config.options.adapter.system.protects_logs = false;
  Bench bench(config);
  CHECK(bench.run([&] {
    const HwQueue& queue = bench.add_with_logs();
    CHECK(bench.process->user_pages.allows(
        queue.logs.signals.backing.bus_address(bench.machine.adapter().gpu()), true));
  }));
}

TEST_CASE("a log has no address in the system process if the driver wants none") {
  OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].map_to_system_process = false;
  Bench bench(config);
  CHECK(bench.run([&] { CHECK(bench.add_with_logs().logs.signals.system_address == 0); }));
}

TEST_CASE("a queue is not created without the logs that a driver must take") {
  Bench bench;
  bench.machine.log_status = STATUS_NOT_SUPPORTED;
  CHECK(bench.run([&] {
    CHECK(bench.buffers().give(*bench.process, bench.add_queue(), 4) == STATUS_NOT_SUPPORTED);
    CHECK(bench.machine.log_buffers.size() == 1);
  }));
}

TEST_CASE("a queue is created without logs where they are not mandatory") {
  OsMachine::Config config;
  config.options.adapter.system.mandatory_logs = false;
  Bench bench(config);
  bench.machine.log_status = STATUS_NOT_SUPPORTED;
  CHECK(bench.run([&] {
    CHECK(bench.buffers().give(*bench.process, bench.add_queue(), 4) == STATUS_SUCCESS);
    CHECK(bench.machine.log_buffers.size() == 2);
  }));
}

TEST_CASE("a third log is offered and the driver may refuse it") {
  Bench bench(with_offer(kOther));
  CHECK(bench.run([&] {
    const auto& made = bench.machine.watch<event::LogMade>();
    const HwQueue& queue = bench.add_with_logs();
    CHECK(bench.machine.log_buffers.size() == 3);
    REQUIRE(made.size() == 3);
    CHECK(made[2].type == kOther);
    CHECK(queue.log_generation == 3);
  }));
}

TEST_CASE("a queue without logs gets none later") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.add_queue();
    CHECK(bench.buffers().set(*bench.process, bench.handle(0), 8) == STATUS_NOT_SUPPORTED);
    CHECK(bench.machine.log_buffers.empty());
  }));
}

TEST_CASE("both logs of a queue are replaced") {
  Bench bench;
  CHECK(bench.run([&] {
    const HwQueue& queue = bench.add_with_logs();
    const std::uint32_t before = queue.logs.signals.object;
    CHECK(bench.buffers().set(*bench.process, bench.handle(0), 8) == STATUS_SUCCESS);
    CHECK(bench.machine.log_buffers.size() == 4);
    CHECK(queue.logs.signals.object != before);
    CHECK(queue.logs.signals.entries == 8);
    CHECK(queue.logs.waits.entries == 8);
    CHECK(queue.log_generation == 4);
  }));
}

TEST_CASE("a driver that refuses to replace logs stops the machine") {
  Bench bench;
  bench.run([&] {
    bench.add_with_logs();
    bench.machine.log_status = STATUS_NOT_SUPPORTED;
    try {
      bench.buffers().set(*bench.process, bench.handle(0), 8);
      FAIL("it goes on");
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_DXGKRNL_FATAL_ERROR);
      CHECK(stop.parameters().second == static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED));
    }
  });
}

TEST_CASE("a trace enlarges the logs that are not of a full page yet") {
  Bench bench;
  CHECK(bench.run([&] {
    const HwQueue& small = bench.add_with_logs(4);
    const HwQueue& large = bench.add_with_logs(abi::kFenceLogMaxEntries);
    const HwQueue& none = bench.add_queue();
    const std::uint32_t before = large.logs.signals.object;
    bench.buffers().enlarge_all();
    CHECK(small.logs.signals.entries == abi::kFenceLogMaxEntries);
    CHECK(large.logs.signals.object == before);
    CHECK(none.logs.signals.entries == 0);
  }));
}

TEST_CASE("a trace leaves the logs of a process without a device alone") {
  Bench bench;
  CHECK(bench.run([&] {
    const HwQueue& queue = bench.add_with_logs();
    bench.process->has_device = false;
    bench.buffers().enlarge_all();
    CHECK(queue.logs.signals.entries == 4);
  }));
}

}  // namespace fenceline::os::test_log_buffers
