// Hardware queues of user-mode submission: their creation, and what a failure leaves.
#include <catch2/catch.hpp>

#include "tb/os/calls/queue_calls.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_queue_calls {

namespace {

using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;
using Calls = std::vector<Ddi>;
using QueueFlags = D3DDDI_CREATEHWQUEUEFLAGS;

constexpr UINT kEntries = 16;  ///< of a log
constexpr Ddi kDestroyContext = Ddi::DxgkDdiDestroyHwContext;
constexpr Ddi kDestroyQueue = Ddi::DxgkDdiDestroyHwQueue;
constexpr Ddi kDestroyDoorbell = Ddi::DxgkDdiDestroyDoorbell;
constexpr Ddi kDisconnect = Ddi::DxgkDdiDisconnectDoorbell;
constexpr Ddi kDestroyFence = Ddi::DxgkDdiDestroyNativeFence;

struct Bench {
  Bench(Kernel& of, KernelBench& on)
      : kernel(of),
        machine(on),
        process(of.devices.create_process("app", 0)),
        request(of, process) {
    ScriptedDriver::calls.clear();
  }
  /// Calls of the driver since the last look that take something back.
  static Calls undone() {
    const Calls all = std::exchange(ScriptedDriver::calls, {});
    Calls result;
    for (const Ddi ddi : all)
      if (ddi == kDestroyContext || ddi == kDestroyQueue || ddi == kDestroyDoorbell ||
          ddi == kDisconnect || ddi == kDestroyFence)
        result.push_back(ddi);
    return result;
  }
  /// What is taken back where the driver refuses a call.
  template <Ddi ddi>
  Calls undone_without() {
    ScriptedDriver::answer<ddi>(STATUS_NO_MEMORY);
    ScriptedDriver::calls.clear();
    CHECK(request.create(kEntries) == STATUS_NO_MEMORY);
    CHECK(process.queues.empty());
    CHECK(process.fences.empty());
    ScriptedDriver::replace<ddi>(nullptr);
    return undone();
  }

