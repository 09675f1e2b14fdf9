// Release of waiters by the entries of fence logs.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tb/test/support/os/log_bench.h"

namespace fenceline::os::test_log_follower {

using Queues = std::vector<QueueLogs*>;
using Values = std::vector<UINT64>;

namespace {

OsOrdering log_driven() {
  OsOrdering ordering;
  ordering.log_driven = true;
  return ordering;
}

/// Fences are those of process 0, with handles from 1.
struct Bench : support::LogBench {
  explicit Bench(const support::OsMachine::Config& config) : LogBench(config) {
    logs().fence_of = [this](std::size_t process,
                             D3DKMT_HANDLE handle) -> std::shared_ptr<NativeFence> {
      return process == 0 && handle <= open.size() ? open[handle - 1] : nullptr;
    };
    logs().fences_of = [this](std::size_t process) {
      looked.push_back(process);
      return process == 0 ? open : FenceList{};
    };
    logs().has_any = [this](std::size_t process, const FenceList& fences) {
      return process == 0 && fences == open;
    };
  }
  explicit Bench(const OsOrdering& ordering = log_driven())
      : Bench(support::with_ordering(ordering)) {}

  LogFollower& logs() { return *machine.state().logs; }
  void open_fence() { open.push_back(add()); }
  QueueLogs& follow(std::size_t process = 0) {
    QueueLogs& queue = add_queue(process);
    logs().add(queue);
    return queue;
  }
  LogHarvest read(QueueLogs& queue) {
    return machine.dispatched([&] { return logs().read({&queue}); });
  }
  std::size_t settle(const LogHarvest& harvest) {
    return machine.dispatched([&] { return logs().settle(harvest); });
  }

  FenceList open;
  std::vector<std::size_t> looked;  ///< processes whose fences were asked for
};

/// A queue and one waiter for 5 that is younger than the queue's logs.
struct WaitingBench : Bench {
  using Bench::Bench;

  void begin(std::size_t process = 0) {
    open_fence();
    queue = &follow(process);
    waiter = &wait_for(open[0], 5);
  }
  std::size_t logged(D3DKMT_HANDLE handle, DXGK_NATIVE_FENCE_LOG_OPERATION type =
                                               DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED) {
    write(queue->signals, queue->signals.read, handle, 5, type);
    return settle(read(*queue));
  }

  QueueLogs* queue = nullptr;
  const Waiter* waiter = nullptr;
};

}  // namespace

TEST_CASE("a logged signal releases a waiter that is older although the value is not seen") {
  WaitingBench bench;
  CHECK(bench.run([&] {
    bench.begin();
    CHECK(bench.logs().releases());
    CHECK(bench.logged(1) == 1);
    CHECK(bench.waiter->satisfied);
    CHECK(bench.queue->doubts.empty());
  }));
}

TEST_CASE("a logged signal that may be older than the wait leaves a doubt once") {
  WaitingBench bench;
  CHECK(bench.run([&] {
    bench.open_fence();
    bench.queue = &bench.follow();
    bench.write(bench.queue->signals, 0, 1, 5);
    bench.write(bench.queue->signals, 1, 1, 6);
    const Waiter& waiter = bench.wait_for(bench.open[0], 5);
    CHECK(bench.settle(bench.read(*bench.queue)) == 0);
    CHECK_FALSE(waiter.satisfied);
    CHECK(bench.queue->doubts == FenceList{bench.open[0]});
    bench.store(*bench.open[0], 5);
    CHECK(bench.settle(bench.read(*bench.queue)) == 1);  // no new entry is needed
    CHECK(waiter.satisfied);
    CHECK(bench.queue->doubts.empty());
  }));
}

TEST_CASE("a doubt about a fence that will be destroyed is forgotten") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open_fence();
    bench.open_fence();
    QueueLogs& queue = bench.follow();
    bench.logs().forget(*bench.open[0]);
    queue.doubts = bench.open;
    bench.logs().forget(*bench.open[0]);
    CHECK(queue.doubts == FenceList{bench.open[1]});
  }));
}

TEST_CASE("an entry about a wait or an unknown handle or a shared fence releases nobody") {
  WaitingBench bench;
  CHECK(bench.run([&] {
    bench.begin();
    CHECK(bench.logged(1, DXGK_NATIVE_FENCE_LOG_OPERATION_WAIT_UNBLOCKED) == 0);
    CHECK(bench.logged(9) == 0);
    bench.open[0]->origin = std::make_shared<MonitoredFence>();
    CHECK(bench.logged(1) == 0);
    bench.open[0]->origin = nullptr;
    CHECK_FALSE(bench.waiter->satisfied);
    CHECK(bench.logged(1) == 1);
  }));
}

TEST_CASE("an entry with a handle of another process releases nobody") {
  WaitingBench bench;
  CHECK(bench.run([&] {
    bench.begin(1);
    CHECK(bench.logged(1) == 0);
    CHECK_FALSE(bench.waiter->satisfied);
  }));
}

