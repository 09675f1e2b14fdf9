// Doorbells of hardware queues, and the calls that a queue of user mode does not serve.
#include <catch2/catch.hpp>

#include "tb/os/calls/queue_calls.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/native_fence_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_queue_calls_doorbells {

namespace {

using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;

constexpr Ddi kConnect = Ddi::DxgkDdiConnectDoorbell;
constexpr Ddi kNotify = Ddi::DxgkDdiNotifyWorkSubmission;

/// A queue with a doorbell.
struct Bench {
  explicit Bench(Kernel& of)
      : kernel(of), process(of.devices.create_process("app", 0)), request(of, process) {
    REQUIRE(request.create() == STATUS_SUCCESS);
    handle = request.args.hHwQueue;
    ScriptedDriver::calls.clear();
  }
  NTSTATUS connect(D3DKMT_HANDLE doorbell, UINT flags = 0) {
    return kernel.queues.D3DKMTConnectDoorbell(process, {doorbell, {flags}});
  }
  NTSTATUS note_work(D3DKMT_HANDLE queue, UINT flags = 0) {
    return kernel.queues.D3DKMTNotifyWorkSubmission(process, {queue, {flags}});
  }
  UserDoorbell& doorbell() const { return *request.queue().user_doorbell; }

  Kernel& kernel;
  Process& process;
  QueueRequest request;
  D3DKMT_HANDLE handle = 0;
};

constexpr std::uint32_t kShared = 2;

/// @param doorbells of the device, which queues share; 0: each queue has its own
void with_bench(std::uint32_t doorbells, const std::function<void(Bench&)>& body) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.doorbells = doorbells;
  KernelBench machine(support::managed_kernel(), platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel);
    body(bench);
  }});
}

D3DKMT_CREATEDOORBELL create(Bench& it) {
  D3DKMT_CREATEDOORBELL args{};
  args.hHwQueue = it.handle;
  CHECK(it.kernel.queues.D3DKMTCreateDoorbell(it.process, args) == STATUS_SUCCESS);
  CHECK(args.hDoorbell == it.handle);
  return args;
}

}  // namespace

TEST_CASE("user mode gets the address of a doorbell that its queue owns", "[calls]") {
  with_bench(0, [](Bench& it) {
    const D3DKMT_CREATEDOORBELL args = create(it);
    CHECK(args.DoorbellCPUVirtualAddress == to_kernel_address(it.request.queue().doorbell_bus));
    CHECK(args.DoorbellStatusCPUVirtualAddress == nullptr);
    CHECK(args.HwQueueProgressFenceLastQueuedValueCPUVirtualAddress == nullptr);
    CHECK(QueueCalls::queue_of_doorbell(it.process, args.DoorbellCPUVirtualAddress) == nullptr);
  });
}

TEST_CASE("user mode gets an address with a status and a last value of a shared doorbell",
          "[calls]") {
  with_bench(kShared, [](Bench& it) {
    QueueRequest second(it.kernel, it.process);
    REQUIRE(second.create() == STATUS_SUCCESS);
    const D3DKMT_CREATEDOORBELL args = create(it);
    CHECK(args.DoorbellStatusCPUVirtualAddress == to_kernel_address(it.doorbell().status_bus()));
    CHECK(args.HwQueueProgressFenceLastQueuedValueCPUVirtualAddress ==
          to_kernel_address(it.doorbell().last_queued_bus()));
    const void* const address = args.DoorbellCPUVirtualAddress;
    CHECK(QueueCalls::queue_of_doorbell(it.process, address) == &it.request.queue());
    CHECK(QueueCalls::queue_of_doorbell(it.process, args.DoorbellStatusCPUVirtualAddress) ==
          nullptr);
  });
}

TEST_CASE("a doorbell without flags belongs to a queue", "[calls]") {
  with_bench(0, [](Bench& it) {
    D3DKMT_CREATEDOORBELL args{};
    args.hHwQueue = it.handle + 1;
    CHECK(it.kernel.queues.D3DKMTCreateDoorbell(it.process, args) == STATUS_INVALID_HANDLE);
    args.hHwQueue = it.handle;
    args.Flags.Value = D3DKMT_CREATEDOORBELL_FLAGS::kRequireSecondaryCpuVA;
    CHECK(it.kernel.queues.D3DKMTCreateDoorbell(it.process, args) == STATUS_NOT_SUPPORTED);
    CHECK(args.hDoorbell == 0);
    CHECK(args.DoorbellCPUVirtualAddress == nullptr);
  });
}

