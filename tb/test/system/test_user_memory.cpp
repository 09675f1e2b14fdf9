// The D3DKMT calls of memory, made by a thread of a machine without a scenario.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/private_data.h"
#include "tb/check/checkers.h"
#include "tb/user/d3dkmt.h"

namespace fenceline::system_tests::test_user_memory {

namespace {

namespace abi = fenceline::abi;
namespace top = fenceline::top;
namespace user = fenceline::user;
using fenceline::check::Checkers;

constexpr UINT kCompute = 1;
constexpr std::uint64_t kBytes = 8192;

using Ids = std::vector<std::string>;

/// Runs `body` in a thread of a machine with managed memory, and expects that these invariants
/// break.
void run(const std::function<void()>& body, const top::PlatformConfig& platform = {},
         bool managed = true, const Ids& broken = {}) {
  user::Machine machine(platform, DriverEntry, managed);
  Checkers checkers(machine.simulation().events);
  machine.add_thread("thread", machine.add_process("app"), body);
  REQUIRE(machine.run());
  checkers.finish();
  Ids found;
  for (const auto& violation : checkers.violations()) {
    found.push_back(violation.invariant);
    UNSCOPED_INFO(violation.message);
  }
  CHECK(found == broken);
}

D3DKMT_HANDLE create_device() {
  D3DKMT_ADAPTERINFO info{};
  D3DKMT_ENUMADAPTERS2 adapters{1, &info};
  REQUIRE(D3DKMTEnumAdapters2(&adapters) == STATUS_SUCCESS);
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = info.hAdapter;
  REQUIRE(D3DKMTCreateDevice(&args) == STATUS_SUCCESS);
  return args.hDevice;
}

struct Made {
  D3DKMT_HANDLE handle = 0;
  D3DGPU_VIRTUAL_ADDRESS address = 0;
};

NTSTATUS create(D3DKMT_HANDLE device, Made& made, std::uint32_t segments = 1) {
  abi::AllocationPrivateData data{kBytes, segments, 0, abi::kUsedByCpu, 0};
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof data;
  D3DKMT_CREATEALLOCATION args{device, 0, 1, &info};
  const NTSTATUS status = D3DKMTCreateAllocation2(&args);
  made = {info.hAllocation, info.GpuVirtualAddress};
  return status;
}

void make_resident(const D3DKMT_CREATEPAGINGQUEUE& queue, std::vector<D3DKMT_HANDLE> list) {
  D3DDDI_MAKERESIDENT args{};
  args.hPagingQueue = queue.hPagingQueue;
  args.NumAllocations = static_cast<UINT>(list.size());
  args.AllocationList = list.data();
  REQUIRE(D3DKMTMakeResident(&args) == STATUS_PENDING);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
  wait.ObjectCount = 1;
  wait.ObjectHandleArray = &queue.hSyncObject;
  wait.FenceValueArray = &args.PagingFenceValue;
  REQUIRE(D3DKMTWaitForSynchronizationObjectFromCpu(&wait) == STATUS_SUCCESS);
}

/// A context that copies allocations, and the fence that tells when it has.
struct Copier {
  explicit Copier(D3DKMT_HANDLE device) : buffer(user::allocate_memory(device, 4096)) {
    fence.hDevice = device;
    fence.Info.Type = D3DDDI_MONITORED_FENCE;
    REQUIRE(D3DKMTCreateSynchronizationObject2(&fence) == STATUS_SUCCESS);
    context.hDevice = device;
    context.NodeOrdinal = kCompute;
    REQUIRE(D3DKMTCreateContextVirtual(&context) == STATUS_SUCCESS);
  }
  /// All of `from` to `to`; returns when that is done.
  void copy(const Made& from, const Made& to, bool fence_stores = true) {
    struct {
      abi::CopyPacket copy;
      abi::FenceWritePacket signal;
    } packets{};
    packets.copy.header = {abi::Opcode::kCopy, 0, sizeof packets.copy};
    packets.copy.source = from.address;
    packets.copy.destination = to.address;
    packets.copy.bytes = kBytes;
    packets.signal = {{abi::Opcode::kFenceWrite, abi::kNotify, sizeof packets.signal},
                      fence.Info.MonitoredFence.FenceValueGPUVirtualAddress,
                      1};
    user::store(buffer.cpu_address, &packets, sizeof packets);
    if (fence_stores) user::store_fence();
    D3DKMT_SUBMITCOMMAND submit{};
    submit.Commands = buffer.gpu_address;
    submit.CommandLength = sizeof packets;
    submit.BroadcastContextCount = 1;
    submit.BroadcastContext[0] = context.hContext;
    REQUIRE(D3DKMTSubmitCommand(&submit) == STATUS_SUCCESS);
    user::compute(50 * fenceline::common::kMicrosecond);  // a thread that blocks sends its stores
    const UINT64 value = 1;
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence.hSyncObject;
    wait.FenceValueArray = &value;
    REQUIRE(D3DKMTWaitForSynchronizationObjectFromCpu(&wait) == STATUS_SUCCESS);
  }