TEST_CASE("logs release nobody where values are read") {
  WaitingBench bench{OsOrdering()};
  CHECK(bench.run([&] {
    bench.begin();
    CHECK_FALSE(bench.logs().releases());
    CHECK(bench.queue->signals.marks.empty());
    CHECK(bench.logged(1) == 0);
    LogHarvest doubtful;
    doubtful.doubts = bench.open;
    bench.store(*bench.open[0], 5);
    CHECK(bench.settle(doubtful) == 0);
    CHECK_FALSE(bench.waiter->satisfied);
  }));
}

TEST_CASE("logs release waiters where interrupts name queues") {
  support::OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].optimized_interrupt = true;
  WaitingBench bench(config);
  CHECK(bench.run([&] {
    bench.begin();
    CHECK(bench.logs().releases());
    CHECK(bench.logged(1) == 1);
  }));
}

TEST_CASE("a wait is marked in the logs of queues that may signal its fence") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open_fence();
    QueueLogs& queue = bench.follow();
    QueueLogs& other = bench.follow(1);
    CHECK(bench.logs().of(bench.open) == Queues{&queue});
    bench.wait_for(bench.open[0], 5);
    CHECK(queue.signals.older_waits(0) == 1);
    CHECK(queue.waits.marks.empty());
    CHECK(other.signals.marks.empty());
  }));
}

TEST_CASE("after an overrun all fences of the process are looked at once") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open_fence();
    const Waiter& waiter = bench.wait_for(bench.open[0], 5);
    bench.store(*bench.open[0], 5);
    LogHarvest harvest;
    harvest.overruns = {1, 0, 1, 0};
    CHECK(bench.settle(harvest) == 1);
    CHECK(waiter.satisfied);
    CHECK(bench.looked == std::vector<std::size_t>{0, 1});
  }));
}

TEST_CASE("no fence is looked at after an overrun where that rule is removed") {
  OsOrdering ordering = log_driven();
  ordering.overrun_fallback = false;
  Bench bench(ordering);
  CHECK(bench.run([&] {
    LogHarvest harvest;
    harvest.overruns = {0};
    CHECK(bench.settle(harvest) == 0);
    CHECK(bench.looked.empty());
  }));
}

TEST_CASE("logs are replaced once the driver has both and the old ones are read to their end") {
  WaitingBench bench;
  CHECK(bench.run([&] {
    bench.begin();
    const FenceLog waits = bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
    const FenceLog signals = bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
    bench.write(bench.queue->signals, 0, 1, 5);
    CHECK_FALSE(bench.logs().replace(*bench.queue, waits, signals));
    CHECK(bench.machine.log_buffers.size() == 2);
    CHECK(bench.waiter->satisfied);
    CHECK(bench.queue->signals.object == signals.object);
    CHECK(bench.queue->waits.object == waits.object);
    CHECK(bench.queue->signals.older_waits(0) == 1);  // whatever it logs is younger
    CHECK(bench.logs().place_of(*bench.queue, true).object == signals.object);
    CHECK(bench.logs().place_of(*bench.queue, false).object == waits.object);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  }));
}

TEST_CASE("a queue keeps its logs if the driver refuses new ones") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.follow();
    const std::uint32_t before = queue.signals.object;
    bench.machine.log_status = STATUS_UNSUCCESSFUL;
    CHECK(bench.logs().replace(queue, bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS),
                               bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS)) ==
          STATUS_UNSUCCESSFUL);
    CHECK(queue.signals.object == before);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  }));
}

TEST_CASE("a queue gets new logs that the driver refuses where they are not mandatory") {
  support::OsMachine::Config config = support::with_ordering(log_driven());
  config.options.adapter.system.mandatory_logs = false;
  Bench bench(config);
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.follow();
    bench.machine.log_status = STATUS_UNSUCCESSFUL;
    const FenceLog signals = bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
    CHECK_FALSE(
        bench.logs().replace(queue, bench.new_log(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS), signals));
    CHECK(queue.signals.object == signals.object);
  }));
}

TEST_CASE("the state of the follower covers waits that entries may release") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open_fence();
    QueueLogs& queue = bench.follow();
    bench.wait_for(bench.open[0], 5);
    const std::uint64_t state = bench.logs().state_hash();
    queue.signals.marks[2] = 1;
    const std::uint64_t marked = bench.logs().state_hash();
    CHECK(marked != state);
    bench.wait_for(bench.open[0], 6);  // it is younger than the mark
    queue.signals.marks.erase(0);
    CHECK(bench.logs().state_hash() == marked);
    queue.signals.marks[2] = 2;
    CHECK(bench.logs().state_hash() != marked);
  }));
}

}  // namespace fenceline::os::test_log_follower