TEST_CASE("a doorbell that its queue owns stays connected and the driver is not told of work",
          "[calls]") {
  with_bench(0, [](Bench& it) {
    CHECK(it.connect(it.handle, 1) == STATUS_INVALID_PARAMETER);
    CHECK(it.connect(it.handle + 1) == STATUS_INVALID_HANDLE);
    CHECK(it.connect(it.handle) == STATUS_SUCCESS);
    CHECK(it.note_work(it.handle, 1) == STATUS_INVALID_PARAMETER);
    CHECK(it.note_work(it.handle + 1) == STATUS_INVALID_HANDLE);
    CHECK(it.note_work(it.handle) == STATUS_SUCCESS);
    CHECK(ScriptedDriver::calls.empty());
  });
}

TEST_CASE("a shared doorbell is connected by the driver and the adapter wakes for it", "[calls]") {
  with_bench(kShared, [](Bench& it) {
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    REQUIRE_FALSE(it.doorbell().connected);
    CHECK(it.connect(it.handle) == STATUS_SUCCESS);
    CHECK(power.on());
    CHECK(it.doorbell().connected);
    ScriptedDriver::answer<kConnect>(STATUS_NO_MEMORY);
    CHECK(it.connect(it.handle) == STATUS_NO_MEMORY);
    it.doorbell().aborted = true;
    ScriptedDriver::calls.clear();
    CHECK(it.connect(it.handle) == STATUS_DEVICE_REMOVED);
    CHECK(ScriptedDriver::count(kConnect) == 0);
  });
}

TEST_CASE("a queue of a sleeping adapter gets its shared doorbell", "[calls]") {
  with_bench(kShared, [](Bench& it) {
    QueueRequest second(it.kernel, it.process);
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    CHECK(second.create() == STATUS_SUCCESS);
    CHECK(power.on());
    CHECK(second.queue().user_doorbell->connected);
  });
}

TEST_CASE("a shared doorbell knows the progress of its queue", "[calls]") {
  with_bench(kShared, [](Bench& it) {
    CHECK(it.doorbell().progress_bus == 0);
    QueueRequest second(it.kernel, it.process);
    second.args.Flags.Value = D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence;
    REQUIRE(second.create() == STATUS_SUCCESS);
    CHECK(second.queue().user_doorbell->progress_bus ==
          it.process.fence(second.queue().progress_fence)->fence->current_bus());
  });
}

TEST_CASE("a new queue is linked to other adapters that ring it", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.peer_doorbells = PeerDoorbells::kQueues;
  support::with_native_fences(
      [](support::NativeFenceBench& it) {
        const D3DKMT_HANDLE shared = it.first.native(support::FenceCaller::kCrossAdapter);
        REQUIRE(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_SUCCESS);
        QueueRequest request(it.first.kernel, it.first.process);
        ScriptedDriver::calls.clear();
        REQUIRE(request.create() == STATUS_SUCCESS);
        CHECK(ScriptedDriver::count(Ddi::DxgkDdiEscape) != 0);
      },
      options);
}

TEST_CASE("the driver is told of work in a queue with a shared doorbell", "[calls]") {
  with_bench(kShared, [](Bench& it) {
    ScriptedDriver::answer<kNotify>(STATUS_NO_MEMORY);
    CHECK(it.note_work(it.handle) == STATUS_NO_MEMORY);
    it.doorbell().aborted = true;
    CHECK(it.note_work(it.handle) == STATUS_DEVICE_REMOVED);
    CHECK(ScriptedDriver::count(kNotify) == 1);
  });
}

TEST_CASE("a queue of user mode takes no work through the OS", "[calls]") {
  with_bench(0, [](Bench& it) {
    QueueCalls& calls = it.kernel.queues;
    D3DKMT_SUBMITCOMMANDTOHWQUEUE command{};
    D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE wait{};
    D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE signal{};
    const D3DKMT_HANDLE queues[] = {it.handle, it.handle + 1};
    signal.BroadcastHwQueueArray = queues;
    signal.BroadcastHwQueueCount = 1;
    command.hHwQueue = wait.hHwQueue = it.handle;
    CHECK(calls.D3DKMTSubmitCommandToHwQueue(it.process, command) == STATUS_NOT_SUPPORTED);
    CHECK(calls.D3DKMTSubmitWaitForSyncObjectsToHwQueue(it.process, wait) ==
          STATUS_INVALID_PARAMETER);
    CHECK(calls.D3DKMTSubmitSignalSyncObjectsToHwQueue(it.process, signal) ==
          STATUS_INVALID_PARAMETER);
    command.hHwQueue = wait.hHwQueue = it.handle + 1;
    signal.BroadcastHwQueueCount = 2;
    CHECK(calls.D3DKMTSubmitCommandToHwQueue(it.process, command) == STATUS_INVALID_HANDLE);
    CHECK(calls.D3DKMTSubmitWaitForSyncObjectsToHwQueue(it.process, wait) == STATUS_INVALID_HANDLE);
    CHECK(calls.D3DKMTSubmitSignalSyncObjectsToHwQueue(it.process, signal) ==
          STATUS_INVALID_HANDLE);
  });
}

}  // namespace fenceline::os::test_queue_calls_doorbells
