// The D3DKMT calls, made by threads of a machine without a scenario.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/abi/packets.h"
#include "models/abi/private_data.h"
#include "tb/check/checkers.h"
#include "tb/user/d3dkmt.h"

namespace fenceline::system_tests::test_user_calls {

namespace {

namespace abi = fenceline::abi;
namespace common = fenceline::common;
namespace user = fenceline::user;
using fenceline::check::Checkers;
using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

constexpr UINT kCompute = 1;

D3DKMT_HANDLE adapter_handle(ULONG number = 0) {
  D3DKMT_ADAPTERINFO infos[4]{};
  D3DKMT_ENUMADAPTERS2 args{4, infos};
  REQUIRE(D3DKMTEnumAdapters2(&args) == STATUS_SUCCESS);
  REQUIRE(number < args.NumAdapters);
  return infos[number].hAdapter;
}

D3DKMT_HANDLE create_device(ULONG adapter = 0) {
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = adapter_handle(adapter);
  REQUIRE(D3DKMTCreateDevice(&args) == STATUS_SUCCESS);
  return args.hDevice;
}

D3DKMT_CREATESYNCHRONIZATIONOBJECT2 monitored(D3DKMT_HANDLE device, UINT flags = 0) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = device;
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  args.Info.Flags.Value = flags;
  return args;
}

NTSTATUS wait_for(D3DKMT_HANDLE fence, UINT64 value, HANDLE event = nullptr) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.FenceValueArray = &value;
  args.hAsyncEvent = event;
  return D3DKMTWaitForSynchronizationObjectFromCpu(&args);
}

NTSTATUS signal(D3DKMT_HANDLE fence, UINT64 value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.FenceValueArray = &value;
  return D3DKMTSignalSynchronizationObjectFromCpu(&args);
}

D3DKMT_HANDLE create_context(D3DKMT_HANDLE device) {
  D3DKMT_CREATECONTEXTVIRTUAL args{};
  args.hDevice = device;
  args.NodeOrdinal = kCompute;
  REQUIRE(D3DKMTCreateContextVirtual(&args) == STATUS_SUCCESS);
  return args.hContext;
}

NTSTATUS submit(D3DKMT_HANDLE context, const user::Memory& buffer, UINT bytes) {
  D3DKMT_SUBMITCOMMAND args{};
  args.Commands = buffer.gpu_address;
  args.CommandLength = bytes;
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = context;
  return D3DKMTSubmitCommand(&args);
}

template <typename Args>
Args gpu_args(D3DKMT_HANDLE context, const D3DKMT_HANDLE& fence, const UINT64& value) {
  Args args{};
  args.hContext = context;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.MonitoredFenceValueArray = &value;
  return args;
}

NTSTATUS gpu_wait(D3DKMT_HANDLE context, D3DKMT_HANDLE fence, UINT64 value) {
  const auto args = gpu_args<D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU>(context, fence, value);
  return D3DKMTWaitForSynchronizationObjectFromGpu(&args);
}

NTSTATUS gpu_signal(D3DKMT_HANDLE context, D3DKMT_HANDLE fence, UINT64 value) {
  const auto args = gpu_args<D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU>(context, fence, value);
  return D3DKMTSignalSynchronizationObjectFromGpu(&args);
}

/// Runs `body` as the only thread; it must end, and break nothing.
void run_alone(const fenceline::top::PlatformConfig& platform, const std::function<void()>& body) {
  user::Machine machine(platform);
  Checkers checkers(machine.simulation().events);
  machine.add_thread("main", machine.add_process("app"), body);
  CHECK(machine.run());
  checkers.finish();
  CHECK(checkers.violations().empty());
}
void run_alone(const std::function<void()>& body) { run_alone({}, body); }

}  // namespace

TEST_CASE("two threads wait for each other through a monitored fence", "[user]") {
  user::Machine machine{fenceline::top::PlatformConfig{}};
  Checkers checkers(machine.simulation().events);
  D3DKMT_HANDLE fence = 0;
  const std::size_t process = machine.add_process("app");
  machine.add_thread("first", process, [&] {
    auto args = monitored(create_device());
    REQUIRE(D3DKMTCreateSynchronizationObject2(&args) == STATUS_SUCCESS);
    fence = args.hSyncObject;
    for (UINT64 i = 0; i < 10; ++i) {
      CHECK(wait_for(fence, 2 * i + 1) == STATUS_SUCCESS);
      CHECK(signal(fence, 2 * i + 2) == STATUS_SUCCESS);
    }
  });
  machine.add_thread("second", process, [&] {
    while (fence == 0) user::sleep(common::kMicrosecond);
    for (UINT64 i = 0; i < 10; ++i) {
      CHECK(signal(fence, 2 * i + 1) == STATUS_SUCCESS);
      CHECK(wait_for(fence, 2 * i + 2) == STATUS_SUCCESS);
    }
  });
  CHECK(machine.run());
  checkers.finish();
  CHECK(checkers.violations().empty());
}