  user::Memory buffer;
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence{};
  D3DKMT_CREATECONTEXTVIRTUAL context{};
};

unsigned char* lock(D3DKMT_HANDLE device, D3DKMT_HANDLE handle) {
  D3DKMT_LOCK2 args{device, handle, {}, nullptr};
  REQUIRE(D3DKMTLock2(&args) == STATUS_SUCCESS);
  return static_cast<unsigned char*>(args.pData);
}

}  // namespace

TEST_CASE("memory of the memory manager goes from the CPU through the GPU and back", "[user]") {
  top::PlatformConfig platform;
  platform.host.write_combining.buffers = 10;
  platform.gpus[0].vram.size_bytes = 4ULL << 20;
  platform.gpus[0].vram_bar.bytes = 1 << 20;  // through a window
  run(
      [] {
        const D3DKMT_HANDLE device = create_device();
        Made a, b;
        REQUIRE(create(device, a) == STATUS_SUCCESS);
        REQUIRE(create(device, b) == STATUS_SUCCESS);
        D3DKMT_CREATEPAGINGQUEUE queue{};
        queue.hDevice = device;
        REQUIRE(D3DKMTCreatePagingQueue(&queue) == STATUS_SUCCESS);
        make_resident(queue, {a.handle, b.handle});
        unsigned char* const from = lock(device, a.handle);
        const std::uint64_t words[] = {1, 2, 3};
        user::store(from + 4096, words, sizeof words);
        CHECK(user::load(from + 4104) == 2);
        Copier(device).copy(a, b);
        unsigned char* const to = lock(device, b.handle);
        CHECK(user::load(to + 4112) == 3);
        const D3DKMT_UNLOCK2 unlock{device, a.handle};
        CHECK(D3DKMTUnlock2(&unlock) == STATUS_SUCCESS);
        CHECK(D3DKMTUnlock2(&unlock) == STATUS_INVALID_PARAMETER);
        CHECK_THROWS(user::load(from));
        D3DKMT_EVICT evict{device, 1, &b.handle, {}, 0};
        CHECK(D3DKMTEvict(&evict) == STATUS_SUCCESS);
        CHECK(user::load(to + 4096) == 1);  // wherever it is now
        const D3DKMT_INVALIDATECACHE invalidate{device, b.handle, 0, kBytes};
        CHECK(D3DKMTInvalidateCache(&invalidate) == STATUS_SUCCESS);
        const D3DKMT_HANDLE both[] = {a.handle, b.handle};
        const D3DKMT_DESTROYALLOCATION2 destroy{device, 0, both, 2, {}};
        CHECK(D3DKMTDestroyAllocation2(&destroy) == STATUS_SUCCESS);
        CHECK(D3DKMTDestroyAllocation2(&destroy) == STATUS_INVALID_HANDLE);
      },
      platform);
}

namespace {

/// Stores a line and a half, has the GPU copy it, and returns what arrived of both.
std::pair<std::uint64_t, std::uint64_t> record_through(bool fence_stores) {
  const D3DKMT_HANDLE device = create_device();
  Made a, b;
  REQUIRE(create(device, a) == STATUS_SUCCESS);
  REQUIRE(create(device, b) == STATUS_SUCCESS);
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = device;
  REQUIRE(D3DKMTCreatePagingQueue(&queue) == STATUS_SUCCESS);
  make_resident(queue, {a.handle, b.handle});
  Copier copier(device);
  const std::vector<std::uint64_t> words(12, 7);
  user::store(lock(device, a.handle), words.data(), words.size() * sizeof words[0]);
  copier.copy(a, b, fence_stores);
  const unsigned char* const to = lock(device, b.handle);
  return {user::load(to), user::load(to + 64)};
}

top::PlatformConfig combining(fenceline::host::CombiningOrder order) {
  top::PlatformConfig platform;
  platform.host.write_combining.buffers = 10;
  platform.host.write_combining.order = order;
  return platform;
}

}  // namespace

TEST_CASE("without a store fence the GPU reads half of a record", "[user]") {
  using fenceline::host::CombiningOrder;
  std::pair<std::uint64_t, std::uint64_t> found;
  const std::pair<std::uint64_t, std::uint64_t> torn{7, 0};
  run([&] { found = record_through(false); }, combining(CombiningOrder::kBarriers), true, {"I108"});
  CHECK(found == torn);
}

TEST_CASE("a store fence keeps a record whole", "[user]") {
  using fenceline::host::CombiningOrder;
  std::pair<std::uint64_t, std::uint64_t> found;
  const std::pair<std::uint64_t, std::uint64_t> whole{7, 7};
  run([&] { found = record_through(true); }, combining(CombiningOrder::kBarriers));
  CHECK(found == whole);
}

TEST_CASE("a host whose locks send stores needs no store fence", "[user]") {
  using fenceline::host::CombiningOrder;
  std::pair<std::uint64_t, std::uint64_t> found;
  const std::pair<std::uint64_t, std::uint64_t> whole{7, 7};
  run([&] { found = record_through(false); }, combining(CombiningOrder::kSerializing));
  CHECK(found == whole);
}

TEST_CASE("the older lock call returns the addresses of CPU and GPU", "[user]") {
  run([] {
    const D3DKMT_HANDLE device = create_device();
    Made a;
    REQUIRE(create(device, a, 2) == STATUS_SUCCESS);
    D3DKMT_LOCK args{};
    args.hDevice = device;
    args.hAllocation = a.handle;
    REQUIRE(D3DKMTLock(&args) == STATUS_SUCCESS);
    CHECK(args.GpuVirtualAddress == a.address);
    const std::uint64_t word = 7;
    user::store(args.pData, &word, sizeof word);
    CHECK(user::load(args.pData) == 7);
    const D3DKMT_UNLOCK unlock{device, 1, &a.handle};
    CHECK(D3DKMTUnlock(&unlock) == STATUS_SUCCESS);
    CHECK(D3DKMTUnlock(&unlock) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("memory calls refuse handles of other processes and of other objects", "[user]") {
  run([] {
    const D3DKMT_HANDLE device = create_device();
    const D3DKMT_HANDLE other = create_device();
    Made a;
    CHECK(create(0, a) == STATUS_INVALID_HANDLE);
    CHECK(D3DKMTCreateAllocation2(nullptr) == STATUS_INVALID_PARAMETER);
    D3DKMT_CREATEALLOCATION none{device, 0, 1, nullptr};
    CHECK(D3DKMTCreateAllocation2(&none) == STATUS_INVALID_PARAMETER);
    REQUIRE(create(device, a) == STATUS_SUCCESS);
    D3DKMT_CREATEPAGINGQUEUE queue{};
    CHECK(D3DKMTCreatePagingQueue(&queue) == STATUS_INVALID_HANDLE);
    queue.hDevice = device;
    queue.Priority = 1;
    CHECK(D3DKMTCreatePagingQueue(&queue) == STATUS_INVALID_PARAMETER);
    D3DDDI_MAKERESIDENT resident{};
    resident.hPagingQueue = device;
    resident.NumAllocations = 1;
    resident.AllocationList = &a.handle;
    CHECK(D3DKMTMakeResident(&resident) == STATUS_INVALID_HANDLE);
    D3DKMT_LOCK2 lock2{other, a.handle, {}, nullptr};
    CHECK(D3DKMTLock2(&lock2) == STATUS_INVALID_HANDLE);
    lock2 = {device, device, {}, nullptr};
    CHECK(D3DKMTLock2(&lock2) == STATUS_INVALID_HANDLE);
    lock2 = {device, a.handle, {1}, nullptr};
    CHECK(D3DKMTLock2(&lock2) == STATUS_INVALID_PARAMETER);
    CHECK(lock2.pData == nullptr);
    CHECK(D3DKMTLock2(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(D3DKMTUnlock2(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(D3DKMTInvalidateCache(nullptr) == STATUS_INVALID_PARAMETER);
    const D3DKMT_INVALIDATECACHE beyond{device, a.handle, kBytes, 1};
    CHECK(D3DKMTInvalidateCache(&beyond) == STATUS_INVALID_PARAMETER);
    D3DKMT_EVICT evict{device, 1, &a.handle, {}, 0};
    CHECK(D3DKMTEvict(&evict) == STATUS_INVALID_PARAMETER);  // it is not resident
    const D3DKMT_DESTROYALLOCATION2 wrong{other, 0, &a.handle, 1, {}};
    CHECK(D3DKMTDestroyAllocation2(&wrong) == STATUS_INVALID_HANDLE);
    const D3DKMT_DESTROYALLOCATION2 empty{device, 0, &a.handle, 0, {}};
    CHECK(D3DKMTDestroyAllocation2(&empty) == STATUS_INVALID_PARAMETER);
    lock2 = {device, a.handle, {}, nullptr};
    CHECK(D3DKMTLock2(&lock2) == STATUS_SUCCESS);  // nothing of that has changed it
  });
}

TEST_CASE("without a memory manager allocations are refused", "[user]") {
  run(
      [] {
        const D3DKMT_HANDLE device = create_device();
        Made a;
        CHECK(create(device, a) == STATUS_NOT_SUPPORTED);
      },
      {}, false);
}

}  // namespace fenceline::system_tests::test_user_memory
