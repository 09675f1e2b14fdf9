// Signals of fences that adapters share: values of which the queues of an adapter know.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/deferred_calls.h"
#include "tb/test/support/os/dpc_bench.h"

namespace fenceline::os::test_cross_adapter_signals {

using support::completion;
using support::DpcBench;

struct Bench : DpcBench {
  /// A fence of the second process that the first one has open on the first adapter.
  void make() {
    origin = add_fence(*process[1]);
    native = add_native(*process[0]);
    native->origin = origin;
    origin->natives.push_back(native.get());
    signalled.fences.push_back(native->os_handle());
  }
  /// The buffer of a context that may have signalled the fence is complete.
  void complete(UINT id) {
    submit(0);
    follow(completion(id));
  }

  std::shared_ptr<MonitoredFence> origin;
  std::shared_ptr<NativeFence> native;
  FenceNotification signalled{};
};

TEST_CASE("a completed buffer notifies queues of the value that they know as well") {
  Bench bench;
  const auto& notified = bench.machine.watch<event::CpuSignal>();
  bench.run([&] {
    bench.make();
    bench.store(*bench.origin, 5);
    bench.complete(1);
    CHECK(notified.size() == 1);
    bench.complete(2);
    CHECK(notified.size() == 2);  // it may have been another for a while
  });
}

TEST_CASE("a signal of a GPU does not stand for a value that another one has stored") {
  Bench bench;
  const auto& notified = bench.machine.watch<event::CpuSignal>();
  bench.run([&] {
    bench.make();
    bench.store(*bench.origin, 5);
    bench.follow(bench.signalled);
    CHECK(notified.empty());  // its own signal needs no notification
    bench.complete(1);
    CHECK(notified.size() == 1);
  });
}

TEST_CASE("a doorbell of a GPU does not stand for a value that another one has stored") {
  Bench bench;
  const auto& notified = bench.machine.watch<event::CpuSignal>();
  bench.run([&] {
    bench.make();
    bench.origin->rings = true;
    bench.store(*bench.origin, 5);
    bench.follow(bench.signalled);
    CHECK(notified.empty());
    bench.complete(1);
    CHECK(notified.size() == 1);
  });
}

}  // namespace fenceline::os::test_cross_adapter_signals