TEST_CASE("a machine reports that a thread still waits", "[user]") {
  user::Machine machine{fenceline::top::PlatformConfig{}};
  machine.add_thread("main", machine.add_process("app"), [] {
    auto args = monitored(create_device());
    REQUIRE(D3DKMTCreateSynchronizationObject2(&args) == STATUS_SUCCESS);
    wait_for(args.hSyncObject, 1);
  });
  CHECK_FALSE(machine.run());
}

TEST_CASE("an exception of a thread comes out of the run", "[user]") {
  user::Machine machine{fenceline::top::PlatformConfig{}};
  machine.add_thread("main", machine.add_process("app"), [] { throw std::runtime_error("mine"); });
  CHECK_THROWS_WITH(machine.run(), "mine");
}

TEST_CASE("flags of a monitored fence that do not go together", "[user][monitored]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    const auto created = [&](UINT flags) {
      auto args = monitored(device, flags);
      return D3DKMTCreateSynchronizationObject2(&args);
    };
    CHECK(created(Flags::kNtSecuritySharing) == STATUS_INVALID_PARAMETER);
    CHECK(created(Flags::kShared) == STATUS_INVALID_PARAMETER);
    CHECK(created(Flags::kShared | Flags::kNtSecuritySharing) == STATUS_SUCCESS);
    CHECK(created(Flags::kCrossAdapter) == STATUS_INVALID_PARAMETER);
    CHECK(created(Flags::kNoSignal | Flags::kNoWait) == STATUS_INVALID_PARAMETER);
    CHECK(created(Flags::kSignalByKmd) == STATUS_INVALID_PARAMETER);
    CHECK(created(Flags::kTopOfPipeline) == STATUS_NOT_SUPPORTED);
    CHECK(created(1U << 20) == STATUS_INVALID_PARAMETER);
    auto args = monitored(0);
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_INVALID_HANDLE);
    args = monitored(device);
    args.Info.Type = D3DDDI_SEMAPHORE;
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_NOT_SUPPORTED);
  });
}

TEST_CASE("addresses of a monitored fence", "[user][monitored]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    auto args = monitored(device);
    args.Info.MonitoredFence.InitialFenceValue = 7;
    REQUIRE(D3DKMTCreateSynchronizationObject2(&args) == STATUS_SUCCESS);
    const auto& info = args.Info.MonitoredFence;
    CHECK(info.FenceValueGPUVirtualAddress != 0);
    CHECK(info.FenceValueGPUVirtualAddress % 8 == 0);
    CHECK(user::read_fence(device, info.FenceValueCPUVirtualAddress) == 7);
    CHECK(signal(args.hSyncObject, 9) == STATUS_SUCCESS);
    CHECK(user::read_fence(device, info.FenceValueCPUVirtualAddress) == 9);
    auto hidden = monitored(device, Flags::kNoGPUAccess);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&hidden) == STATUS_SUCCESS);
    CHECK(hidden.Info.MonitoredFence.FenceValueGPUVirtualAddress == 0);
  });
}

TEST_CASE("a GPU with an IOMMU uses the address of the CPU", "[user][monitored]") {
  fenceline::top::PlatformConfig platform;
  platform.gpus[0].iommu = true;
  run_alone(platform, [] {
    const D3DKMT_HANDLE device = create_device();
    auto args = monitored(device);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&args) == STATUS_SUCCESS);
    const auto& info = args.Info.MonitoredFence;
    CHECK(info.FenceValueGPUVirtualAddress == 0);
    const D3DKMT_HANDLE context = create_context(device);
    const user::Memory buffer = user::allocate_memory(device, 4096);
    const abi::FenceWritePacket packet{
        {abi::Opcode::kFenceWrite, abi::kNotify, sizeof packet},
        reinterpret_cast<std::uint64_t>(info.FenceValueCPUVirtualAddress),
        5};
    user::store(buffer.cpu_address, &packet, sizeof packet);
    CHECK(submit(context, buffer, sizeof packet) == STATUS_SUCCESS);
    CHECK(wait_for(args.hSyncObject, 5) == STATUS_SUCCESS);
    CHECK(user::read_fence(device, info.FenceValueCPUVirtualAddress) == 5);
  });
}