  Kernel& kernel;
  KernelBench& machine;
  Process& process;
  QueueRequest request;
};

void with_bench(const std::function<void(Bench&)>& body, std::uint32_t doorbells = 0) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.doorbells = doorbells;
  KernelBench machine(support::managed_kernel(), platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

}  // namespace

TEST_CASE("a hardware context is planned for a device of the process", "[calls]") {
  with_bench([](Bench& it) {
    D3DKMT_CREATEHWCONTEXT args{};
    const auto create = [&] { return it.kernel.queues.D3DKMTCreateHwContext(it.process, args); };
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.hDevice = it.process.device();
    args.Flags.Value = 1;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.Flags.Value = 0;
    it.process.has_device = false;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    it.process.has_device = true;
    CHECK(it.process.hw_contexts.size() == 1);
    args.NodeOrdinal = 2;
    CHECK(create() == STATUS_SUCCESS);
    CHECK(it.process.hw_context(args.hHwContext) == it.process.hw_contexts[1].get());
    CHECK(it.process.hw_contexts[1]->node == 2);
    CHECK(ScriptedDriver::calls.empty());  // the driver creates it with its first queue
  });
}

TEST_CASE("a hardware queue is created at the driver with a doorbell of its own", "[calls]") {
  with_bench([](Bench& it) {
    DXGKARG_CREATEHWQUEUE got{};
    ScriptedDriver::replace<Ddi::DxgkDdiCreateHwQueue>([&](HANDLE context, auto* args) {
      got = *args;
      return ScriptedDriver::stub<Ddi::DxgkDdiCreateHwQueue>()(context, args);
    });
    it.request.args.Flags.Value = QueueFlags::kDisableGpuTimeout;
    CHECK(it.request.create() == STATUS_SUCCESS);
    const HwQueue& made = it.request.queue();
    CHECK(got.hHwQueue == &made);
    CHECK(got.Flags.Value == (QueueFlags::kDisableGpuTimeout | QueueFlags::kUserModeSubmission));
    CHECK(got.pPrivateDriverData == &it.request.data);
    CHECK(got.PrivateDriverDataSize == sizeof it.request.data);
    CHECK(got.hHwQueueNativeProgressFence == nullptr);
    CHECK(it.request.args.hHwQueueProgressFence == 0);
    CHECK(made.driver_handle != got.hHwQueue);
    CHECK(made.name == "app.queue2");
    CHECK(it.kernel.simulation().events.name(common::ObjectKind::kQueue, made.object) == made.name);
    CHECK(made.context->queues == 1);
    CHECK(made.doorbell_bus != 0);
    CHECK(made.user_doorbell == nullptr);
    CHECK_FALSE(made.has_logs);
    CHECK(Bench::undone().empty());
  });
}

TEST_CASE("a hardware queue may have a progress fence that ends with it", "[calls]") {
  with_bench([](Bench& it) {
    DXGKARG_CREATEHWQUEUE got{};
    ScriptedDriver::replace<Ddi::DxgkDdiCreateHwQueue>([&](HANDLE context, auto* args) {
      got = *args;
      return ScriptedDriver::stub<Ddi::DxgkDdiCreateHwQueue>()(context, args);
    });
    it.request.args.Flags.Value = QueueFlags::kNativeProgressFence;
    CHECK(it.request.create() == STATUS_SUCCESS);
    const D3DKMT_HANDLE handle = it.request.args.hHwQueueProgressFence;
    CHECK(it.request.queue().progress_fence == handle);
    const LocalFence* const local = it.process.fence(handle);
    REQUIRE(local != nullptr);
    CHECK(local->of_queue);
    const D3DKMT_CREATEHWQUEUE& args = it.request.args;
    CHECK(args.HwQueueProgressFenceCPUVirtualAddress == local->mapping.CurrentValueCpuVa);
    CHECK(args.HwQueueProgressFenceGPUVirtualAddress == local->mapping.CurrentValueGpuVa);
    CHECK(got.hHwQueueNativeProgressFence == local->fence->driver_handle);
    CHECK(got.HwQueueProgressFenceGPUVirtualAddress == local->mapping.CurrentValueGpuVa);
    CHECK(got.HwQueueProgressFenceCPUVirtualAddress ==
          to_kernel_address(local->fence->current_bus()));
    const auto events = it.machine.events.of<event::ProgressFence>();
    REQUIRE(events.size() == 1);
    CHECK(events[0].fence == local->fence->object);
    CHECK(events[0].queue == it.request.queue().object);
    CHECK(it.kernel.sync_objects.D3DKMTDestroySynchronizationObject(it.process, {handle}) ==
          STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("a hardware queue needs a context and a ring in memory of the process", "[calls]") {
  with_bench([](Bench& it) {
    D3DKMT_CREATEHWQUEUE& args = it.request.args;
    ++args.hHwContext;
    CHECK(it.request.create() == STATUS_INVALID_HANDLE);
    --args.hHwContext;
    args.pPrivateDriverData = nullptr;
    CHECK(it.request.create() == STATUS_INVALID_PARAMETER);
    args.pPrivateDriverData = &it.request.data;
    --args.PrivateDriverDataSize;
    CHECK(it.request.create() == STATUS_INVALID_PARAMETER);
    ++args.PrivateDriverDataSize;
    it.request.data.ring_bytes *= 2;
    CHECK(it.request.create() == STATUS_INVALID_PARAMETER);
    it.request.data.ring_bytes /= 2;
    it.request.data.ring_address += 8;
    CHECK(it.request.create() == STATUS_INVALID_PARAMETER);
    it.request.data.ring_address -= 8;
    it.process.has_device = false;
    CHECK(it.request.create() == STATUS_INVALID_HANDLE);
    it.process.has_device = true;
    it.process.in_error = true;
    CHECK(it.request.create() == STATUS_DEVICE_REMOVED);
    it.process.in_error = false;
    CHECK(ScriptedDriver::calls.empty());
    it.request.data.ring_bytes /= 2;  // a part of the memory
    CHECK(it.request.create() == STATUS_SUCCESS);
  });
}

TEST_CASE("a driver without doorbells has no hardware queues", "[calls]") {
  ScriptedDriver::change_table = [](auto& table) { table.DxgkDdiCreateDoorbell = nullptr; };
  with_bench([](Bench& it) {
    ++it.request.args.hHwContext;
    CHECK(it.request.create() == STATUS_NOT_SUPPORTED);
  });
}

TEST_CASE("a hardware queue that the driver refuses leaves nothing behind", "[calls]") {
  with_bench([](Bench& it) {
    CHECK(it.undone_without<Ddi::DxgkDdiCreateHwContext>().empty());
    CHECK(it.undone_without<Ddi::DxgkDdiCreateHwQueue>() == Calls{kDestroyContext});
    CHECK(it.undone_without<Ddi::DxgkDdiCreateDoorbell>() == Calls{kDestroyQueue, kDestroyContext});
    CHECK(it.undone_without<Ddi::DxgkDdiConnectDoorbell>() ==
          Calls{kDestroyDoorbell, kDestroyQueue, kDestroyContext});
    CHECK(it.undone_without<Ddi::DxgkDdiSetNativeFenceLogBuffer>() ==
          Calls{kDisconnect, kDestroyDoorbell, kDestroyQueue, kDestroyContext});
    CHECK(it.process.hw_contexts[0]->queues == 0);
    CHECK(it.kernel.system.adapters[0].logs->queues().empty());
    CHECK(it.request.create(kEntries) == STATUS_SUCCESS);
    CHECK(it.request.queue().has_logs);
  });
}

TEST_CASE("a hardware queue that the driver refuses has no progress fence", "[calls]") {
  with_bench([](Bench& it) {
    it.request.args.Flags.Value = QueueFlags::kNativeProgressFence;
    CHECK(it.undone_without<Ddi::DxgkDdiCreateNativeFence>().empty());
    CHECK(it.undone_without<Ddi::DxgkDdiCreateHwContext>() == Calls{kDestroyFence});
    CHECK(it.undone_without<Ddi::DxgkDdiConnectDoorbell>() ==
          Calls{kDestroyDoorbell, kDestroyQueue, kDestroyContext, kDestroyFence});
  });
}

TEST_CASE("a shared doorbell of a queue that is refused is given back", "[calls]") {
  with_bench(
      [](Bench& it) {
        CHECK(it.undone_without<Ddi::DxgkDdiConnectDoorbell>() ==
              Calls{kDestroyDoorbell, kDestroyQueue, kDestroyContext});
        CHECK(it.undone_without<Ddi::DxgkDdiSetNativeFenceLogBuffer>() ==
              Calls{kDisconnect, kDestroyDoorbell, kDestroyQueue, kDestroyContext});
      },
      2);
}

TEST_CASE("a doorbell of a queue is created and destroyed by its handles", "[calls]") {
  with_bench([](Bench& it) {
    HANDLE made = nullptr;
    int checked = 0;
    ScriptedDriver::replace<Ddi::DxgkDdiCreateDoorbell>([&](auto* args) {
      CHECK(args->hDoorbell != nullptr);  // of the OS
      CHECK(args->hHwQueue != nullptr);
      const NTSTATUS status = ScriptedDriver::stub<Ddi::DxgkDdiCreateDoorbell>()(args);
      made = args->hDoorbell;
      return status;
    });
    ScriptedDriver::replace<kDisconnect>([&](auto* args) {
      checked += args->hDoorbell == made ? 1 : 0;
      return ScriptedDriver::stub<kDisconnect>()(args);
    });
    ScriptedDriver::replace<kDestroyDoorbell>([&](auto* args) {
      checked += args->hDoorbell == made ? 1 : 0;
      return ScriptedDriver::stub<kDestroyDoorbell>()(args);
    });
    it.undone_without<Ddi::DxgkDdiSetNativeFenceLogBuffer>();
    CHECK(checked == 2);
  });
}

TEST_CASE("a queue that is not to be gets no shared doorbell meanwhile", "[calls]") {
  with_bench(
      [](Bench& it) {
        ScriptedDriver::replace<kDestroyDoorbell>([&](auto* args) {
          CHECK(it.kernel.system.adapters[0].doorbells->sleep());
          it.kernel.system.adapters[0].doorbells->wake();
          return ScriptedDriver::stub<kDestroyDoorbell>()(args);
        });
        it.undone_without<Ddi::DxgkDdiSetNativeFenceLogBuffer>();
        CHECK(it.undone_without<Ddi::DxgkDdiSetNativeFenceLogBuffer>() ==
              Calls{kDisconnect, kDestroyDoorbell, kDestroyQueue, kDestroyContext});
      },
      2);
}

TEST_CASE("a context stays while it has another queue", "[calls]") {
  with_bench([](Bench& it) {
    REQUIRE(it.request.create() == STATUS_SUCCESS);
    ScriptedDriver::answer<Ddi::DxgkDdiCreateDoorbell>(STATUS_NO_MEMORY);
    CHECK(it.request.create() == STATUS_NO_MEMORY);
    CHECK(Bench::undone() == Calls{kDestroyQueue});
    CHECK(it.process.queues.size() == 1);
  });
}

TEST_CASE("a driver that connects a doorbell elsewhere gets no queue", "[calls]") {
  with_bench([](Bench& it) {
    ScriptedDriver::replace<Ddi::DxgkDdiConnectDoorbell>([](auto* args) {
      args->KernelCpuVirtualAddress = nullptr;
      return STATUS_SUCCESS;
    });
    CHECK(it.request.create() == STATUS_UNSUCCESSFUL);
    CHECK(Bench::undone() == Calls{kDestroyDoorbell, kDestroyQueue, kDestroyContext});
    CHECK(it.machine.events.of<event::DriverMisuse>().size() == 1);
  });
}

TEST_CASE("logs of a queue know the queue with its node and its process", "[calls]") {
  with_bench([](Bench& it) {
    Process& other = it.kernel.devices.create_process("other", 0);
    QueueRequest second(it.kernel, other, 2);
    REQUIRE(second.create(kEntries) == STATUS_SUCCESS);
    const QueueLogs& logs = second.queue().logs;
    CHECK(logs.queue == second.queue().driver_handle);
    CHECK(logs.node == 2);
    CHECK(it.kernel.system.processes[logs.process].get() == &other);
    CHECK(it.kernel.system.adapters[0].logs->queues().size() == 1);
    REQUIRE(it.request.create(0) == STATUS_SUCCESS);
    CHECK_FALSE(it.request.queue().has_logs);
    CHECK(it.kernel.system.adapters[0].logs->queues().size() == 1);
  });
}

TEST_CASE("a queue on an adapter without native fences has no logs", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].native_fences = false;
  support::run_in_kernel(
      [](Kernel& kernel) {
        REQUIRE_FALSE(kernel.adapter(0).native_fences());
        QueueRequest request(kernel, kernel.devices.create_process("app", 0));
        CHECK(request.create(kEntries) == STATUS_SUCCESS);
        CHECK_FALSE(request.queue().has_logs);
      },
      support::managed_kernel(), platform);
}

}  // namespace fenceline::os::test_queue_calls