TEST_CASE("a context waits in the operating system and signals by a software packet", "[user]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    auto a = monitored(device);
    auto b = monitored(device, Flags::kNoGPUAccess);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&a) == STATUS_SUCCESS);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&b) == STATUS_SUCCESS);
    const D3DKMT_HANDLE context = create_context(device);
    const user::Memory memory = user::allocate_memory(device, 4096);
    const user::Memory target = user::allocate_memory(device, 4096);
    const abi::WritePacket packet{{abi::Opcode::kWrite, 0, sizeof packet}, target.gpu_address, 42};
    user::store(memory.cpu_address, &packet, sizeof packet);
    CHECK(gpu_wait(context, a.hSyncObject, 1) == STATUS_SUCCESS);
    CHECK(submit(context, memory, sizeof packet) == STATUS_SUCCESS);
    CHECK(gpu_signal(context, b.hSyncObject, 1) == STATUS_SUCCESS);
    user::sleep(100 * common::kMicrosecond);
    CHECK(user::load(target.cpu_address) == 0);  // held
    CHECK(signal(a.hSyncObject, 1) == STATUS_SUCCESS);
    CHECK(wait_for(b.hSyncObject, 1) == STATUS_SUCCESS);
    CHECK(user::load(target.cpu_address) == 42);
  });
}

TEST_CASE("forbidden uses of a fence by a process are refused", "[user][monitored]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    const D3DKMT_HANDLE context = create_context(device);
    auto mute = monitored(device, Flags::kNoSignal);
    auto blind = monitored(device, Flags::kNoWait);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&mute) == STATUS_SUCCESS);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&blind) == STATUS_SUCCESS);
    CHECK(signal(mute.hSyncObject, 1) == STATUS_ACCESS_DENIED);
    CHECK(gpu_signal(context, mute.hSyncObject, 1) == STATUS_ACCESS_DENIED);
    CHECK(gpu_wait(context, mute.hSyncObject, 0) == STATUS_SUCCESS);
    CHECK(wait_for(blind.hSyncObject, 0) == STATUS_ACCESS_DENIED);
    CHECK(gpu_wait(context, blind.hSyncObject, 0) == STATUS_ACCESS_DENIED);
    CHECK(signal(blind.hSyncObject, 1) == STATUS_SUCCESS);
    CHECK(wait_for(99, 1) == STATUS_INVALID_HANDLE);
    CHECK(gpu_wait(99, mute.hSyncObject, 1) == STATUS_INVALID_HANDLE);
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{mute.hSyncObject};
    CHECK(D3DKMTDestroySynchronizationObject(&destroy) == STATUS_SUCCESS);
    CHECK(D3DKMTDestroySynchronizationObject(&destroy) == STATUS_INVALID_HANDLE);
    CHECK(wait_for(mute.hSyncObject, 0) == STATUS_INVALID_HANDLE);
  });
}

TEST_CASE("one wait is for fences of one kind", "[user]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    auto first = monitored(device);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&first) == STATUS_SUCCESS);
    D3DKMT_CREATENATIVEFENCE second{};
    second.hDevice = device;
    REQUIRE(D3DKMTCreateNativeFence(&second) == STATUS_SUCCESS);
    const D3DKMT_HANDLE both[] = {first.hSyncObject, second.hSyncObject};
    const UINT64 values[] = {0, 0};
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = 2;
    args.ObjectHandleArray = both;
    args.FenceValueArray = values;
    CHECK(D3DKMTWaitForSynchronizationObjectFromCpu(&args) == STATUS_INVALID_PARAMETER);
    CHECK(wait_for(second.hSyncObject, 0) == STATUS_SUCCESS);
    CHECK(gpu_wait(create_context(device), second.hSyncObject, 0) == STATUS_SUCCESS);
  });
}

TEST_CASE("a queue of user mode signals a native fence through ring and doorbell", "[user]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    D3DKMT_CREATENATIVEFENCE fence{};
    fence.hDevice = device;
    REQUIRE(D3DKMTCreateNativeFence(&fence) == STATUS_SUCCESS);
    abi::FencePrivateData fence_data{};
    std::memcpy(&fence_data, fence.PrivateDriverData, sizeof fence_data);
    D3DKMT_CREATEHWCONTEXT context{};
    context.hDevice = device;
    context.NodeOrdinal = kCompute;
    REQUIRE(D3DKMTCreateHwContext(&context) == STATUS_SUCCESS);
    const user::Memory ring = user::allocate_memory(device, 4096);
    abi::QueuePrivateData data{ring.gpu_address, 4096, 0, 0, 0};
    D3DKMT_CREATEHWQUEUE queue{};
    queue.hHwContext = context.hHwContext;
    queue.PrivateDriverDataSize = sizeof data;
    queue.pPrivateDriverData = &data;
    REQUIRE(D3DKMTCreateHwQueue(&queue) == STATUS_SUCCESS);
    D3DKMT_CREATEDOORBELL doorbell{};
    doorbell.hHwQueue = queue.hHwQueue;
    REQUIRE(D3DKMTCreateDoorbell(&doorbell) == STATUS_SUCCESS);
    const abi::FencePacket packet{{abi::Opcode::kSignal, 0, sizeof packet},
                                  fence_data.fence_slot,
                                  0,
                                  fence.Info.NativeFenceMapping.CurrentValueGpuVa,
                                  3};
    user::store(ring.cpu_address, &packet, sizeof packet);
    const std::uint64_t written = sizeof packet;
    user::store(doorbell.DoorbellCPUVirtualAddress, &written, sizeof written);
    CHECK(wait_for(fence.hSyncObject, 3) == STATUS_SUCCESS);
    // A monitored fence has no place there.
    auto old = monitored(device);
    REQUIRE(D3DKMTCreateSynchronizationObject2(&old) == STATUS_SUCCESS);
    const UINT64 value = 1;
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE refused{queue.hHwQueue, 1, &old.hSyncObject,
                                                           &value};
    CHECK(D3DKMTSubmitWaitForSyncObjectsToHwQueue(&refused) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("a CPU event of the driver through the calls", "[user][event]") {
  run_alone([] {
    const D3DKMT_HANDLE device = create_device();
    const HANDLE event = user::create_event();
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = device;
    args.Info.Type = D3DDDI_CPU_NOTIFICATION;
    args.Info.CPUNotification.Event = event;
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_NOT_SUPPORTED);
    args.Info.Flags.Value = Flags::kSignalByKmd | Flags::kShared;
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_INVALID_PARAMETER);
    args.Info.Flags.Value = Flags::kSignalByKmd;
    args.hDevice = 0;
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_INVALID_HANDLE);
    args.hDevice = device;
    int no_event = 0;
    args.Info.CPUNotification.Event = &no_event;
    CHECK(D3DKMTCreateSynchronizationObject2(&args) == STATUS_INVALID_HANDLE);
    args.Info.CPUNotification.Event = event;
    REQUIRE(D3DKMTCreateSynchronizationObject2(&args) == STATUS_SUCCESS);
    CHECK(wait_for(args.hSyncObject, 0) == STATUS_INVALID_PARAMETER);
    CHECK(signal(args.hSyncObject, 1) == STATUS_INVALID_PARAMETER);

    D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
    usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
    usage.hSyncObject = args.hSyncObject;
    usage.Usage[0] = static_cast<UINT>(abi::CpuEventUse::kNow);
    D3DKMT_ESCAPE escape{};
    escape.hDevice = device;
    escape.Flags.Value =
        D3DDDI_ESCAPEFLAGS::kDriverKnownEscape | D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization;
    escape.pPrivateDriverData = &usage;
    escape.PrivateDriverDataSize = sizeof usage;
    CHECK_FALSE(user::wait_for_event(event, common::kMicrosecond));
    CHECK(D3DKMTEscape(&escape) == STATUS_SUCCESS);
    CHECK(user::wait_for_event(event, common::kMicrosecond));
    // The device may go first.
    const D3DKMT_DESTROYDEVICE destroy_device{device};
    CHECK(D3DKMTDestroyDevice(&destroy_device) == STATUS_SUCCESS);
    CHECK(D3DKMTEscape(&escape) == STATUS_SUCCESS);
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{args.hSyncObject};
    CHECK(D3DKMTDestroySynchronizationObject(&destroy) == STATUS_SUCCESS);
    CHECK(D3DKMTEscape(&escape) == STATUS_INVALID_HANDLE);
  });
}

}  // namespace fenceline::system_tests::test_user_calls
